import type { History } from './history.ts';
import { formatDuration } from './units.ts';

/** How likely something is, 0 to 1, or why that cannot be said: exactly one of the two is `null`. */
export interface Chance {
  readonly probability: number | null;
  readonly reason: string | null;
}

/** Of advice of which `count` pieces were judged, where it takes `enough`. */
export function unjudged(count: number, enough: number): Chance {
  return unknown(`too little history: ${count} of the ${enough} answers that it takes were judged`);
}

/** Of what takes `pastSec` seconds of blocks to be said; of a chain so fast that they are never kept, just that. */
export function tooLittlePast(history: History, pastSec: number): Chance {
  const takes = `it takes ${formatDuration(pastSec)} of blocks to say so`;
  return history.mostSec < pastSec
    ? unknown(`${takes}, more than is kept of so fast a chain`)
    : unknown(`too little history: ${takes}`);
}

export function unknown(reason: string): Chance {
  return { probability: null, reason };
}
