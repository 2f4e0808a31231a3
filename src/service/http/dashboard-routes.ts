import type { OpenAPIHono } from '@hono/zod-openapi';
import { StatsChart, StatsCurrent, StatsMarket } from '../../contract/dashboard.ts';
import { NoParameters, TimeFrameParameters } from '../../contract/queries.ts';
import { PATHS } from '../../contract/routes.ts';
import { statsChart } from '../answers/chart-answer.ts';
import { gasCurrent, gasRecommendation, gasTrend } from '../answers/gas-answers.ts';
import { statsMarket } from '../answers/market-answer.ts';
import { getRoute } from './route.ts';
import type { ServiceState } from './service-state.ts';

const currentRoute = getRoute(
  PATHS.statsCurrent,
  'Price, trend and recommendation of the same block',
  NoParameters,
  StatsCurrent,
);
const chartRoute = getRoute(PATHS.statsChart, 'Prices over a time frame', TimeFrameParameters, StatsChart);
const marketRoute = getRoute(
  PATHS.statsMarket,
  'How prices are spread, cheap hours, usual costs',
  TimeFrameParameters,
  StatsMarket,
);

export function addDashboardRoutes(app: OpenAPIHono, state: ServiceState): void {
  app.openapi(currentRoute, (c) => {
    const present = state.present();
    return c.json(
      {
        snapshot: gasCurrent(present),
        trend: gasTrend(present),
        recommendation: gasRecommendation(present),
      },
      200,
    );
  });
  app.openapi(chartRoute, async (c) => {
    const { timeFrame } = c.req.valid('query');
    const { store, end, profile } = await state.history();
    return c.json(await statsChart(store, timeFrame, end, profile.feeRule.blockTimeSec), 200);
  });
  app.openapi(marketRoute, async (c) => {
    const { timeFrame } = c.req.valid('query');
    const { store, end } = await state.history();
    return c.json(await statsMarket(store, timeFrame, end, state.present()), 200);
  });
}
