import type { History } from './history.ts';

/** Times have whole seconds and some chains several blocks in each: spacing is taken over this many blocks at once. */
const STRIDE = 8;
const STRIDES = 120;
/** A chain's beginning may bear any time. */
const FIRST_TIMED = 1;

/** Median seconds between the last blocks; `null` while no two are known, or where time stands still. */
export function blockSpacing({ head, oldest, time }: History): number | null {
  const first = Math.max(oldest, FIRST_TIMED);
  const stride = Math.min(Math.max(Math.floor((head - first) / 2), 1), STRIDE);
  const spacings: number[] = [];
  for (let block = head; block - stride >= first && spacings.length < STRIDES; block -= 1) {
    spacings.push((time.at(block) - time.at(block - stride)) / stride);
  }
  spacings.sort((a, b) => a - b);
  const median = spacings[spacings.length >>> 1] ?? 0;
  return median > 0 ? median : null;
}
