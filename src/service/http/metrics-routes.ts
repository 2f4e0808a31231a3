import type { OpenAPIHono } from '@hono/zod-openapi';
import {
  BaseFeeMetrics,
  GasUsedRatioMetrics,
  type Percentile,
  PriorityFeeMetrics,
} from '../../contract/metrics.ts';
import { MetricsParameters, PriorityFeeParameters } from '../../contract/queries.ts';
import { PATHS } from '../../contract/routes.ts';
import type { TipPercentile } from '../../core/block.ts';
import type { Rollup } from '../../store/rollup.ts';
import { baseFeeRow, gasUsedRatioRow, metricsAnswer, priorityFeeRow } from '../answers/metrics-answers.ts';
import { metricsWindow } from '../answers/metrics-window.ts';
import { getRoute } from './route.ts';
import type { ServiceState } from './service-state.ts';

const baseFeeRoute = getRoute(PATHS.baseFee, 'Base fee over a window', MetricsParameters, BaseFeeMetrics);
const priorityFeeRoute = getRoute(
  PATHS.priorityFee,
  'Tip at a percentile over a window',
  PriorityFeeParameters,
  PriorityFeeMetrics,
);
const gasUsedRatioRoute = getRoute(
  PATHS.gasUsedRatio,
  'How full the blocks of a window were',
  MetricsParameters,
  GasUsedRatioMetrics,
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
  async function answer<Row>(
    asked: MetricsParameters,
    toRow: (rollup: Rollup) => Row | null,
    tipped = false,
  ) {
    const context = await state.history();
    return metricsAnswer(context.store, { ...(await metricsWindow(asked, context)), tipped }, toRow);
  }
  app.openapi(baseFeeRoute, async (c) => c.json(await answer(c.req.valid('query'), baseFeeRow), 200));
  app.openapi(priorityFeeRoute, async (c) => {
    const { percentile, ...window } = c.req.valid('query');
    return c.json(await answer(window, priorityFeeRow(PERCENTILES[percentile]), true), 200);
  });
  app.openapi(gasUsedRatioRoute, async (c) =>
    c.json(await answer(c.req.valid('query'), gasUsedRatioRow), 200),
  );
}
