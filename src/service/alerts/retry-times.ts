import { DAY_MS, HOUR_MS } from '../../core/time.ts';

/** The pause after the first failed attempt, the second, …; then the longest. */
const PAUSES_MS = [5_000, 15_000, 60_000, 300_000, 900_000, 1_800_000] as const;
const LONGEST_PAUSE_MS = HOUR_MS;
/** Each pause is up to this share longer or shorter, so that deliveries that failed together do not retry together. */
const JITTER = 0.2;
/** The longest `Retry-After` that is honoured, so that a day has several attempts. */
const LONGEST_ASKED_MS = 6 * HOUR_MS;
export const GIVE_UP_AFTER_MS = DAY_MS;
/** Minimum number of attempts, even if the machine slept through the day. */
const LEAST_TRIES = 5;

interface FailedTry {
  readonly tries: number;
  readonly triesSince: number;
  readonly now: number;
  readonly retryAfterSec: number | null;
  readonly random: number;
}

/** Ms since epoch, at the latest at the end of the day; `null` once that has passed and enough attempts were made. */
export function nextTryAt({ tries, triesSince, now, retryAfterSec, random }: FailedTry): number | null {
  const end = triesSince + GIVE_UP_AFTER_MS;
  if (now >= end && tries >= LEAST_TRIES) return null;
  const pause = PAUSES_MS[tries - 1] ?? LONGEST_PAUSE_MS;
  const spread = pause * (1 + JITTER * (2 * random - 1));
  const asked = Math.min((retryAfterSec ?? 0) * 1_000, LONGEST_ASKED_MS);
  const at = Math.round(now + Math.max(spread, asked));
  return now < end ? Math.min(at, end) : at;
}
