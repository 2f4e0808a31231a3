/**
 * What gastop knows of one block. Every source (node, recording, simulation) produces this shape and
 * everything behind the sources reads only this.
 */

/** Percentiles at which a block's effective priority fees are kept. */
export const TIP_PERCENTILES = [10, 25, 50, 75, 90, 95, 99] as const;
export type TipPercentile = (typeof TIP_PERCENTILES)[number];

/** Effective priority fees in wei per gas, weighted by gas used, in the order of {@link TIP_PERCENTILES}. */
export type TipLadder = readonly [bigint, bigint, bigint, bigint, bigint, bigint, bigint];

export type Hex = `0x${string}`;

export interface Block {
  readonly number: number;
  /** `null` for blocks taken from a page of `eth_feeHistory` that is too deep to be reorganised. */
  readonly hash: Hex | null;
  readonly parentHash: Hex | null;
  /** Unix seconds. Interpolated between known headers where only `eth_feeHistory` is known. */
  readonly timestamp: number;
  /** Wei per gas. */
  readonly baseFeePerGas: bigint;
  readonly gasUsed: bigint | null;
  readonly gasLimit: bigint | null;
  /** Gas used over gas limit, 0 to 1. */
  readonly gasUsedRatio: number;
  /** Wei per blob gas that this block asked for; `null` before EIP-4844 or where unknown. */
  readonly blobBaseFee: bigint | null;
  /** The source's own word for the next block (last entry of `eth_feeHistory`); `null`: use the formula. */
  readonly nextBaseFee: bigint | null;
  readonly nextBlobBaseFee: bigint | null;
  /** `null` where no tips are known (recordings without them); an empty block has zeros. */
  readonly tips: TipLadder | null;
}

/** The tip at `percentile`, wei per gas, or `null` where the block's tips are unknown. */
export function tipAt(block: Block, percentile: TipPercentile): bigint | null {
  return block.tips?.[TIP_PERCENTILES.indexOf(percentile)] ?? null;
}
