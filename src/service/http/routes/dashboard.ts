import type { OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { TIME_FRAME_SEC } from '../../../contract/choices.ts';
import { RateLimits, StatsChart, StatsCurrent, StatsMarket, Summary } from '../../../contract/dashboard.ts';
import { NoParameters, TimeFrameParameters } from '../../../contract/queries.ts';
import { API_KEY_HEADER, PATHS } from '../../../contract/routes.ts';
import type { AlertService } from '../../alerts/alert-service.ts';
import type { AutoTxService } from '../../auto-txs/auto-tx-service.ts';
import { statsChart } from '../../responses/charts.ts';
import { statsCurrent } from '../../responses/gas.ts';
import { statsMarket } from '../../responses/market.ts';
import { summaryOf } from '../../responses/summary.ts';
import type { ServiceState } from '../../service-state.ts';
import type { Gate } from '../auth.ts';
import { recordOf } from '../record.ts';
import { NEEDS_CHAIN, queryOf, readParameters, serve } from './route.ts';

export function addDashboardRoutes(
  app: OpenAPIHono,
  state: ServiceState,
  gate: Gate,
  { alerts, autoTxs }: { readonly alerts: AlertService; readonly autoTxs: AutoTxService },
): void {
  serve(app, 'get', PATHS.statsCurrent, {
    summary: 'Price, trend and recommendation of the same block',
    response: StatsCurrent,
    refusals: NEEDS_CHAIN,
    handle: () => statsCurrent(state.present()),
  });
  serve(app, 'get', PATHS.statsChart, {
    summary: 'Prices over a time frame',
    query: TimeFrameParameters,
    response: StatsChart,
    refusals: NEEDS_CHAIN,
    async handle({ owner, query: { timeFrame } }) {
      const { store, end, profile } = await state.history();
      const { blockTimeSec } = profile.feeRule;
      const prices = await statsChart(store, { timeFrame, end, blockTimeSec }, state.meanPrices);
      const window = [owner, end - TIME_FRAME_SEC[timeFrame], end] as const;
      const marks = [...(await alerts.marks(...window)), ...(await autoTxs.marks(...window))];
      const events = marks.sort((one, other) => (one.timestamp < other.timestamp ? -1 : 1));
      return { ...prices, events };
    },
  });
  serve(app, 'get', PATHS.statsMarket, {
    summary: 'How prices are spread, cheap hours, usual costs',
    query: TimeFrameParameters,
    response: StatsMarket,
    refusals: NEEDS_CHAIN,
    async handle({ query: { timeFrame } }) {
      const { store, end } = await state.history();
      const dataFees = await state.dataFees();
      return statsMarket(store, { timeFrame, end }, state.present(), state.meanPrices, dataFees);
    },
  });
  serve(app, 'get', PATHS.rateLimits, {
    summary: 'What the key that asks may still ask; not counted',
    query: z.looseObject({}),
    response: RateLimits,
    async handle({ c }) {
      const limits = await gate.limits(c.req.header(API_KEY_HEADER) ?? null, ({ keyId }) => {
        const record = recordOf(c.env);
        if (record !== null) record.keyId = keyId;
      });
      // As on every other route, the key is checked before the parameters.
      readParameters(NoParameters, queryOf(c));
      return limits;
    },
  });
  serve(app, 'get', PATHS.summary, {
    summary: 'Alerts, transactions, gas, advice and health at a glance',
    response: Summary,
    refusals: NEEDS_CHAIN,
    async handle({ owner }) {
      const present = state.present();
      const [mine, scheduled] = [await alerts.totals(owner), await autoTxs.totals(owner)];
      return summaryOf(present, mine, scheduled, state.health(present.head));
    },
  });
}
