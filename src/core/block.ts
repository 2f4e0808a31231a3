import type { StatedFeeRule } from './eip1559.ts';

/** A block as every source (node, recording, simulation) provides it and all code behind the sources reads it. */

export const TIP_PERCENTILES = [10, 25, 50, 75, 90, 95, 99] as const;
export type TipPercentile = (typeof TIP_PERCENTILES)[number];

export type Ladder<Tip> = readonly [Tip, Tip, Tip, Tip, Tip, Tip, Tip];

/**
 * Effective priority fees in wei per gas, weighted by gas used, in the order of {@link TIP_PERCENTILES}; the known ones ascend.
 * `null`: the source gives none, or one that cannot be.
 */
export type BlockTips = Ladder<bigint | null>;

/** Some nodes give them out of order. `null` when there are not as many as percentiles, or none is known. */
export function blockTips(tips: readonly (bigint | null)[]): BlockTips | null {
  if (tips.length !== TIP_PERCENTILES.length) return null;
  const ascending = tips.flatMap((tip) => tip ?? []).sort((a, b) => (a < b ? -1 : 1));
  if (ascending.length === 0) return null;
  return tips.map((tip) => (tip === null ? null : (ascending.shift() ?? null))) as unknown as BlockTips;
}

export type Hex = `0x${string}`;
/** Whole bytes. A pattern of pairs overflows the stack on a long text. */
export const isHex = (text: string): text is Hex => text.length % 2 === 0 && /^0x[0-9a-f]*$/i.test(text);

export interface Block {
  readonly number: number;
  /** `null` for blocks from a page of `eth_feeHistory` too deep to be reorganised. */
  readonly hash: Hex | null;
  readonly parentHash: Hex | null;
  /** Unix seconds. Interpolated between known headers when only `eth_feeHistory` is known. */
  readonly timestamp: number;
  /** Wei per gas. */
  readonly baseFeePerGas: bigint;
  readonly gasUsed: bigint | null;
  /** 0 for a height without a block (a null round), whose row repeats the block below. */
  readonly gasLimit: bigint | null;
  /** Gas used over gas limit, 0 to 1. */
  readonly gasUsedRatio: number;
  /** Blob base fee of this block, wei per blob gas; `null` before EIP-4844 or when unknown. */
  readonly blobBaseFee: bigint | null;
  /** The next base fee as the source states it (last entry of `eth_feeHistory`); `null`: use the formula. */
  readonly nextBaseFee: bigint | null;
  readonly nextBlobBaseFee: bigint | null;
  /** `null` when no tips are known (recordings without them); an empty block has zeros. */
  readonly tips: BlockTips | null;
  /** Tip that the node itself suggests, wei per gas; left out unless it was asked for, as of a head where few tips are paid. */
  readonly suggestedTip?: bigint;
  /** Left out where the header states none, or was not read. */
  readonly stated?: StatedFeeRule;
  /** Since Amsterdam (EIP-7928, EIP-7843); `null`: the header has none. Left out where the header was not read. */
  readonly blockAccessListHash?: Hex | null;
  readonly slotNumber?: number | null;
}

export function tipAt(block: Block, percentile: TipPercentile): bigint | null {
  return block.tips?.[TIP_PERCENTILES.indexOf(percentile)] ?? null;
}

/** Interpolated between two; `percentile` up to 99, below 10 the lowest. `null` when one of them is unknown. */
export function tipBetween(tips: BlockTips, percentile: number): number | null {
  const above = TIP_PERCENTILES.findIndex((known) => known >= percentile);
  const [low = 0, high = 0] = TIP_PERCENTILES.slice(Math.max(above - 1, 0));
  const from = tips[Math.max(above - 1, 0)] ?? null;
  const to = tips[above] ?? null;
  if (from === null || to === null) return null;
  return above === 0 ? Number(to) : Number(from) + (Number(to - from) * (percentile - low)) / (high - low);
}

/** A block with less gas used, as share of its limit, may hold nothing but transactions of the chain itself. */
const LEAST_FILLED = 0.05;

/**
 * The lowest tip that was paid in a block, by its percentiles, wei per gas. Bundles, privileged and system transactions at 0, and
 * empty blocks, prove nothing; who pays a base fee may pay no tip. `null`: no tip was paid, or its lowest is unknown.
 */
export function lowestPaidTip({
  tips,
  baseFeePerGas,
  gasUsedRatio,
}: Pick<Block, 'tips' | 'baseFeePerGas' | 'gasUsedRatio'>): bigint | null {
  if (tips === null || tips[0] === null) return null;
  const paid = tips.find((tip) => tip !== null && tip > 0n) ?? null;
  return paid === null && baseFeePerGas > 0n && gasUsedRatio >= LEAST_FILLED ? 0n : paid;
}
