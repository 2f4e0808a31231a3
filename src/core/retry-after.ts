/** Thirty years: beyond that a number is noise. How long to really wait is the caller's decision. */
const LONGEST_SEC = 1e9;

/** Reads a `Retry-After` header (RFC 9110 §10.2.3): whole seconds, `null` where it makes no sense. @param now ms since epoch */
export function retryAfterSec(header: string | null, now: number): number | null {
  if (header === null) return null;
  const text = header.trim();
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : (httpDate(text) - now) / 1_000;
  if (Number.isNaN(seconds)) return null;
  return Math.min(Math.max(Math.ceil(seconds), 0), LONGEST_SEC);
}

/** `Date.parse` reads nearly anything (`-1` is a year to it); an HTTP date begins with the day's name. */
export function httpDate(text: string): number {
  return /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text) ? Date.parse(text) : Number.NaN;
}
