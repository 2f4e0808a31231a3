import { timingSafeEqual } from 'node:crypto';
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { RouteGroup } from '../../contract/routes.ts';
import { DAY_MS } from '../../core/time.ts';
import { KeyStore } from '../../store/api-keys.ts';
import { openUsageDatabase } from '../../store/database.ts';
import type { KeyRow } from '../../store/tables.ts';
import type { Gate } from '../http/auth.ts';
import { ApiFailure, unavailable } from '../http/errors.ts';
import { TokenBuckets } from '../token-buckets.ts';
import { type ApiKey, hashKey, type Plan, type Plans, readKey } from './api-keys.ts';

const RETRY_SEC = 2;
const SECOND_MS = 1_000;
const KEEP_USAGE_DAYS = 400;

/** `waitMs`: time until the next request is allowed. */
export function tooFast({ name, perSecond }: Plan, waitMs: number): ApiFailure {
  const retrySec = Math.max(1, Math.ceil(waitMs / 1_000));
  const often = perSecond === 1 ? 'once' : `${perSecond} times`;
  return new ApiFailure(
    'rate_limit_exceeded',
    `this key asks more than ${often} per second, the limit of the plan "${name}"; ask again in ${retrySec} s`,
    { retrySec },
  );
}

/** `resetsAt` and `now` in ms since epoch. */
export function quotaUsedUp({ name, dailyLimit }: Plan, resetsAt: number, now: number): ApiFailure {
  const isOne = dailyLimit === 1;
  const allowed = isOne ? 'the one request' : `the ${dailyLimit?.toLocaleString('en')} requests`;
  const until = new Date(resetsAt).toISOString().replace('.000', '');
  return new ApiFailure(
    'rate_limit_exceeded',
    `${allowed} per day of the plan "${name}" ${isOne ? 'is' : 'are'} used up; ask again from ${until} on`,
    { retrySec: Math.max(1, Math.ceil((resetsAt - now) / 1_000)) },
  );
}

/** Matches no key: no input is known whose SHA-256 is all zeros. */
const NO_HASH = '0'.repeat(64);

/** The key in the header, if it is well-formed. @throws {ApiFailure} */
function wholeKey(header: string | null): ApiKey {
  const text = header?.trim() ?? '';
  if (text === '') {
    throw new ApiFailure(
      'api_key_missing',
      'send your key in the x-api-key header; the operator of this service makes one with gastop keys create',
    );
  }
  const key = readKey(text);
  if (key !== null) return key;
  throw new ApiFailure(
    'api_key_invalid',
    'this is not a whole gastop key: characters are missing, wrong or too many; copy it again',
  );
}

/** The row of `key`, if its hash matches. An unknown id takes as long as a wrong secret. @throws {ApiFailure} */
function checkKey(key: ApiKey, row: KeyRow | undefined): KeyRow {
  const hash = hashKey(key);
  const isCurrent = isHash(hash, row?.hash ?? NO_HASH);
  // A row may have one secret as both: the current one counts.
  const isPrevious = isHash(hash, row?.previous_hash ?? NO_HASH) && !isCurrent;
  if (row === undefined || !(isCurrent || isPrevious)) {
    throw new ApiFailure(
      'api_key_invalid',
      'there is no such key on this service; check which service it is for, or ask its operator for a new one',
    );
  }
  const revoked = 'this key was revoked; ask the operator of the service for a new one';
  if (row.revoked_at !== null) throw new ApiFailure('api_key_revoked', revoked);
  const rotated = 'this key was rotated; use the new one, or ask the operator for it';
  if (isPrevious) throw new ApiFailure('api_key_revoked', rotated);
  return row;
}

function isHash(hash: Buffer, stored: string): boolean {
  const expected = Buffer.from(stored, 'hex');
  // A modified row may have a hash of any length.
  return expected.length === hash.length && timingSafeEqual(hash, expected);
}

