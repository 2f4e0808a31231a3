import type { History } from './history.ts';

/** Times have whole seconds and some chains several blocks in each: spacing is taken over this many blocks at once. */
const STRIDE = 8;
const STRIDES = 120;
/** So few spacings say more than a plan; of fewer one may be the chain's beginning, whose time is anything. */
const LEAST_STRIDES = 3;

/** Median seconds between the last blocks; `planned` while there are too few, or where time stands still. */
export function blockSpacing({ head, oldest, time }: History, planned: number): number {
  const stride = Math.min(Math.max(Math.floor((head - oldest) / 2), 1), STRIDE);
  const spacings: number[] = [];
  for (let block = head; block - stride >= oldest && spacings.length < STRIDES; block -= 1) {
    spacings.push((time.at(block) - time.at(block - stride)) / stride);
  }
  if (spacings.length < LEAST_STRIDES) return planned;
  spacings.sort((a, b) => a - b);
  const median = spacings[spacings.length >>> 1] ?? 0;
  return median > 0 ? median : planned;
}
