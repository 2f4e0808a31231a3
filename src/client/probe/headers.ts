import { cleanText } from '../../core/clean-text.ts';
import type { ClockFinding } from '../doctor.ts';
import { withoutKey } from '../http.ts';

const MOST_HEADERS = 12;

/**
 * How far the service's clock is from ours, by one answer's `Date`; `null`: it says no time.
 *
 * @param askedAt Our clock when the question left, ms since epoch.
 * @param roundTripMs From the question to the answer's head; the header was written in between, at best half-way.
 */
export function clockOf(headers: Headers, askedAt: number, roundTripMs: number): ClockFinding | null {
  const text = headers.get('date')?.trim() ?? '';
  const ms = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms)) return null;
  // The header is cut to whole seconds: on average half a second is lost.
  const skewMs = ms + 500 - (askedAt + roundTripMs / 2);
  return { skewSec: skewMs / 1_000, uncertaintySec: (500 + roundTripMs / 2) / 1_000 };
}

/** What an answer's headers say of limits and quotas, clean and without the key. */
export function rateLimitHeadersOf(
  headers: Headers,
  apiKey: string | null,
): Readonly<Record<string, string>> {
  const named = [...headers].filter(([name]) => /rate-?limit|quota|retry-after/.test(name));
  return Object.fromEntries(
    named
      .slice(0, MOST_HEADERS)
      .map(([name, value]) => [cleanText(name, 60), cleanText(withoutKey(value, apiKey), 100)]),
  );
}