/** The plan of a key, if it may use `group` (`null`: any plan). @throws {ApiFailure} `plan_forbidden` */
function planOf(row: KeyRow, plans: Plans, group: RouteGroup | null): Plan {
  const plan = plans.get(row.plan);
  if (plan === undefined) {
    throw new ApiFailure(
      'plan_forbidden',
      `this service does not know the plan "${row.plan}" of the key; ask its operator to configure it, or for another key`,
    );
  }
  if (group === null || plan.groups.includes(group)) return plan;
  throw new ApiFailure(
    'plan_forbidden',
    `the plan "${plan.name}" may use ${plan.groups.join(', ')}, not ${group}; ask the operator of the service for another plan`,
  );
}

/** A server is asked in larger batches for it, which cost it and this process no more than small ones. */
const GATHER_MS = 2;

interface KeyGateOptions {
  readonly store: KeyStore;
  /** A function is evaluated for each request, as settings may change. */
  readonly plans: Plans | (() => Plans);
  /** Ms since epoch. */
  readonly wallNow?: () => number;
  /** Receives database errors; clients are only told to retry. */
  readonly onError?: (error: unknown) => void;
}

export interface KeyGate extends Gate {
  /** A key's plan, uncounted; `null` when it may request nothing. @throws {ApiFailure} `upstream_unavailable` */
  identify(key: string | null): Promise<{ readonly keyId: string; readonly plan: Plan } | null>;
  /** Whether there is any active key. @throws {StoreError} */
  hasKeys(): Promise<boolean>;
  /** Completes pending requests, then closes the keys' database. Later requests are refused. */
  close(): Promise<void>;
}

interface PendingRequest {
  readonly key: ApiKey;
  readonly group: RouteGroup;
  resolve(): void;
  reject(failure: ApiFailure): void;
}

/**
 * Plans, requests per second, requests per day. Keys are read again for each batch of requests, so that a revocation
 * takes effect at once; the daily count is in the database, exact over restarts and processes. The limit per second is
 * per process with a file, and shared by all processes on a server.
 */
