/** Something that is in the way is looked for this often at least. */
const LONGEST_MS = 300_000;

/**
 * When what was held is tried again, ms since epoch: with the next block, then after one block's time, two, four, up to
 * five minutes.
 * @param times how often in a row the same was in the way before
 */
export function retryLater(times: number, now: number, blockTimeSec: number): number {
  if (times === 0) return now;
  return now + Math.min(blockTimeSec * 1_000 * 2 ** Math.min(times - 1, 30), LONGEST_MS);
}
