import { ApiFailure } from '../http/api-failure.ts';
import type { Plan } from './plans.ts';

const RETRY_SEC = 2;

export const keyMissing = () =>
  new ApiFailure(
    'api_key_missing',
    'send your key in the x-api-key header; the operator of this service makes one with gastop keys create',
  );

export const keyMistyped = () =>
  new ApiFailure(
    'api_key_invalid',
    'this is not a whole gastop key: characters are missing, wrong or too many; copy it again',
  );

export const keyUnknown = () =>
  new ApiFailure(
    'api_key_invalid',
    'there is no such key on this service; check which service it is for, or ask its operator for a new one',
  );

export const keyRotated = () =>
  new ApiFailure('api_key_revoked', 'this key was rotated; use the new one, or ask the operator for it');

export const keyRevoked = () =>
  new ApiFailure('api_key_revoked', 'this key was revoked; ask the operator of the service for a new one');

export const planGone = (plan: string) =>
  new ApiFailure(
    'plan_forbidden',
    `this service does not know the plan "${plan}" of the key; ask its operator to configure it, or for another key`,
  );

export const groupForbidden = ({ name, groups }: Plan, group: string) =>
  new ApiFailure(
    'plan_forbidden',
    `the plan "${name}" may use ${groups.join(', ')}, not ${group}; ask the operator of the service for another plan`,
  );

/** `waitMs` until the next request. */
export function tooFast({ name, perSecond }: Plan, waitMs: number): ApiFailure {
  const sec = Math.max(1, Math.ceil(waitMs / 1_000));
  return new ApiFailure(
    'rate_limit_exceeded',
    `this key asks more than ${perSecond === 1 ? 'once' : `${perSecond} times`} per second, the limit of the plan "${name}"; ask again in ${sec} s`,
    { headers: { 'Retry-After': String(sec) } },
  );
}

/** `resetsAt` and `now` in ms since epoch. */
export function quotaUsedUp({ name, dailyLimit }: Plan, resetsAt: number, now: number): ApiFailure {
  const sec = Math.max(1, Math.ceil((resetsAt - now) / 1_000));
  const allowed =
    dailyLimit === 1 ? 'the one request per day' : `the ${dailyLimit?.toLocaleString('en')} requests per day`;
  const until = new Date(resetsAt).toISOString().replace('.000', '');
  return new ApiFailure(
    'rate_limit_exceeded',
    `${allowed} of the plan "${name}" ${dailyLimit === 1 ? 'is' : 'are'} used up; ask again from ${until} on`,
    { headers: { 'Retry-After': String(sec) } },
  );
}

export const keysUnreadable = (cause: unknown) =>
  new ApiFailure(
    'upstream_unavailable',
    `keys cannot be checked at the moment; ask again in ${RETRY_SEC} s`,
    {
      headers: { 'Retry-After': String(RETRY_SEC) },
      cause,
    },
  );

export const gateClosed = () =>
  new ApiFailure('upstream_unavailable', 'the service is being stopped; ask again later', {
    headers: { 'Retry-After': String(RETRY_SEC) },
  });
