import { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { cors } from 'hono/cors';
import { BASE_PATH, PATHS, PLAYGROUND_PATH } from '../../contract/routes.ts';
import type { AlertService } from '../alerts/alert-service.ts';
import type { AutoTxService } from '../auto-txs/auto-tx-service.ts';
import type { ServiceState } from '../service-state.ts';
import { authorise, type Gate, routerPath } from './auth.ts';
import { takeBodies } from './body.ts';
import {
  ApiFailure,
  errorResponse,
  isUnforeseen,
  notFound,
  toFailure,
  unavailable,
  withoutBody,
} from './errors.ts';
import type { GasStreams } from './gas-streams.ts';
import { openApiDocument } from './openapi.ts';
import { addPlayground } from './playground/playground.ts';
import { recordOf } from './record.ts';
import { cacheResponses } from './response-cache.ts';
import { addAlertRoutes } from './routes/alerts.ts';
import { addAutoTxRoutes } from './routes/auto-txs.ts';
import { addDashboardRoutes } from './routes/dashboard.ts';
import { addGasRoutes } from './routes/gas.ts';
import { addMetricsRoutes } from './routes/metrics.ts';

interface AppOptions {
  readonly state: ServiceState;
  readonly gate: Gate;
  readonly streams: GasStreams;
  readonly alerts: AlertService;
  readonly autoTxs: AutoTxService;
  readonly keepsAlerts?: boolean | undefined;
  readonly unsaved?: string | undefined;
  readonly onError: (error: unknown) => void;
  readonly baseUrl?: string | undefined;
  readonly cors?: readonly string[] | undefined;
}

export function createApp(options: AppOptions): OpenAPIHono {
  const { state, gate, streams, alerts, autoTxs, onError, baseUrl, cors: origins = [] } = options;
  const root = new OpenAPIHono();
  if (origins.length > 0) root.use(allowOrigins(origins));
  const app = root.basePath(BASE_PATH);
  app.onError((thrown, c) => {
    const error = withoutBody(thrown, c.req.path);
    if (isUnforeseen(error)) onError(error);
    const record = recordOf(c.env);
    if (record !== null) record.errorCode = toFailure(error).code;
    return errorResponse(error, c.req.raw, state.chainId);
  });
  app.notFound((c) =>
    errorResponse(
      notFound(`there is no such route; ${PLAYGROUND_PATH} shows those of v1, below ${BASE_PATH}`),
      c.req.raw,
      null,
    ),
  );
  app.use(authorise(gate));
  app.use(takeBodies());
  app.use(cacheResponses(() => state.moment()));
  addGasRoutes(app, state, gate, streams);
  addDashboardRoutes(app, state, gate, { alerts, autoTxs });
  addMetricsRoutes(app, state);
  if (options.keepsAlerts === false || options.unsaved !== undefined) refuseUnkept(app, options.unsaved);
  addAlertRoutes(app, alerts);
  addAutoTxRoutes(app, autoTxs);
  addPlayground(root, () => openApiDocument(app, baseUrl));
  for (const [path, methods] of servedMethods(app)) app.all(path, (c) => refuseMethod(c, methods));
  return app;
}

/** Browsers cache a preflight response for at most a day. */
const PREFLIGHT_SEC = 86_400;

/** Allows pages of other origins (CORS). They must send the key themselves: browsers add no credentials. */
const allowOrigins = (origins: readonly string[]) =>
  cors({
    origin: origins.includes('*') ? '*' : [...origins],
    allowMethods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
    exposeHeaders: ['ETag', 'Location', 'Retry-After', 'WWW-Authenticate'],
    maxAge: PREFLIGHT_SEC,
  });

function servedMethods(app: OpenAPIHono): Map<string, string[]> {
  const methods = new Map<string, string[]>();
  for (const definition of app.openAPIRegistry.definitions) {
    if (definition.type !== 'route') continue;
    const path = routerPath(definition.route.path);
    methods.set(path, [...(methods.get(path) ?? []), definition.route.method.toUpperCase()]);
  }
  return methods;
}

function refuseMethod(c: Context, methods: readonly string[]): Response {
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
  if (c.req.method === 'OPTIONS') return new Response(null, { status: 204, headers: { Allow: allow } });
  throw new ApiFailure('method_not_allowed', `this route only answers ${methods.join(', ')}`, {
    headers: { Allow: allow },
  });
}

const RETRY_SEC = 5;

/** Their data would be lost when the process ends: for the reason `unsaved`, else until the chain is known. */
function refuseUnkept(app: OpenAPIHono, unsaved?: string): void {
  for (const path of [PATHS.alerts, PATHS.autoTxs]) {
    const what = path.slice(1);
    app.use(`${path}/*`, async (c, next) => {
      if (c.req.method === 'OPTIONS') return next();
      if (unsaved !== undefined) {
        const why = `no ${what} are kept here: ${unsaved}; then start gastop again`;
        throw new ApiFailure('upstream_unavailable', why);
      }
      throw unavailable(
        `no ${what} are kept yet: no node has said which chain this is, or its history cannot be opened, see /readyz; try again in a moment`,
        RETRY_SEC,
      );
    });
  }
}
