import { formatCount } from '../core/units.ts';
import { ClientError } from './errors.ts';
import type { RateLimitsView } from './views/dashboard.ts';

const SHORTEST_MS = 1_000;
/** Every daily quota begins anew by then, whatever a service asks for. */
const LONGEST_MS = 25 * 3_600_000;
const RATE_MS = 10_000;
const UNKNOWN_MS = 60_000;
/** A clock may be a little behind the service's. */
const GRACE_MS = 1_000;

/** How long a service that has had enough is left alone, ms: as it asks, within reason. */
export function waitMs({ retryAfterSec, limit }: ClientError): number {
  if (retryAfterSec !== null) return Math.min(Math.max(retryAfterSec * 1_000, SHORTEST_MS), LONGEST_MS);
  return limit === 'rate' ? RATE_MS : UNKNOWN_MS;
}

/** What a refusal for too many questions means, once the service's own figures of the limit are known. */
export function quotaPause(
  error: ClientError,
  { dailyLimit, remainingToday, resetsAt, perSecond }: RateLimitsView,
  now: number,
  until: number | null,
): { readonly error: ClientError; readonly until: number | null } {
  const { endpoint, status, retryAfterSec, details, raw, errorCode } = error;
  const context = { endpoint, status, retryAfterSec, details, raw, errorCode };
  if (remainingToday === 0) {
    const figures = dailyLimit === null ? '' : ` (${formatCount(dailyLimit)} of ${formatCount(dailyLimit)})`;
    return {
      error: new ClientError('quota', `the daily quota of this key is used up${figures}`, {
        ...context,
        limit: 'daily',
      }),
      until:
        retryAfterSec === null && resetsAt !== null && resetsAt > now
          ? Math.min(resetsAt + GRACE_MS, now + LONGEST_MS)
          : until,
    };
  }
  if (remainingToday === null || error.limit !== null) return { error, until };
  const allowed = perSecond === null ? '' : ` (${perSecond} a second)`;
  return {
    error: new ClientError('quota', `more questions at once than this key may ask${allowed}`, {
      ...context,
      limit: 'rate',
    }),
    until: retryAfterSec === null ? Math.min(until ?? now + RATE_MS, now + RATE_MS) : until,
  };
}
