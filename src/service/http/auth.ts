import type { RateLimits } from '../../contract/dashboard.ts';
import type { RouteGroup } from '../../contract/routes.ts';

export interface Admission {
  /** The key's public id, for logs; `null` when no key is needed. */
  readonly keyId: string | null;
  readonly limits?: RateLimits;
}

/** Controls access to v1 and its rate. */
export interface Gate {
  /** Counts one request of `key`, kept once this resolves, or refuses it. @throws {ApiFailure} also while keys cannot be read */
  admit(request: { readonly key: string | null; readonly group: RouteGroup }): Promise<Admission>;
  /** The remaining quota of `key`, which is checked like any other request, without counting. @throws like {@link admit} */
  limits(key: string | null): Promise<Required<Admission>>;
  /** The ids among `keyIds` that were revoked or are gone; absent when no key is needed. @throws {StoreError} */
  withdrawn?(keyIds: readonly string[]): Promise<readonly string[]>;
  /** Resolves while requests can be admitted; absent when no key is needed. @throws {StoreError} */
  check?(): Promise<void>;
}

const DAY_MS = 86_400_000;

/** The gate of a service for its own process: no key, no limit, but counted. */
export function createOpenGate(wallNow: () => number): Gate {
  let day = 0;
  let used = 0;
  const today = () => {
    const now = Math.floor(wallNow() / DAY_MS);
    if (now !== day) used = 0;
    day = now;
    return now;
  };
  const none = { plan: 'embedded', dailyLimit: null, remainingToday: null, perSecond: null };
  return {
    admit: async () => {
      today();
      used += 1;
      return { keyId: null };
    },
    limits: async () => {
      const resetsAt = new Date((today() + 1) * DAY_MS).toISOString();
      return { keyId: null, limits: { ...none, usedToday: used, resetsAt } };
    },
  };
}
