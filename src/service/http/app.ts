import { Hono } from 'hono';
import { cors } from 'hono/cors';
import { TrieRouter } from 'hono/router/trie-router';
import { lazily } from '../../chain/async.ts';
import {
  BASE_PATH,
  groupOf,
  isCompat,
  PATHS,
  PLAYGROUND_PATH,
  type RouteGroup,
} from '../../contract/routes.ts';
import type { IngestedChain } from '../follow/ingested-chain.ts';
import type { ServiceOptions } from '../service.ts';
import { ApiFailure, errorResponse, isUnforeseen, notFound, toFailure, withoutBody } from './errors.ts';
import { addPlayground } from './playground/playground.ts';
import { createResponder, type ResponderOptions } from './respond.ts';
import type { Route, RouteParts } from './routes/route.ts';
import type { RequestRecord } from './server.ts';

interface AppOptions extends RouteParts, ResponderOptions, Pick<ServiceOptions, 'baseUrl' | 'cors'> {
  readonly chain: RouteParts['chain'] & Pick<IngestedChain, 'profile'>;
  readonly onError: (error: unknown) => void;
}

type App = Hono<{ Bindings: RequestRecord }>;

/** Each file of routes is loaded on the first request to one of them: its schemas take as long to make as a request. */
type RouteFile = RouteGroup | 'compat';

export function createApp(options: AppOptions) {
  const { chain, onError, baseUrl, cors: origins = [] } = options;
  // What Hono tries before does not take `/alerts/signing-secret/rotate` beside `/alerts/{id}`.
  const app: App = new Hono({ router: new TrieRouter() });
  /** In the order of the OpenAPI document. */
  const files: Readonly<Record<RouteFile, () => Promise<Route[]>>> = {
    gas: lazily(async () => (await import('./routes/gas.ts')).gasRoutes(options)),
    compat: lazily(async () => (await import('./routes/compat.ts')).compatRoutes(options)),
    dashboard: lazily(async () => (await import('./routes/dashboard.ts')).dashboardRoutes(options)),
    metrics: lazily(async () => (await import('./routes/metrics.ts')).metricsRoutes(options)),
    alerts: lazily(async () => (await import('./routes/alerts.ts')).alertRoutes(options.alerts)),
    'auto-txs': lazily(async () => (await import('./routes/auto-txs.ts')).autoTxRoutes(options.autoTxs)),
  };
  const allRoutes = async () => (await Promise.all(Object.values(files).map((read) => read()))).flat();
  const respond = createResponder(options);

  app.onError((thrown, c) => {
    const error = withoutBody(thrown, c.req.path);
    if (isUnforeseen(error)) onError(error);
    c.env.errorCode = toFailure(error).code;
    return errorResponse(error, c.req.raw, chain.profile?.id ?? null);
  });
  const unknown = notFound(
    `there is no such route; ${PLAYGROUND_PATH} shows those of v1, below ${BASE_PATH}`,
  );
  app.notFound((c) => errorResponse(unknown, c.req.raw, null));
  if (origins.length > 0) {
    // Pages of other origins must send the key themselves: browsers add no credentials.
    const exposeHeaders = ['ETag', 'Location', 'Retry-After', 'WWW-Authenticate'];
    const origin = origins.includes('*') ? '*' : [...origins];
    const allowMethods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'];
    app.use(cors({ origin, allowMethods, exposeHeaders, maxAge: PREFLIGHT_SEC }));
  }
  for (const path of Object.values(PATHS)) {
    let same: readonly Route[] | undefined;
    app.all(routerPath(path), async (c) => {
      c.env.route = BASE_PATH + path;
      const { method } = c.req;
      same ??= (await files[isCompat(path) ? 'compat' : groupOf(path)]()).filter(
        (each) => each.path === path,
      );
      const route = same.find((each) => each.method === (method === 'HEAD' ? 'get' : method.toLowerCase()));
      return route === undefined ? refuseMethod(method, same) : await respond(c, route);
    });
  }
  addPlayground(app, async () => (await import('./openapi.ts')).openApiDocument(await allRoutes(), baseUrl));
  return {
    fetch: app.fetch,
    /** Loads the routes and documents that are not loaded yet: a newer version may replace their files. */
    loadRoutes: () => Promise.all([allRoutes(), import('./openapi.ts')]),
  };
}

/** In the router's syntax: a parameter is `:name`. */
const routerPath = (path: string) => BASE_PATH + path.replaceAll(/\{(\w+)\}/g, ':$1');

/** Browsers cache a preflight response for at most a day. */
const PREFLIGHT_SEC = 86_400;

function refuseMethod(asked: string, routes: readonly Route[]): Response {
  const methods = routes.map(({ method }) => method.toUpperCase());
  const Allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
  if (asked === 'OPTIONS') return new Response(null, { status: 204, headers: { Allow } });
  throw new ApiFailure('method_not_allowed', `this route only answers ${methods.join(', ')}`, {
    headers: { Allow },
  });
}