export function createKeyGate({
  store,
  plans,
  wallNow = Date.now,
  onError = () => {},
}: KeyGateOptions): KeyGate {
  const buckets = new TokenBuckets(wallNow);
  const plansNow = typeof plans === 'function' ? plans : () => plans;
  let waiting: PendingRequest[] = [];
  let running: Promise<void> | null = null;
  let closing: Promise<void> | null = null;
  let prunedOn: number | null = null;

  const today = () => Math.floor(wallNow() / DAY_MS);

  function takeToken(keyId: string, plan: Plan): void {
    const { perSecond } = plan;
    const waitMs = perSecond === null ? 0 : buckets.take(keyId, { perSecond });
    if (waitMs > 0) throw tooFast(plan, waitMs);
  }

  /** Decides on all requests of one turn of the event loop, and those that come meanwhile, with few transactions. */
  async function run(): Promise<void> {
    // Requests are parsed before this: all that arrived in this turn are in the batch.
    await setImmediate();
    while (waiting.length > 0) {
      const requests = waiting;
      waiting = [];
      // Uncounted requests are refused; those already granted are not affected.
      await decide(requests).catch((error) => {
        const failure = toFailure(error);
        for (const request of requests) request.reject(failure);
      });
      if (waiting.length > 0) await (store.isOnServer ? setTimeout(GATHER_MS) : setImmediate());
    }
    running = null;
  }

  async function decide(requests: readonly PendingRequest[]): Promise<void> {
    const rows = await store.find([...new Set(requests.map(({ key }) => key.id))]);
    const wanted = new Map<string, { readonly plan: Plan; readonly requests: PendingRequest[] }>();
    // Concurrent requests often have the same key, which is checked once.
    const checked = new Map<string, KeyRow>();
    for (const request of requests) {
      const { key, group } = request;
      try {
        const row = checked.get(key.text) ?? checkKey(key, rows.get(key.id));
        checked.set(key.text, row);
        const plan = planOf(row, plansNow(), group);
        takeToken(key.id, plan);
        const same = wanted.get(key.id);
        if (same === undefined) wanted.set(key.id, { plan, requests: [request] });
        else same.requests.push(request);
      } catch (error) {
        request.reject(toFailure(error));
      }
    }
    if (wanted.size === 0) return;
    const day = today();
    const wishes = Array.from(wanted, ([keyId, { plan, requests }]) => {
      const { dailyLimit: limit, perSecond } = plan;
      return { keyId, plan, requests, count: requests.length, limit, perSecond };
    });
    const granted = await store.spend(day, wishes);
    for (const { keyId, plan, requests } of wishes) {
      const { count, isTooFast } = granted.get(keyId) ?? { count: 0, isTooFast: false };
      for (const [index, request] of requests.entries()) {
        if (index < count) request.resolve();
        else if (isTooFast) request.reject(tooFast(plan, SECOND_MS));
        else request.reject(quotaUsedUp(plan, (day + 1) * DAY_MS, wallNow()));
      }
    }
    if (prunedOn === day) return;
    prunedOn = day;
    await store.forgetUsageBefore(day - KEEP_USAGE_DAYS).catch(onError);
  }

  function toFailure(error: unknown): ApiFailure {
    if (error instanceof ApiFailure) return error;
    onError(error);
    return unavailable(`keys cannot be checked at the moment; ask again in ${RETRY_SEC} s`, RETRY_SEC);
  }

  function requireOpen(): void {
    if (closing !== null) throw unavailable('the service is being stopped; ask again later', RETRY_SEC);
  }

  /** Checks a key without counting. */
  async function check(key: ApiKey) {
    try {
      const row = checkKey(key, (await store.find([key.id])).get(key.id));
      return { keyId: key.id, plan: planOf(row, plansNow(), null) };
    } catch (error) {
      throw toFailure(error);
    }
  }

  return {
    async admit({ key: header, group }) {
      requireOpen();
      const key = wholeKey(header);
      await new Promise<void>((resolve, reject) => {
        waiting.push({ key, group, resolve, reject });
        running ??= run();
      });
      return { keyId: key.id };
    },

    async limits(header) {
      requireOpen();
      const { keyId, plan } = await check(wholeKey(header));
      takeToken(keyId, plan);
      const day = today();
      const used = await store.usedOn(day, keyId).catch((error) => {
        throw toFailure(error);
      });
      const { name, dailyLimit, perSecond } = plan;
      const remainingToday = dailyLimit === null ? null : Math.max(0, dailyLimit - used);
      const resetsAt = new Date((day + 1) * DAY_MS).toISOString();
      const limits = { plan: name, dailyLimit, usedToday: used, remainingToday, resetsAt, perSecond };
      return { keyId, limits };
    },

    async identify(header) {
      requireOpen();
      const key = readKey(header?.trim() ?? '');
      return (
        key &&
        check(key).catch((failure: ApiFailure) => {
          if (failure.code === 'upstream_unavailable') throw failure;
          return null;
        })
      );
    },

    async withdrawn(keyIds) {
      const rows = await store.find(keyIds);
      return keyIds.filter((id) => rows.get(id)?.revoked_at !== null);
    },

    check: () => store.check(),

    hasKeys: () => store.hasActive(),

    close() {
      closing ??= Promise.resolve(running).then(() => store.close());
      return closing;
    },
  };
}

/** The gate over the keys in `file` (or on PostgreSQL), which is created if missing. @throws {StoreError} */
export async function openKeyGate({
  file,
  ...options
}: Omit<KeyGateOptions, 'store'> & { readonly file: string }): Promise<KeyGate> {
  return createKeyGate({ ...options, store: new KeyStore(await openUsageDatabase(file)) });
}
