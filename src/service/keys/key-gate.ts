import { timingSafeEqual } from 'node:crypto';
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { RateLimits } from '../../contract/dashboard.ts';
import type { RouteGroup } from '../../contract/routes.ts';
import { KeyStore } from '../../store/api-keys.ts';
import { openUsageDatabase } from '../../store/database.ts';
import type { KeyRow } from '../../store/tables.ts';
import type { Gate } from '../http/auth.ts';
import { ApiFailure } from '../http/errors.ts';
import { type ApiKey, hashKey, type Plan, type Plans, readKey } from './api-keys.ts';

const RETRY_SEC = 2;

const keyMissing = () =>
  new ApiFailure(
    'api_key_missing',
    'send your key in the x-api-key header; the operator of this service makes one with gastop keys create',
  );

const keyMistyped = () =>
  new ApiFailure(
    'api_key_invalid',
    'this is not a whole gastop key: characters are missing, wrong or too many; copy it again',
  );

const keyUnknown = () =>
  new ApiFailure(
    'api_key_invalid',
    'there is no such key on this service; check which service it is for, or ask its operator for a new one',
  );

const keyRotated = () =>
  new ApiFailure('api_key_revoked', 'this key was rotated; use the new one, or ask the operator for it');

const keyRevoked = () =>
  new ApiFailure('api_key_revoked', 'this key was revoked; ask the operator of the service for a new one');

const planGone = (plan: string) =>
  new ApiFailure(
    'plan_forbidden',
    `this service does not know the plan "${plan}" of the key; ask its operator to configure it, or for another key`,
  );

const groupForbidden = ({ name, groups }: Plan, group: string) =>
  new ApiFailure(
    'plan_forbidden',
    `the plan "${name}" may use ${groups.join(', ')}, not ${group}; ask the operator of the service for another plan`,
  );

/** `waitMs`: time until the next request is allowed. */
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

const keysUnreadable = (cause: unknown) =>
  new ApiFailure(
    'upstream_unavailable',
    `keys cannot be checked at the moment; ask again in ${RETRY_SEC} s`,
    {
      headers: { 'Retry-After': String(RETRY_SEC) },
      cause,
    },
  );

const gateClosed = () =>
  new ApiFailure('upstream_unavailable', 'the service is being stopped; ask again later', {
    headers: { 'Retry-After': String(RETRY_SEC) },
  });

/** Matches no key: no input is known whose SHA-256 is all zeros. */
const NO_HASH = '0'.repeat(64);

/** The key in the header, if it is well-formed. @throws {ApiFailure} `api_key_missing`, `api_key_invalid` */
function wholeKey(header: string | null): ApiKey {
  if (header === null || header.trim() === '') throw keyMissing();
  const key = readKey(header.trim());
  if (key === null) throw keyMistyped();
  return key;
}

/**
 * The row of `key`, if its hash matches. An unknown id takes the same path as a wrong secret, so that the response
 * time reveals nothing.
 * @throws {ApiFailure} `api_key_invalid`, `api_key_revoked`
 */
function checkKey(key: ApiKey, row: KeyRow | undefined): KeyRow {
  const hash = hashKey(key);
  const isCurrent = isHash(hash, row?.hash ?? NO_HASH);
  const isPrevious = isHash(hash, row?.previous_hash ?? NO_HASH);
  if (row === undefined || !(isCurrent || isPrevious)) throw keyUnknown();
  if (row.revoked_at !== null) throw keyRevoked();
  if (isPrevious) throw keyRotated();
  return row;
}

/** The plan of a key, if it may use `group` (`null`: any plan). @throws {ApiFailure} `plan_forbidden` */
function planOf(row: KeyRow, plans: Plans, group: RouteGroup | null): Plan {
  const plan = plans.get(row.plan);
  if (plan === undefined) throw planGone(row.plan);
  if (group !== null && !plan.groups.includes(group)) throw groupForbidden(plan, group);
  return plan;
}

function isHash(hash: Buffer, kept: string): boolean {
  const expected = Buffer.from(kept, 'hex');
  // A modified row may have a hash of any length.
  return expected.length === hash.length && timingSafeEqual(hash, expected);
}

