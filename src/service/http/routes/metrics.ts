import type { OpenAPIHono } from '@hono/zod-openapi';
import { BlockMetrics, TxMetrics, TxsMetrics } from '../../../contract/explorer.ts';
import {
  BaseFeeMetrics,
  GasUsedRatioMetrics,
  type Percentile,
  PriorityFeeMetrics,
} from '../../../contract/metrics.ts';
import {
  BlockParameter,
  MetricsParameters,
  NoParameters,
  PriorityFeeParameters,
  TxParameter,
  TxsParameters,
} from '../../../contract/queries.ts';
import { PATHS } from '../../../contract/routes.ts';
import type { TipPercentile } from '../../../core/block.ts';
import type { Rollup } from '../../../store/rollups.ts';
import { blockMetrics } from '../../responses/block.ts';
import { txMetrics, txsMetrics } from '../../responses/explorer.ts';
import {
  baseFeeRow,
  gasUsedRatioRow,
  metricsResponse,
  metricsWindow,
  priorityFeeRow,
} from '../../responses/metrics.ts';
import type { ServiceState } from '../../service-state.ts';
import { chainRoute, getRoute, NEEDS_CHAIN, notFound } from './describe.ts';

const baseFeeRoute = chainRoute(PATHS.baseFee, MetricsParameters, BaseFeeMetrics, 'Base fee over a window');
const priorityFeeRoute = chainRoute(
  PATHS.priorityFee,
  PriorityFeeParameters,
  PriorityFeeMetrics,
  'Tip at a percentile over a window',
);
const gasUsedRatioRoute = chainRoute(
  PATHS.gasUsedRatio,
  MetricsParameters,
  GasUsedRatioMetrics,
  'How full the blocks of a window were',
);

const PERCENTILES = {
  p10: 10,
  p25: 25,
  p50: 50,
  p75: 75,
  p90: 90,
  p95: 95,
  p99: 99,
} as const satisfies Record<Percentile, TipPercentile>;

export function addMetricsRoutes(app: OpenAPIHono, state: ServiceState): void {
  async function rowsOf<Row>(
    asked: MetricsParameters,
    toRow: (rollup: Rollup) => Row | null,
    tipped = false,
  ) {
    const context = await state.history();
    return metricsResponse(context.store, { ...(await metricsWindow(asked, context)), tipped }, toRow);
  }
  app.openapi(baseFeeRoute, async (c) => c.json(await rowsOf(c.req.valid('query'), baseFeeRow), 200));
  app.openapi(priorityFeeRoute, async (c) => {
    const { percentile, ...window } = c.req.valid('query');
    return c.json(await rowsOf(window, priorityFeeRow(PERCENTILES[percentile]), true), 200);
  });
  app.openapi(gasUsedRatioRoute, async (c) =>
    c.json(await rowsOf(c.req.valid('query'), gasUsedRatioRow), 200),
  );
}

const blockRoute = getRoute(
  PATHS.block,
  'One block: its fees, how full it was, what it tipped and burnt',
  { params: BlockParameter, query: NoParameters },
  BlockMetrics,
  {
    ...NEEDS_CHAIN,
    404: notFound('The block is not there yet, or neither node nor history holds it any more'),
  },
);
const txRoute = getRoute(
  PATHS.tx,
  'One transaction: what it offered, what it paid, how it stood in its block',
  { params: TxParameter, query: NoParameters },
  TxMetrics,
  {
    ...NEEDS_CHAIN,
    404: notFound('The chain knows no such transaction, or a recording is followed, which holds none'),
  },
);
const txsRoute = getRoute(
  PATHS.txs,
  'Transactions of a window, newest first',
  { query: TxsParameters },
  TxsMetrics,
  { ...NEEDS_CHAIN, 404: notFound('A recording is followed, which holds no transactions') },
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
    const response = state.explore(
      async (context, signal) => txsMetrics(asked, await state.history(), context, signal),
      c.req.raw,
    );
    return c.json(await response, 200);
  });
}
