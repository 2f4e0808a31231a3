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
function quotaUsedUp({ name, dailyLimit }: Plan, resetsAt: number, now: number): ApiFailure {
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

interface PendingRequest {
  readonly key: ApiKey;
  readonly group: RouteGroup;
  resolve(): void;
  reject(failure: ApiFailure): void;
}

/** Requests of one key that its plan allows, to be counted. */
interface CountedRequests {
  readonly keyId: string;
  readonly plan: Plan;
  readonly requests: PendingRequest[];
}

/**
 * Plans, requests per second, requests per day. Keys are read again for each batch of requests, so that a revocation
 * takes effect at once; the daily count is in the database, exact over restarts and processes. The limit per second is
 * per process with a file, and shared by all processes on a server.
 */
export class KeyGate implements Gate {
  readonly #store: KeyStore;
  readonly #plans: () => Plans;
  readonly #wallNow: () => number;
  readonly #onError: (error: unknown) => void;
  readonly #buckets: TokenBuckets;
  #waiting: PendingRequest[] = [];
  #running: Promise<void> | null = null;
  #closing: Promise<void> | null = null;
  #prunedOn: number | null = null;

  constructor({ store, plans, wallNow = Date.now, onError = () => {} }: KeyGateOptions) {
    this.#store = store;
    this.#plans = typeof plans === 'function' ? plans : () => plans;
    this.#wallNow = wallNow;
    this.#onError = onError;
    this.#buckets = new TokenBuckets(wallNow);
  }

  async admit({ key: header, group }: Parameters<Gate['admit']>[0]) {
    this.#requireOpen();
    const key = wholeKey(header);
    await new Promise<void>((resolve, reject) => {
      this.#waiting.push({ key, group, resolve, reject });
      this.#running ??= this.#run();
    });
    return { keyId: key.id };
  }

  async limits(header: string | null) {
    this.#requireOpen();
    const { keyId, plan } = await this.#check(wholeKey(header));
    this.#takeToken(keyId, plan);
    const day = this.#today();
    const usedToday = await this.#store.usedOn(day, keyId).catch((error) => {
      throw this.#toFailure(error);
    });
    const { name, dailyLimit, perSecond } = plan;
    const remainingToday = dailyLimit === null ? null : Math.max(0, dailyLimit - usedToday);
    const resetsAt = new Date((day + 1) * DAY_MS).toISOString();
    return { keyId, limits: { plan: name, dailyLimit, usedToday, remainingToday, resetsAt, perSecond } };
  }

  /** A key's plan, uncounted; `null` when it may request nothing. @throws {ApiFailure} `upstream_unavailable` */
  async identify(header: string | null): Promise<{ readonly keyId: string; readonly plan: Plan } | null> {
    this.#requireOpen();
    const key = readKey(header?.trim() ?? '');
    if (key === null) return null;
    return this.#check(key).catch((failure: ApiFailure) => {
      if (failure.code === 'upstream_unavailable') throw failure;
      return null;
    });
  }

  async withdrawn(keyIds: readonly string[]): Promise<readonly string[]> {
    const rows = await this.#store.find(keyIds);
    return keyIds.filter((id) => rows.get(id)?.revoked_at !== null);
  }

  check(): Promise<void> {
    return this.#store.check();
  }

  /** Whether there is any active key. @throws {StoreError} */
  hasKeys(): Promise<boolean> {
    return this.#store.hasActive();
  }

  /** Completes pending requests, then closes the keys' database. Later requests are refused. */
  close(): Promise<void> {
    this.#closing ??= Promise.resolve(this.#running).then(() => this.#store.close());
    return this.#closing;
  }

  #requireOpen(): void {
    if (this.#closing !== null) throw unavailable('the service is being stopped; ask again later', RETRY_SEC);
  }

  #today(): number {
    return Math.floor(this.#wallNow() / DAY_MS);
  }

  #toFailure(error: unknown): ApiFailure {
    if (error instanceof ApiFailure) return error;
    this.#onError(error);
    return unavailable(`keys cannot be checked at the moment; ask again in ${RETRY_SEC} s`, RETRY_SEC);
  }

  /** Checks a key without counting. */
  async #check(key: ApiKey) {
    try {
      const row = checkKey(key, (await this.#store.find([key.id])).get(key.id));
      return { keyId: key.id, plan: planOf(row, this.#plans(), null) };
    } catch (error) {
      throw this.#toFailure(error);
    }
  }

  #takeToken(keyId: string, plan: Plan): void {
    const { perSecond } = plan;
    const waitMs = perSecond === null ? 0 : this.#buckets.take(keyId, { perSecond });
    if (waitMs > 0) throw tooFast(plan, waitMs);
  }

  /** Decides on all requests of one turn of the event loop, and those that come meanwhile, with few transactions. */
  async #run(): Promise<void> {
    // Requests are parsed before this: all that arrived in this turn are in the batch.
    await setImmediate();
    while (this.#waiting.length > 0) {
      const requests = this.#waiting;
      this.#waiting = [];
      // Uncounted requests are refused; those already granted are not affected.
      await this.#decide(requests).catch((error) => {
        const failure = this.#toFailure(error);
        for (const request of requests) request.reject(failure);
      });
      if (this.#waiting.length > 0) await (this.#store.isOnServer ? setTimeout(GATHER_MS) : setImmediate());
    }
    this.#running = null;
  }

  async #decide(requests: readonly PendingRequest[]): Promise<void> {
    const rows = await this.#store.find([...new Set(requests.map(({ key }) => key.id))]);
    const allowed = this.#allowed(requests, rows);
    if (allowed.length === 0) return;
    const day = this.#today();
    await this.#count(allowed, day);
    if (this.#prunedOn === day) return;
    this.#prunedOn = day;
    await this.#store.forgetUsageBefore(day - KEEP_USAGE_DAYS).catch(this.#onError);
  }

  /** The requests whose key, plan and rate allow them, by key; refuses the others. */
  #allowed(
    requests: readonly PendingRequest[],
    rows: ReadonlyMap<string, KeyRow>,
  ): readonly CountedRequests[] {
    const allowed = new Map<string, CountedRequests>();
    // Concurrent requests often have the same key, which is checked once.
    const checked = new Map<string, KeyRow>();
    for (const request of requests) {
      const { key, group } = request;
      try {
        const row = checked.get(key.text) ?? checkKey(key, rows.get(key.id));
        checked.set(key.text, row);
        const plan = planOf(row, this.#plans(), group);
        this.#takeToken(key.id, plan);
        const same = allowed.get(key.id);
        if (same === undefined) allowed.set(key.id, { keyId: key.id, plan, requests: [request] });
        else same.requests.push(request);
      } catch (error) {
        request.reject(this.#toFailure(error));
      }
    }
    return [...allowed.values()];
  }

  /** Admits as many requests of each key as its quota still allows; refuses the others. */
  async #count(wanted: readonly CountedRequests[], day: number): Promise<void> {
    const wishes = wanted.map(({ keyId, plan: { dailyLimit: limit, perSecond }, requests }) => {
      return { keyId, count: requests.length, limit, perSecond };
    });
    const granted = await this.#store.spend(day, wishes);
    for (const { keyId, plan, requests } of wanted) {
      const { count, isTooFast } = granted.get(keyId) ?? { count: 0, isTooFast: false };
      for (const [index, request] of requests.entries()) {
        if (index < count) request.resolve();
        else if (isTooFast) request.reject(tooFast(plan, SECOND_MS));
        else request.reject(quotaUsedUp(plan, (day + 1) * DAY_MS, this.#wallNow()));
      }
    }
  }
}

/** The gate over the keys in `file` (or on PostgreSQL), which is created if missing. @throws {StoreError} */
export async function openKeyGate({
  file,
  ...options
}: Omit<KeyGateOptions, 'store'> & { readonly file: string }): Promise<KeyGate> {
  return new KeyGate({ ...options, store: new KeyStore(await openUsageDatabase(file)) });
}
