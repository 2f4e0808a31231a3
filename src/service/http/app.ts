import { OpenAPIHono } from '@hono/zod-openapi';
import { etag } from 'hono/etag';
import { BASE_PATH } from '../../contract/routes.ts';
import { ApiFailure } from './api-failure.ts';
import { checkParameters } from './check-parameters.ts';
import { addDashboardRoutes } from './dashboard-routes.ts';
import { errorResponse, isUnforeseen } from './error-response.ts';
import { addGasRoutes } from './gas-routes.ts';
import type { Gate } from './gate.ts';
import { addMetricsRoutes } from './metrics-routes.ts';
import { openApiDocument } from './openapi-document.ts';
import { addPlayground } from './playground.ts';
import type { ServiceState } from './service-state.ts';
import { addUnservedRoutes } from './unserved-routes.ts';

export interface AppOptions {
  readonly state: ServiceState;
  readonly gate: Gate;
  /** Told of errors that nobody foresaw; the answer does not repeat them. */
  readonly onError: (error: unknown) => void;
  /** What others call the service by, behind a proxy, for the document. */
  readonly baseUrl?: string | undefined;
}

/** The v1 service as a request handler; it needs no socket. */
export function createApp({ state, gate: _gate, onError, baseUrl }: AppOptions): OpenAPIHono {
  const root = new OpenAPIHono({ defaultHook: checkParameters });
  const app = root.basePath(BASE_PATH);
  app.onError((error, c) => {
    if (isUnforeseen(error)) onError(error);
    return errorResponse(error, c.req.raw, state.chainId);
  });
  app.notFound((c) =>
    errorResponse(
      new ApiFailure('not_found', `there is no such route; v1 begins at ${BASE_PATH}`),
      c.req.raw,
      null,
    ),
  );
  app.use(etag());
  addGasRoutes(app, state);
  addDashboardRoutes(app, state);
  addMetricsRoutes(app, state);
  addUnservedRoutes(app);
  addPlayground(root, () => openApiDocument(app, baseUrl));
  for (const path of served(app)) app.all(path, () => refuseMethod());
  return app;
}

/** The routes that were added, as the router writes them. */
function served(app: OpenAPIHono): string[] {
  return app.openAPIRegistry.definitions.flatMap((definition) =>
    definition.type === 'route' ? [definition.route.path.replaceAll(/\{(\w+)\}/g, ':$1')] : [],
  );
}

function refuseMethod(): never {
  throw new ApiFailure('not_found', 'this route only answers GET', {
    status: 405,
    headers: { Allow: 'GET, HEAD' },
  });
}
