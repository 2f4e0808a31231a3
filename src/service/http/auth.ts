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

/** Who was let in. */
interface Admission {
  /** The key's public id, for logs; `null` where no key is needed. */
  readonly keyId: string | null;
}

/** Decides who may ask v1, and how often. */
export interface Gate {
  /**
   * Counts one request of `key`, or refuses it. The count is durable when this resolves.
   * @throws {ApiFailure} `api_key_missing`, `api_key_invalid`, `api_key_revoked`, `plan_forbidden` or
   * `rate_limit_exceeded` with `Retry-After`; `upstream_unavailable` while keys cannot be read or counts not be kept.
   */
  admit(request: { readonly key: string | null; readonly group: RouteGroup }): Promise<Admission>;
  /**
   * What `key` may still ask. Itself it is checked like any other request, but not counted; `onAdmitted` is told whose
   * it is. @throws like {@link admit}
   */
  limits(key: string | null, onAdmitted?: (admission: Admission) => void): Promise<RateLimits>;
  /** Those of the keys, by their ids, that were revoked or are gone; left out where no key is needed. @throws {StoreError} */
  withdrawn?(keyIds: readonly string[]): Promise<readonly string[]>;
}

/** A route as the router knows it, and what it is to gate, log and metrics. */
interface ServedRoute {
  readonly template: string;
  readonly group: RouteGroup;
}

/** A path as the router writes it: a parameter is `:name`. */
export const routerPath = (path: string) => path.replaceAll(/\{(\w+)\}/g, ':$1');

/** By their path, as the router writes it. */
const SERVED_ROUTES: ReadonlyMap<string, ServedRoute> = new Map(
  [...V1_ROUTES, ...ADDED_ROUTES].map(({ path, group }) => [
    routerPath(BASE_PATH + path),
    { template: BASE_PATH + path, group },
  ]),
);

declare module 'hono' {
  interface ContextVariableMap {
    /** Whose alerts and auto-txs a request is about: the key's public id, empty where no key is needed. */
    owner: string;
  }
}

const RATE_LIMITS = BASE_PATH + PATHS.rateLimits;

/**
 * Asks the gate before a route does. What no route answers, an unknown path or another method, is not counted; nor is
 * the question how much is left, whose route asks the gate itself.
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

/** For the service within one's own process: no key, no limit, but counted all the same. */
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
