/** A service that asks for more is not believed: a daily quota is the longest wait there is. */
const LONGEST_SEC = 86_400 * 2;

/**
 * Reads a `Retry-After` header (RFC 9110 §10.2.3): seconds, or an HTTP date.
 *
 * @param now ms since epoch, to measure a date against.
 * @returns Whole seconds, 0 to two days, or `null` where the header is absent or makes no sense.
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
