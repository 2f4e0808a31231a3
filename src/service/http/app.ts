import { type Context, Hono } from 'hono';
import { cors } from 'hono/cors';
import type { Result } from 'hono/router';
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
import type { AlertService } from '../alerts/alert-service.ts';
import type { AutoTxService } from '../auto-txs/auto-tx-service.ts';
import type { ServiceOptions } from '../service.ts';
import type { ServiceState } from '../service-state.ts';
import { type Gate, keyOf, withoutKey } from './auth.ts';
import { createBodyReader, jsonOf } from './body.ts';
import {
  ApiFailure,
  errorResponse,
  isUnforeseen,
  notFound,
  requireAwaited,
  toFailure,
  unavailable,
  withoutBody,
} from './errors.ts';
import type { GasStreams } from './gas-streams.ts';
import { addPlayground } from './playground/playground.ts';
import { createResponseCache, EncodedResponse } from './response-cache.ts';
import type { AdmittedRequest, Route } from './routes/route.ts';
import type { RequestRecord } from './server.ts';

interface AppOptions extends Pick<ServiceOptions, 'keepsAlerts' | 'unsaved' | 'baseUrl' | 'cors'> {
  readonly state: ServiceState;
  readonly gate: Gate;
  readonly streams: GasStreams;
  readonly alerts: AlertService;
  readonly autoTxs: AutoTxService;
  readonly onError: (error: unknown) => void;
}

type App = Hono<{ Bindings: RequestRecord }>;

/** Routes whose responses depend only on the present state and the query, not on the key. */
const SHARED: ReadonlySet<string> = new Set([
  PATHS.gasCurrent,
  PATHS.gasTrend,
  PATHS.gasRecommendation,
  PATHS.chainRules,
  PATHS.statsCurrent,
  PATHS.statsMarket,
  PATHS.compatBlocknative,
  PATHS.compatMetamask,
  PATHS.compatEtherscan,
  PATHS.compatEtherscanV2,
]);

/**
 * Remembers where a path without parameters leads, which most of what is polled has. Hono's own router with such a map does not
 * take `/alerts/signing-secret/rotate` beside `/alerts/{id}`.
 */
class PathRouter<Handler> extends TrieRouter<Handler> {
  readonly #fixed = new Map<string, Map<string, Result<Handler>>>();

  override add(method: string, path: string, handler: Handler): void {
    super.add(method, path, handler);
    if (!/[:*]/.test(path)) this.#fixed.set(path, new Map());
  }

  override match(method: string, path: string): Result<Handler> {
    const fixed = this.#fixed.get(path);
    const known = fixed?.get(method);
    if (known !== undefined) return known;
    const found = super.match(method, path);
    fixed?.set(method, found);
    return found;
  }
}

/** Each file of routes is loaded on the first request to one of them: its schemas take as long to make as a request. */
type RouteFile = RouteGroup | 'compat';

export function createApp(options: AppOptions) {
  const { state, gate, streams, alerts, autoTxs, onError, baseUrl, cors: origins = [] } = options;
  const app: App = new Hono({ router: new PathRouter() });
  /** In the order of the OpenAPI document. */
  const files: Readonly<Record<RouteFile, () => Promise<Route[]>>> = {
    gas: lazily(async () => (await import('./routes/gas.ts')).gasRoutes(state, gate, streams)),
    compat: lazily(async () => (await import('./routes/compat.ts')).compatRoutes(state)),
    dashboard: lazily(async () =>
      (await import('./routes/dashboard.ts')).dashboardRoutes(state, { alerts, autoTxs }),
    ),
    metrics: lazily(async () => (await import('./routes/metrics.ts')).metricsRoutes(state)),
    alerts: lazily(async () => (await import('./routes/alerts.ts')).alertRoutes(alerts)),
    'auto-txs': lazily(async () => (await import('./routes/auto-txs.ts')).autoTxRoutes(autoTxs)),
  };
  const allRoutes = async () => (await Promise.all(Object.values(files).map((read) => read()))).flat();
  const readBody = createBodyReader();
  const cached = createResponseCache(() => state.publisher.read());

  async function respond(c: Context<{ Bindings: RequestRecord }>, route: Route): Promise<Response> {
    const { group, path } = route;
    const key = keyOf(c.req, isCompat(path));
    const isCounted = path !== PATHS.rateLimits;
    const { keyId, limits } = await (isCounted ? gate.admit({ key, group }) : gate.limits(key));
    c.env.keyId = keyId;
    const admitted = (): AdmittedRequest => {
      const { signal = c.req.raw.signal } = c.env;
      requireAwaited(signal);
      return { c, owner: keyId ?? '', limits, signal };
    };
    if (SHARED.has(path)) {
      c.env.isStream = false;
      const shared = await cached(withoutKey(c.req.url), () => encoded(route.handle(admitted())));
      return await shared.respond(c);
    }
    const request = admitted();
    if (group === 'alerts' || group === 'auto-txs') refuseUnsaved(group, options);
    const takesSigned = path === PATHS.autoTxs || path === PATHS.autoTx;
    const result = await (route.spec.body === undefined
      ? route.handle(request)
      : readBody(c.req.raw, { ...request, takesSigned }, (bytes) =>
          route.handle({ ...request, body: jsonOf(c.req.raw, bytes) }),
        ));
    c.env.isStream = route.spec.isStream ?? false;
    if (result instanceof Response) return result;
    if (route.method === 'get') return new EncodedResponse(JSON.stringify(result)).respond(c);
    if (result === undefined) return c.body(null, 204);
    const { status = 200 } = route.spec;
    const text = JSON.stringify(result);
    // Relative to the list, wherever a proxy has put it.
    if (status === 201 && 'id' in result) c.header('Location', `${path.slice(1)}/${result.id}`);
    const headers = { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(text)) };
    return c.body(text, status, headers);
  }

  app.onError((thrown, c) => {
    const error = withoutBody(thrown, c.req.path);
    if (isUnforeseen(error)) onError(error);
    c.env.errorCode = toFailure(error).code;
    return errorResponse(error, c.req.raw, state.chainId);
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

const encoded = async (made: Promise<unknown>) => new EncodedResponse(JSON.stringify(await made));

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

/** Their data would be lost when the process ends: for the reason `unsaved`, else until the chain is known. */
function refuseUnsaved(what: string, { keepsAlerts, unsaved }: AppOptions): void {
  if (unsaved !== undefined) {
    const why = `no ${what} are kept here: ${unsaved}; then start gastop again`;
    throw new ApiFailure('upstream_unavailable', why);
  }
  if (keepsAlerts !== false) return;
  throw unavailable(
    `no ${what} are kept yet: no node has said which chain this is, or its history cannot be opened, see /readyz; try again in a moment`,
    5,
  );
}
