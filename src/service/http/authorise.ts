import type { MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import { API_KEY_HEADER, BASE_PATH, PATHS } from '../../contract/routes.ts';
import { admit, SERVED_ROUTES } from './admit.ts';
import type { Gate } from './gate.ts';
import { recordOf } from './request-record.ts';

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
      const { keyId } = await admit(gate, route, c.req.header(API_KEY_HEADER), record);
      c.set('owner', keyId ?? '');
      break;
    }
    await next();
  };
}
