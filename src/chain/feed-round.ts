import type { Hex } from '../core/block.ts';

/** One price of a Chainlink feed. */
export interface FeedRound {
  /** The proxy's id: the phase (which aggregator wrote it) above 64 bits of the aggregator's own round. */
  readonly id: bigint;
  /** Dollars × 10^decimals. */
  readonly answer: bigint;
  /** Unix seconds. */
  readonly updatedAt: number;
}

/**
 * The ABI-encoded answer of `latestRoundData()` and `getRoundData(uint80)`: `(uint80 roundId, int256 answer,
 * uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)`; `null` where it is not that.
 */
export function decodeRound(data: Hex): FeedRound | null {
  const words = wordsOf(data);
  const [id, answer, , updatedAt] = words;
  if (words.length !== 5 || id === undefined || answer === undefined || updatedAt === undefined) return null;
  if (updatedAt > BigInt(Number.MAX_SAFE_INTEGER) || id >= 1n << 80n) return null;
  return { id, answer: BigInt.asIntN(256, answer), updatedAt: Number(updatedAt) };
}

/** The answer of `decimals()`; `null` where it is not that. */
export function decodeDecimals(data: Hex): number | null {
  const [decimals, ...rest] = wordsOf(data);
  return decimals === undefined || rest.length > 0 || decimals > 36n ? null : Number(decimals);
}

function wordsOf(data: Hex): bigint[] {
  if (!/^0x(?:[0-9a-fA-F]{64})+$/.test(data)) return [];
  return (data.slice(2).match(/.{64}/g) ?? []).map((word) => BigInt(`0x${word}`));
}
