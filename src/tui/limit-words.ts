import { ClientError } from '../client/errors.ts';
import type { PaceState } from '../client/session-pace.ts';

/** Nobody who waits no longer than that needs to be told of a failure. */
const SHORT_SEC = 3;

/** The limit that questions wait for, in a few words; `null`: they go out as they come. */
export function limitWords({ gapMs, perSecond }: PaceState): string | null {
  if (gapMs === 0) return null;
  return perSecond === null ? 'limit per second' : `limit of ${perSecond} per second`;
}

/** Whether an error is no more than a short wait for a limit per second. */
export function isPaced(error: Error): boolean {
  if (!(error instanceof ClientError) || error.code !== 'quota' || error.limit !== 'rate') return false;
  return error.retryAfterSec !== null && error.retryAfterSec <= SHORT_SEC;
}

/**
 * Why what is shown may be older than a block though nothing fails; `null`: the limit is not the cause.
 *
 * @param blockMs how often there is something new
 * @param everyMs how often the prices are asked for
 */
export function behindWords(pace: PaceState, blockMs: number, everyMs: number): string | null {
  if (pace.slowdown > 1 && everyMs > blockMs)
    return 'asked less often for a while: the limit of this key was met';
  const words = limitWords(pace);
  // The prices take turns with everything else.
  return words !== null && 2 * pace.gapMs > blockMs ? `older than a block: ${words}` : null;
}
