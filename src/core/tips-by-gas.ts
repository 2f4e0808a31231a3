import { type BlockTips, blockTips, TIP_PERCENTILES } from './block.ts';

/** What a transaction paid: gas of its receipt, and wei per gas above the base fee. */
export interface PaidTip {
  readonly gasUsed: bigint;
  readonly tip: bigint;
}

/**
 * The tip percentiles of a block as `eth_feeHistory` forms its rewards: of transactions by ascending tip, the first at which so
 * much of `total` is used. Right is the sum of receipts. Since Amsterdam the header's gas is another number (EIP-8037,
 * EIP-7778), by which some nodes go on.
 */
export function tipsByGas(paid: readonly PaidTip[], total: bigint): BlockTips | null {
  const ascending = paid.toSorted((one, other) => (one.tip < other.tip ? -1 : one.tip > other.tip ? 1 : 0));
  let used = 0n;
  const usedUpTo = ascending.map(({ gasUsed }) => (used += gasUsed));
  const tips = TIP_PERCENTILES.map((percentile) => {
    const threshold = (total * BigInt(percentile)) / 100n;
    const place = usedUpTo.findIndex((gas) => gas >= threshold);
    return (place === -1 ? ascending.at(-1) : ascending[place])?.tip ?? 0n;
  });
  return blockTips(tips);
}

interface Receipt {
  readonly gasUsed: bigint;
  /** Wei per gas; `null`: the node does not say. */
  readonly effectiveGasPrice: bigint | null;
}

/** What the transactions of a block paid; `null` where the price of one is unknown, or below the base fee. */
export function paidTips(receipts: readonly Receipt[], baseFeePerGas: bigint): readonly PaidTip[] | null {
  const paid = receipts.flatMap(({ gasUsed, effectiveGasPrice: price }) =>
    price === null || price < baseFeePerGas ? [] : [{ gasUsed, tip: price - baseFeePerGas }],
  );
  return paid.length === receipts.length ? paid : null;
}

export const gasOfReceipts = (paid: readonly Pick<PaidTip, 'gasUsed'>[]): bigint =>
  paid.reduce((sum, { gasUsed }) => sum + gasUsed, 0n);

/** Whose gas weighs the tips that a node states; `null`: both give the same, or neither gives these. */
export function weighedBy(stated: BlockTips, paid: readonly PaidTip[], headerGasUsed: bigint) {
  const isStated = (tips: BlockTips | null) =>
    tips !== null && stated.every((tip, place) => tip === tips[place]);
  const [receipts, header] = [gasOfReceipts(paid), headerGasUsed].map((total) =>
    isStated(tipsByGas(paid, total)),
  );
  return receipts === header ? null : receipts ? 'receipts' : 'header';
}
