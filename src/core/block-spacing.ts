import type { History } from './history.ts';

/** Times have whole seconds and some chains several blocks in each: spacing is taken over this many blocks at once. */
const STRIDE = 8;
const STRIDES = 120;

/** Median seconds between the last blocks; `planned` while there are too few, or where time stands still. */
export function blockSpacing({ head, oldest, time }: History, planned: number): number {
  const spacings: number[] = [];
  for (let block = head; block - STRIDE >= oldest && spacings.length < STRIDES; block -= 1) {
    spacings.push((time.at(block) - time.at(block - STRIDE)) / STRIDE);
  }
  spacings.sort((a, b) => a - b);
  const median = spacings[spacings.length >>> 1] ?? 0;
  return median > 0 ? median : planned;
}
