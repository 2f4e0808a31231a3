import { createRoute, type OpenAPIHono } from '@hono/zod-openapi';
import { ErrorBody } from '../../contract/api-error.ts';
import { PATHS, type V1Route } from '../../contract/routes.ts';
import { ApiFailure } from './api-failure.ts';
import { describeRoute } from './describe-route.ts';
import { ANYTHING_ELSE, GATE_REFUSALS, refusal } from './refusals.ts';

const NO_AUTO_TXS = 'this version of the service keeps no auto-txs yet';

/** Routes of v1 that this version does not serve: they are in the document, say so to who has a key, and are not counted. */
export const UNSERVED_ROUTES = [
  unserved('get', PATHS.autoTxs, 'All auto-txs', NO_AUTO_TXS),
  unserved('get', PATHS.autoTx, 'One auto-tx', NO_AUTO_TXS),
  unserved('post', PATHS.autoTxs, 'Hand over a transaction to be sent at a price', NO_AUTO_TXS),
  unserved('put', PATHS.autoTx, 'Change an auto-tx', NO_AUTO_TXS),
  unserved('post', PATHS.autoTxCancel, 'Cancel an auto-tx', NO_AUTO_TXS),
  unserved('delete', PATHS.autoTx, 'Delete an auto-tx', NO_AUTO_TXS),
  unserved('get', PATHS.autoTxAccount, 'A sender as the chain knows it', NO_AUTO_TXS),
];

export function addUnservedRoutes(app: OpenAPIHono): void {
  for (const { route, why } of UNSERVED_ROUTES) {
    app.openapi(route, () => {
      throw new ApiFailure('not_found', why);
    });
  }
}

function unserved(method: V1Route['method'], path: V1Route['path'], summary: string, why: string) {
  const id = {
    name: 'id',
    in: 'path' as const,
    required: true,
    description: 'Its id',
    schema: { type: 'string' as const },
  };
  const route = createRoute({
    ...describeRoute(method, path, summary),
    description: `Not served: ${why}. Asking is not counted.`,
    'x-gastop-served': false,
    ...(path.includes('{id}') ? { parameters: [id] } : {}),
    responses: {
      ...GATE_REFUSALS,
      404: refusal(`Not served: ${why}: \`not_found\``, ErrorBody),
      default: ANYTHING_ELSE,
    },
  });
  return { route, why };
}