/** Token bucket: allows `perSecond` requests each second, and as many at once after an idle second. */
class TokenBucket {
  readonly #perSecond: number;
  readonly #size: number;
  #tokens: number;
  #filledAt: number;

  /** `now` in ms. */
  constructor(perSecond: number, now: number) {
    this.#perSecond = perSecond;
    // A plan of one request in ten seconds still needs a whole token.
    this.#size = Math.max(1, perSecond);
    this.#tokens = this.#size;
    this.#filledAt = now;
  }

  /** Takes a token at `now` (ms); returns 0, or the ms until the next one. */
  take(now: number): number {
    // A clock that was set back must not take tokens away.
    const passedMs = Math.max(0, now - this.#filledAt);
    this.#filledAt = now;
    this.#tokens = Math.min(this.#size, this.#tokens + (passedMs * this.#perSecond) / 1_000);
    // Rounding: tenths of ms may add up to slightly less than a token.
    if (this.#tokens < 1 - 1e-9) return ((1 - this.#tokens) * 1_000) / this.#perSecond;
    this.#tokens -= 1;
    return 0;
  }
}

/** A server is asked in larger batches for it, which cost it and this process no more than small ones. */
const GATHER_MS = 2;
const gatherForServer = () => setTimeout(GATHER_MS);

/**
 * Batches items of one turn of the event loop, and those added while a batch runs, with what comes until `gather`
 * resolves: a hundred requests that arrive at once cost one transaction.
 */
class TurnBatch<Item> {
  readonly #work: (items: readonly Item[]) => Promise<void>;
  readonly #gather: () => Promise<unknown>;
  #waiting: Item[] = [];
  #running: Promise<void> | null = null;

  /** `work` settles each item itself and never rejects. */
  constructor(work: (items: readonly Item[]) => Promise<void>, gather: () => Promise<unknown>) {
    this.#work = work;
    this.#gather = gather;
  }

  add(item: Item): void {
    this.#waiting.push(item);
    this.#running ??= this.#run();
  }

  /** Resolves when all added items are done. */
  async settled(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  async #run(): Promise<void> {
    // Requests are parsed before this: all that arrived in this turn are in the batch.
    await setImmediate();
    while (this.#waiting.length > 0) {
      const items = this.#waiting;
      this.#waiting = [];
      await this.#work(items);
      if (this.#waiting.length > 0) await this.#gather();
    }
    this.#running = null;
  }
}

const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;
const KEEP_USAGE_DAYS = 400;

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
  /**
   * The row of a key, uncounted; `null` when the key may request nothing, for reasons that the routes report.
   * @throws {ApiFailure} `upstream_unavailable`
   */
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

interface Wanted {
  readonly keyId: string;
  readonly plan: Plan;
  readonly requests: PendingRequest[];
}

/**
 * The gate of a service with API keys: plans, requests per second, requests per day. Keys are read again for each
 * batch of requests, so that a revocation by another process takes effect at once; the daily count is in the
 * database, so that it is exact over restarts and several processes. The limit per second is per process with a file,
 * and shared by all processes on a server.
 */
export function createKeyGate({
  store,
  plans,
  wallNow = Date.now,
  onError = () => {},
}: KeyGateOptions): KeyGate {
  const buckets = new Map<string, { readonly bucket: TokenBucket; readonly plan: Plan }>();
  const plansNow = typeof plans === 'function' ? plans : () => plans;
  let closing: Promise<void> | null = null;
  let prunedOn: number | null = null;

  const today = () => Math.floor(wallNow() / DAY_MS);

  function takeToken(keyId: string, plan: Plan): void {
    if (plan.perSecond === null) return;
    let kept = buckets.get(keyId);
    // The key's plan may have changed.
    if (kept?.plan !== plan) {
      kept = { bucket: new TokenBucket(plan.perSecond, wallNow()), plan };
      buckets.set(keyId, kept);
    }
    const waitMs = kept.bucket.take(wallNow());
    if (waitMs > 0) throw tooFast(plan, waitMs);
  }

  async function decide(requests: readonly PendingRequest[]): Promise<void> {
    try {
      const rows = await store.find([...new Set(requests.map(({ key }) => key.id))]);
      const wanted = new Map<string, Wanted>();
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
          if (same === undefined) wanted.set(key.id, { keyId: key.id, plan, requests: [request] });
          else same.requests.push(request);
        } catch (error) {
          request.reject(toFailure(error));
        }
      }
      await count(wanted.values());
    } catch (error) {
      // Uncounted requests are refused; those already granted are not affected.
      const failure = toFailure(error);
      for (const request of requests) request.reject(failure);
    }
  }

  async function count(wanted: Iterable<Wanted>): Promise<void> {
    const day = today();
    const wishes = Array.from(wanted, (each) => ({
      ...each,
      count: each.requests.length,
      limit: each.plan.dailyLimit,
      perSecond: each.plan.perSecond,
    }));
    if (wishes.length === 0) return;
    const whole = await store.spendWhole(day, wishes);
    const rest: typeof wishes = [];
    for (const wish of wishes) {
      if (whole.has(wish.keyId)) for (const request of wish.requests) request.resolve();
      else rest.push(wish);
    }
    const granted = rest.length === 0 ? null : await store.spend(day, rest);
    for (const { keyId, plan, requests } of rest) {
      const { count: through = 0, isTooFast = false } = granted?.get(keyId) ?? {};
      for (const [index, request] of requests.entries()) {
        if (index < through) request.resolve();
        else if (isTooFast) request.reject(tooFast(plan, SECOND_MS));
        else request.reject(quotaUsedUp(plan, (day + 1) * DAY_MS, wallNow()));
      }
    }
    if (prunedOn !== day) await prune(day);
  }

  async function prune(day: number): Promise<void> {
    prunedOn = day;
    await store.forgetUsageBefore(day - KEEP_USAGE_DAYS).catch(onError);
  }

  function toFailure(error: unknown): ApiFailure {
    if (error instanceof ApiFailure) return error;
    onError(error);
    return keysUnreadable(error);
  }

  const batch = new TurnBatch(decide, store.isOnServer ? gatherForServer : () => setImmediate());

  return {
    async admit({ key: header, group }) {
      if (closing !== null) throw gateClosed();
      const key = wholeKey(header);
      await new Promise<void>((resolve, reject) => batch.add({ key, group, resolve, reject }));
      return { keyId: key.id };
    },

    async limits(header, onAdmitted) {
      if (closing !== null) throw gateClosed();
      const key = wholeKey(header);
      try {
        const row = checkKey(key, (await store.find([key.id])).get(key.id));
        const plan = planOf(row, plansNow(), null);
        takeToken(key.id, plan);
        onAdmitted?.({ keyId: key.id });
        const day = today();
        return rateLimits(plan, await store.usedOn(day, key.id), day);
      } catch (error) {
        throw toFailure(error);
      }
    },

    async identify(header) {
      if (closing !== null) throw gateClosed();
      const key = readKey(header?.trim() ?? '');
      if (key === null) return null;
      try {
        const row = checkKey(key, (await store.find([key.id])).get(key.id));
        return { keyId: key.id, plan: planOf(row, plansNow(), null) };
      } catch (error) {
        const failure = toFailure(error);
        if (failure.code === 'upstream_unavailable') throw failure;
        return null;
      }
    },

    async withdrawn(keyIds) {
      const rows = await store.find(keyIds);
      return keyIds.filter((id) => (rows.get(id)?.revoked_at ?? null) !== null || !rows.has(id));
    },

    hasKeys: () => store.hasActive(),

    close() {
      closing ??= batch.settled().then(() => store.close());
      return closing;
    },
  };
}

function rateLimits({ name, dailyLimit, perSecond }: Plan, used: number, day: number): RateLimits {
  return {
    plan: name,
    dailyLimit,
    usedToday: used,
    remainingToday: dailyLimit === null ? null : Math.max(0, dailyLimit - used),
    resetsAt: new Date((day + 1) * DAY_MS).toISOString(),
    perSecond,
  };
}

/**
 * The gate over the keys in `file` (or on PostgreSQL), which is created if missing. @throws {StoreError} when it
 * cannot be opened.
 */
export async function openKeyGate({
  file,
  ...options
}: Omit<KeyGateOptions, 'store'> & { readonly file: string }): Promise<KeyGate> {
  return createKeyGate({ ...options, store: new KeyStore(await openUsageDatabase(file)) });
}
