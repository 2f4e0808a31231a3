import { paysAt } from '../../core/auto-txs/target.ts';
import { type Block, blockTips } from '../../core/block.ts';
import { ChainError } from '../chain-source.ts';
import { type RpcNode, request } from './client.ts';
import { fullBlockResponse, nullish, toQuantity } from './decode.ts';

/** A block's rewards by `eth_feeHistory`. */
interface Rewarded extends Pick<Block, 'number' | 'tips'> {
  readonly baseFeePerGas: bigint | null;
}

export const ODD_REWARDS =
  'eth_feeHistory has rewards that cannot be (below 0, missing, above what the transactions could pay): they count as unknown';

/** A reward above both is held against what the transactions of its block could pay. */
const DOUBTED_WEI = 1_000_000_000_000n;
const DOUBTED_MULTIPLE = 50n;

const isDoubted = (tip: bigint | null, { baseFeePerGas }: Rewarded) =>
  tip !== null && tip > DOUBTED_WEI && tip > DOUBTED_MULTIPLE * (baseFeePerGas ?? 0n);

/** Rewards that the newest block with doubted ones could not have paid are unknown, and so are the doubted ones of the others. */
export async function believable<Row extends Rewarded>(
  node: RpcNode,
  rows: Row[],
  signal: AbortSignal | undefined,
): Promise<Row[]> {
  const isOdd = (row: Row) => row.tips?.some((tip) => isDoubted(tip, row)) === true;
  const newest = rows.findLast(isOdd);
  if (newest === undefined) return rows;
  const most = await mostPaidTip(node, newest, signal);
  if (newest.tips?.every((tip) => tip === null || tip <= most)) return rows;
  node.notes.set('rewards', ODD_REWARDS);
  return rows.map((row) =>
    isOdd(row)
      ? { ...row, tips: blockTips((row.tips ?? []).map((tip) => (isDoubted(tip, row) ? null : tip))) }
      : row,
  );
}

/** The highest tip that a transaction of the block signed for, wei per gas; 0 where the node does not say. */
async function mostPaidTip(
  node: RpcNode,
  { number, baseFeePerGas }: Rewarded,
  signal: AbortSignal | undefined,
): Promise<bigint> {
  const params = [toQuantity(number), true];
  const asked = request(node, nullish(fullBlockResponse), 'eth_getBlockByNumber', params, { signal });
  const block = await asked.catch((error: unknown) => {
    if (!(error instanceof ChainError)) throw error;
    return null;
  });
  const fee = block?.baseFeePerGas ?? baseFeePerGas ?? 0n;
  let most = 0n;
  for (const signed of block?.transactions ?? []) {
    const tip = paysAt(signed, fee) - fee;
    if (tip > most) most = tip;
  }
  return most;
}
