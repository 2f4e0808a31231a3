import type { History } from './history.ts';
import { formatDuration } from './units.ts';

/** How likely something is, 0 to 1, or why that cannot be said: exactly one of the two is `null`. */
export interface Chance {
  readonly probability: number | null;
  readonly reason: string | null;
}

/** Nothing is certain: beside the outcomes that were seen one more is counted, half of it as come true. */
const DOUBT = 0.5;

/** No probability: `count` pieces of advice were judged, and it takes `enough` of them. */
export function unjudged(count: number, enough: number): Chance {
  return unknown(`too little history: ${count} of the ${enough} answers that it takes were judged`);
}

/**
 * No probability: that takes `pastSec` seconds of blocks. Of a chain so fast that so many are never kept, that is
 * said instead.
 * @param what the blocks are needed for
 */
export function tooLittlePast(history: History, pastSec: number, what = 'say so'): Chance {
  const takes = `it takes ${formatDuration(pastSec)} of blocks to ${what}`;
  return history.mostSec < pastSec
    ? unknown(`${takes}, more than is kept of so fast a chain`)
    : unknown(`too little history: ${takes}`);
}

export function unknown(reason: string): Chance {
  return { probability: null, reason };
}

/**
 * The most that so many independent outcomes can support: had all of them come true, one more that was not seen counts as
 * half. Windows that overlap are no more outcomes than fit one after another.
 */
export function mostSupported(outcomes: number): number {
  return doubtedShare(1, Math.max(outcomes, 0));
}

/** The share of so many independent outcomes that came true, with one more that was not seen counted as half. */
export function doubtedShare(share: number, outcomes: number): number {
  return (share * outcomes + DOUBT) / (outcomes + 2 * DOUBT);
}
