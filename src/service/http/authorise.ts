import type { MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import {
  ADDED_ROUTES,
  API_KEY_HEADER,
  BASE_PATH,
  PATHS,
  type RouteGroup,
  V1_ROUTES,
} from '../../contract/routes.ts';
import type { Admission, Gate } from './gate.ts';
import { type RequestRecord, recordOf } from './request-record.ts';

declare module 'hono' {
  interface ContextVariableMap {
    /** Whose alerts and auto-txs a request is about: the key's public id, empty where no key is needed. */
    owner: string;
  }
}

/** A route as the router knows it, and what it is to gate, log and metrics. */
interface ServedRoute {
  readonly template: string;
  readonly group: RouteGroup;
}

/** A path as the router writes it: a parameter is `:name`. */
export const routerPath = (path: string) => path.replaceAll(/\{(\w+)\}/g, ':$1');

const ROUTES: ReadonlyMap<string, ServedRoute> = new Map(
  [...V1_ROUTES, ...ADDED_ROUTES].map(({ path, group }) => [
    routerPath(BASE_PATH + path),
    { template: BASE_PATH + path, group },
  ]),
);
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
      const route = ROUTES.get(matched.path);
      if (route === undefined) continue;
      if (record !== null) record.route = route.template;
      if (matched.method !== method || route.template === RATE_LIMITS) continue;
      const { keyId } = await admit(gate, route, c.req.header(API_KEY_HEADER), record);
      c.set('owner', keyId ?? '');
      break;
    }
    await next();
  };
}

/** Asks the gate for a request that a route answers, and takes down who was let in. @throws like {@link Gate.admit} */
async function admit(
  gate: Gate,
  { group }: ServedRoute,
  key: string | undefined,
  record: RequestRecord | null,
): Promise<Admission> {
  const admission = await gate.admit({ key: key ?? null, group });
  if (record !== null) record.keyId = admission.keyId;
  return admission;
}

/** The same for the v1 route at `path`, one without parameters, that is about to be answered without the router. */
export async function admitTo(
  gate: Gate,
  path: string,
  key: string | undefined,
  record: RequestRecord,
): Promise<void> {
  const route = ROUTES.get(path);
  if (route === undefined) throw new Error(`${path} is no route of v1`);
  record.route = route.template;
  await admit(gate, route, key, record);
}
