import { formatCount } from './units.ts';

/**
 * Where a transaction's tip stood among those of its block, from the side that says more: `above 71 % of its block's
 * 211 others, ties counted half`, `above all 4 others of its block`.
 *
 * @param rank The share of the others that tipped less, and half of those that tipped the same.
 * @param count Transactions of the block; `null`: not known.
 */
export function tipRankWords(rank: number, count: number | null): string {
  if (count === 1) return 'alone in its block';
  const known = count === null || count < 1 ? null : count - 1;
  // Nothing ties with what stands above or below all.
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

/** `100 %` would say all. */
function mostPercent(ratio: number): string {
  return `${Math.min(Math.round(ratio * 100), 99)} %`;
}
