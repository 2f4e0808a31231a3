import { formatCount, formatPercent } from './units.ts';

/**
 * Where a transaction's tip stood among those of its block, from the side that says more: `above 71 % of its block's
 * 211 others, ties counted half`.
 *
 * @param rank The share of the others that tipped less, and half of those that tipped the same.
 * @param count Transactions of the block; `null`: not known.
 */
export function tipRankWords(rank: number, count: number | null): string {
  if (count === 1) return 'alone in its block';
  const others =
    count === null || count < 1 ? "its block's others" : `its block's ${formatCount(count - 1)} others`;
  const side = rank >= 0.5 ? `above ${formatPercent(rank)}` : `below ${formatPercent(1 - rank)}`;
  return `${side} of ${others}, ties counted half`;
}
