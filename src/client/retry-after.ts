import type { AnswerHeaders } from '../http/answered.ts';

/** Thirty years: beyond that a number is noise. How long to really wait is the asker's business. */
const LONGEST_SEC = 1e9;
/** From here on a reset is a moment and not a distance. */
const EPOCH_FROM_SEC = 1e9;

/**
 * How long an answer asks to wait, seconds: `Retry-After`, or else when its limit begins anew in the headers that
 * many services send (`RateLimit-Reset`, `X-RateLimit-Reset`: seconds from now, or since epoch).
 */
export function askedWaitSec(status: number, headers: AnswerHeaders, now: number): number | null {
  const asked = retryAfterSec(headers.get('retry-after'), now);
  // Many send their limits with every answer; only a refusal for their sake is about them.
  if (asked !== null || status !== 429) return asked;
  const reset = Number(headers.get('ratelimit-reset') ?? headers.get('x-ratelimit-reset') ?? Number.NaN);
  if (!Number.isFinite(reset) || reset <= 0) return null;
  const sec = reset < EPOCH_FROM_SEC ? reset : (reset > 1e11 ? reset / 1_000 : reset) - now / 1_000;
  return sec > 0 ? Math.ceil(sec) : null;
}

/**
 * Reads a `Retry-After` header (RFC 9110 §10.2.3): seconds, or an HTTP date.
 *
 * @param now ms since epoch, to measure a date against.
 * @returns Whole seconds, or `null` where the header is absent or makes no sense.
 */
export function retryAfterSec(header: string | null, now: number): number | null {
  if (header === null) return null;
  const text = header.trim();
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : (httpDate(text) - now) / 1_000;
  if (Number.isNaN(seconds)) return null;
  return Math.min(Math.max(Math.ceil(seconds), 0), LONGEST_SEC);
}

/** `Date.parse` reads nearly anything (`-1` is a year to it); an HTTP date begins with the day's name. */
function httpDate(text: string): number {
  return /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text) ? Date.parse(text) : Number.NaN;
}
