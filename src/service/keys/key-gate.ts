import type { RateLimits } from '../../contract/dashboard.ts';
import type { RouteGroup } from '../../contract/routes.ts';
import type { KeyRow } from '../../store/key-schema.ts';
import type { KeyStore, Wish } from '../../store/key-store.ts';
import { ApiFailure } from '../http/api-failure.ts';
import type { Gate } from '../http/gate.ts';
import { checkKey, planOf, wholeKey } from './check-key.ts';
import type { ApiKey } from './key-format.ts';
import type { Plan, Plans } from './plans.ts';
import { gateClosed, keysUnreadable, quotaUsedUp, tooFast } from './refusals.ts';
import { TokenBucket } from './token-bucket.ts';
import { TurnBatch } from './turn-batch.ts';

const DAY_MS = 86_400_000;
const KEEP_USAGE_DAYS = 400;

export interface KeyGateOptions {
  readonly store: KeyStore;
  /** Asked anew for each request, where they may change. */
  readonly plans: Plans | (() => Plans);
  /** Ms since epoch. */
  readonly wallNow?: () => number;
  /** Told of a database that cannot be read or written; who asks is only told to come again. */
  readonly onError?: (error: unknown) => void;
}

export interface KeyGate extends Gate {
  /** Whether anybody has a key that works. @throws {StoreError} */
  hasKeys(): Promise<boolean>;
  /** Decides and writes what is pending, then closes the keys' file. Later requests are refused. */
  close(): Promise<void>;
}

interface Question {
  readonly key: ApiKey;
  readonly group: RouteGroup;
  resolve(): void;
  reject(failure: ApiFailure): void;
}

interface Granted {
  readonly plan: Plan;
  readonly questions: Question[];
}

/**
 * The gate of a service for others: keys, plans, requests per second, requests per day. Keys are read anew for each
 * batch of requests, so that a revocation in another process holds at once; the day's count is in the database, so
 * that it is exact over restarts and over several processes on one file. The limit per second is each process's own.
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
    // The key may have got another plan.
    if (kept?.plan !== plan) {
      kept = { bucket: new TokenBucket(plan.perSecond, wallNow()), plan };
      buckets.set(keyId, kept);
    }
    const waitMs = kept.bucket.take(wallNow());
    if (waitMs > 0) throw tooFast(plan, waitMs);
  }

  async function decide(questions: readonly Question[]): Promise<void> {
    try {
      const rows = await store.find([...new Set(questions.map(({ key }) => key.id))]);
      const wanted = new Map<string, Granted>();
      // Requests that come at once often come with the same key, which is checked once.
      const checked = new Map<string, KeyRow>();
      for (const question of questions) {
        const { key, group } = question;
        try {
          const row = checked.get(key.text) ?? checkKey(key, rows.get(key.id));
          checked.set(key.text, row);
          const plan = planOf(row, plansNow(), group);
          takeToken(key.id, plan);
          const same = wanted.get(key.id);
          if (same === undefined) wanted.set(key.id, { plan, questions: [question] });
          else same.questions.push(question);
        } catch (error) {
          question.reject(toFailure(error));
        }
      }
      await count(wanted);
    } catch (error) {
      // Never through uncounted: who has an answer already is not touched by this.
      const failure = toFailure(error);
      for (const question of questions) question.reject(failure);
    }
  }

  async function count(wanted: ReadonlyMap<string, Granted>): Promise<void> {
    const day = today();
    const wishes = [...wanted].map(
      ([keyId, { plan, questions }]): Wish => ({ keyId, count: questions.length, limit: plan.dailyLimit }),
    );
    const granted = await store.spend(day, wishes);
    for (const [keyId, { plan, questions }] of wanted) {
      const through = granted.get(keyId) ?? 0;
      for (const [index, question] of questions.entries()) {
        if (index < through) question.resolve();
        else question.reject(quotaUsedUp(plan, (day + 1) * DAY_MS, wallNow()));
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

  const batch = new TurnBatch(decide);

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
