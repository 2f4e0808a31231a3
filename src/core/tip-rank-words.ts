import { formatCount } from './units.ts';

/**
 * `above 71 % of its block's 211 others, ties counted half`, `above all 4 others of its block`; the more informative side.
 * @param rank share of the others with a lower tip, plus half of those with the same @param count `null`: unknown
 */
export function tipRankWords(rank: number, count: number | null): string {
  if (count === 1) return 'alone in its block';
  const others = count === null ? 'others' : count === 2 ? '1 other' : `${formatCount(count - 1)} others`;
  const side = rank >= 0.5 ? 'above' : 'below';
  if (rank === 0 || rank === 1) return `${side} ${count === 2 ? 'the other' : `all ${others}`} of its block`;
  // `100 %` would mean all.
  const percent = Math.min(Math.round(Math.max(rank, 1 - rank) * 100), 99);
  return `${side} ${percent} % of its block's ${others}, ties counted half`;
}
