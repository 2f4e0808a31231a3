const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** After the first failed try, the second, …; the last one for all that follow. */
const PAUSES_MS = [5 * SECOND, 15 * SECOND, MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR] as const;
const LONGEST_PAUSE_MS = HOUR;
/** Each pause is up to this much longer or shorter, so that what failed together does not come back together. */
const JITTER = 0.2;
/** A receiver may ask for more time, but not so much that a day has hardly a try in it. */
const LONGEST_ASKED_MS = 6 * HOUR;
export const GIVE_UP_AFTER_MS = 24 * HOUR;
/** A machine may have slept through the day. */
export const LEAST_TRIES = 5;

export interface FailedTry {
  /** How many have failed, this one included. */
  readonly tries: number;
  /** When the first of them was made, ms since epoch. */
  readonly triesSince: number;
  readonly now: number;
  /** What the receiver asked for, seconds. */
  readonly retryAfterSec: number | null;
  /** 0 to 1, by chance. */
  readonly random: number;
}

/**
 * When it is tried again, ms since epoch; `null`: never, a day has passed. The last try is at the end of that day, unless
 * too few were made by then.
 */
export function nextTryAt({ tries, triesSince, now, retryAfterSec, random }: FailedTry): number | null {
  const end = triesSince + GIVE_UP_AFTER_MS;
  if (now >= end && tries >= LEAST_TRIES) return null;
  const pause = PAUSES_MS[tries - 1] ?? LONGEST_PAUSE_MS;
  const spread = pause * (1 + JITTER * (2 * random - 1));
  const asked = Math.min((retryAfterSec ?? 0) * SECOND, LONGEST_ASKED_MS);
  const at = Math.round(now + Math.max(spread, asked));
  return now < end ? Math.min(at, end) : at;
}
