import type { HonoRequest } from 'hono';
import type { RateLimits } from '../../contract/dashboard.ts';
import { API_KEY_HEADER, type RouteGroup } from '../../contract/routes.ts';
import { DAY_MS } from '../../core/time.ts';

interface Admission {
  /** The key's public id, for logs; `null` when no key is needed. */
  readonly keyId: string | null;
  readonly limits?: RateLimits;
}

/** Controls access to v1 and its rate. */
export interface Gate {
  /** Counts one request of `key`, stored once this resolves, or refuses it. @throws {ApiFailure} also while keys cannot be read */
  admit(request: { readonly key: string | null; readonly group: RouteGroup }): Promise<Admission>;
  /** The remaining quota of `key`, which is checked like any other request, without counting. @throws like {@link admit} */
  limits(key: string | null): Promise<Required<Admission>>;
  /** The plan of `key`, uncounted; `null` when it may request nothing; absent when no key is needed. @throws like {@link admit} */
  identify?(key: string | null): Promise<object | null>;
  /** The ids among `keyIds` that were revoked or are gone; absent when no key is needed. @throws {StoreError} */
  withdrawn?(keyIds: readonly string[]): Promise<readonly string[]>;
  /** Resolves while requests can be admitted; absent when no key is needed. @throws {StoreError} */
  check?(): Promise<void>;
}

/** Where Etherscan's clients put their key. */
export const KEY_PARAMETER = 'apikey';

/**
 * The key of a request: in `x-api-key`; on a compat route else where the clients of other services put theirs: in the query, or in
 * `Authorization`, bare, as a bearer token or as the user of basic authentication.
 */
export function keyOf(request: HonoRequest, isCompat: boolean): string | null {
  const own = request.header(API_KEY_HEADER);
  if (own !== undefined || !isCompat) return own ?? null;
  const named = request.query(KEY_PARAMETER);
  if (named !== undefined) return named;
  const authorization = request.header('authorization')?.trim() ?? '';
  const [, scheme = '', given = ''] = /^(?:(bearer|basic) +)?(.*)$/i.exec(authorization) ?? [];
  if (scheme.toLowerCase() !== 'basic') return given === '' ? null : given;
  return Buffer.from(given, 'base64').toString().split(':')[0] ?? null;
}

/** For a cache that all keys share. */
export function withoutKey(url: string): string {
  if (!url.includes(KEY_PARAMETER)) return url;
  const bare = new URL(url);
  bare.searchParams.delete(KEY_PARAMETER);
  return bare.href;
}

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
