import { formatCount } from './units.ts';

/**
 * `above 71 % of its block's 211 others, ties counted half`, `above all 4 others of its block`; the more informative side.
 * @param rank share of the others with a lower tip, plus half of those with the same @param count `null`: unknown
 */
export function tipRankWords(rank: number, count: number | null): string {
  if (count === 1) return 'alone in its block';
  const known = count === null || count < 1 ? null : count - 1;
  // The highest and the lowest have no ties.
  if (rank === 0 || rank === 1) {
    const all =
      known === null ? 'all others' : known === 1 ? 'the only other' : `all ${formatCount(known)} others`;
    return `${rank === 1 ? 'above' : 'below'} ${all} of its block`;
  }
  if (known === 1) return 'level with the only other of its block';
  const others = known === null ? "its block's others" : `its block's ${formatCount(known)} others`;
  const side = rank >= 0.5 ? `above ${mostPercent(rank)}` : `below ${mostPercent(1 - rank)}`;
  return `${side} of ${others}, ties counted half`;
}

/** `100 %` would mean all. */
function mostPercent(ratio: number): string {
  return `${Math.min(Math.round(ratio * 100), 99)} %`;
}
