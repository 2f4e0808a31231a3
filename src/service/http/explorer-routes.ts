import type { OpenAPIHono } from '@hono/zod-openapi';
import { BlockMetrics, TxMetrics, TxsMetrics } from '../../contract/explorer.ts';
import { BlockParameter, TxParameter, TxsParameters } from '../../contract/queries.ts';
import { PATHS } from '../../contract/routes.ts';
import { blockMetrics } from '../answers/block-answer.ts';
import { txMetrics } from '../answers/tx-answer.ts';
import { txsMetrics } from '../answers/txs-answer.ts';
import { getKnownRoute, getOneRoute } from './route.ts';
import type { ServiceState } from './service-state.ts';

const blockRoute = getOneRoute(
  PATHS.block,
  'One block: its fees, how full it was, what it tipped and burnt',
  BlockParameter,
  BlockMetrics,
  'The block is not there yet, or neither node nor history holds it any more',
);
const txRoute = getOneRoute(
  PATHS.tx,
  'One transaction: what it offered, what it paid, how it stood in its block',
  TxParameter,
  TxMetrics,
  'The chain knows no such transaction, or a recording or simulation is followed, which holds none',
);
const txsRoute = getKnownRoute(
  PATHS.txs,
  'Transactions of a window, newest first',
  TxsParameters,
  TxsMetrics,
  'A recording or simulation is followed, which holds no transactions',
);

export function addExplorerRoutes(app: OpenAPIHono, state: ServiceState): void {
  app.openapi(blockRoute, async (c) => {
    const { number } = c.req.valid('param');
    return c.json(await state.explore((context) => blockMetrics(number, context), c.req.raw), 200);
  });
  app.openapi(txRoute, async (c) => {
    const { hash } = c.req.valid('param');
    return c.json(await state.explore((context) => txMetrics(hash, context), c.req.raw), 200);
  });
  app.openapi(txsRoute, async (c) => {
    const asked = c.req.valid('query');
    const answer = state.explore(
      async (context, signal) => txsMetrics(asked, await state.history(), context, signal),
      c.req.raw,
    );
    return c.json(await answer, 200);
  });
}
