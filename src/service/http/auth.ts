import type { MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import type { RateLimits } from '../../contract/dashboard.ts';
import {
  ADDED_ROUTES,
  API_KEY_HEADER,
  BASE_PATH,
  PATHS,
  type RouteGroup,
  V1_ROUTES,
} from '../../contract/routes.ts';
import { recordOf } from './record.ts';

/** An admitted request. */
interface Admission {
  /** The key's public id, for logs; `null` when no key is needed. */
  readonly keyId: string | null;
}

/** Controls access to v1 and its rate. */
export interface Gate {
  /**
   * Counts one request of `key`, or refuses it. A kill no longer loses the count when this resolves.
   * @throws {ApiFailure} `api_key_missing`, `api_key_invalid`, `api_key_revoked`, `plan_forbidden` or
   * `rate_limit_exceeded` with `Retry-After`; `upstream_unavailable` while keys cannot be read or counts not be
   * stored.
   */
  admit(request: { readonly key: string | null; readonly group: RouteGroup }): Promise<Admission>;
  /**
   * The remaining quota of `key`. Checks the key like any other request, without counting; calls `onAdmitted` with
   * its owner. @throws like {@link admit}
   */
  limits(key: string | null, onAdmitted?: (admission: Admission) => void): Promise<RateLimits>;
  /** The ids among `keyIds` that were revoked or are gone; absent when no key is needed. @throws {StoreError} */
  withdrawn?(keyIds: readonly string[]): Promise<readonly string[]>;
}

/** A route as the router has it, with its data for gate, log and metrics. */
interface ServedRoute {
  readonly template: string;
  readonly group: RouteGroup;
}

/** A path in the router's syntax: a parameter is `:name`. */
export const routerPath = (path: string) => path.replaceAll(/\{(\w+)\}/g, ':$1');

/** By path, in the router's syntax. */
const SERVED_ROUTES: ReadonlyMap<string, ServedRoute> = new Map(
  [...V1_ROUTES, ...ADDED_ROUTES].map(({ path, group }) => [
    routerPath(BASE_PATH + path),
    { template: BASE_PATH + path, group },
  ]),
);

declare module 'hono' {
  interface ContextVariableMap {
    /** The owner of alerts and auto-txs in a request: the key's public id, empty when no key is needed. */
    owner: string;
  }
}

const RATE_LIMITS = BASE_PATH + PATHS.rateLimits;

/**
 * Passes each request through the gate. Unknown paths and methods are not counted; nor is the request for rate
 * limits, whose route uses the gate itself.
 */
export function authorise(gate: Gate): MiddlewareHandler {
  return async (c, next) => {
    const method = c.req.method === 'HEAD' ? 'GET' : c.req.method;
    const record = recordOf(c.env);
    for (const matched of matchedRoutes(c)) {
      const route = SERVED_ROUTES.get(matched.path);
      if (route === undefined) continue;
      if (record !== null) record.route = route.template;
      if (matched.method !== method || route.template === RATE_LIMITS) continue;
      const key = c.req.header(API_KEY_HEADER) ?? null;
      const { keyId } = await gate.admit({ key, group: route.group });
      if (record !== null) record.keyId = keyId;
      c.set('owner', keyId ?? '');
      break;
    }
    await next();
  };
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
  return {
    admit: async () => {
      today();
      used += 1;
      return { keyId: null };
    },
    limits: async () => {
      const resetsAt = new Date((today() + 1) * DAY_MS).toISOString();
      return {
        plan: 'embedded',
        dailyLimit: null,
        usedToday: used,
        remainingToday: null,
        resetsAt,
        perSecond: null,
      };
    },
  };
}
