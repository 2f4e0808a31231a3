/**
 * What a `Retry-After` header asks for, in seconds from `now` (ms since epoch); `null` where it says nothing usable.
 * Seconds or an HTTP date (RFC 9110, 10.2.3).
 */
export function readRetryAfter(value: string | undefined, now: number): number | null {
  if (value === undefined) return null;
  if (/^\s*\d{1,9}\s*$/.test(value)) return Number(value);
  const at = / GMT\s*$/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(Math.ceil((at - now) / 1_000), 0);
}
