import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { z } from 'zod';
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
import { wrongParameters } from '../errors.ts';
import { recordOf } from '../record.ts';
import { chainRoute, getRoute } from './describe.ts';

const currentRoute = chainRoute(
  PATHS.statsCurrent,
  NoParameters,
  StatsCurrent,
  'Price, trend and recommendation of the same block',
);
const chartRoute = chainRoute(PATHS.statsChart, TimeFrameParameters, StatsChart, 'Prices over a time frame');
const marketRoute = chainRoute(
  PATHS.statsMarket,
  TimeFrameParameters,
  StatsMarket,
  'How prices are spread, cheap hours, usual costs',
);
const rateLimitsRoute = getRoute(
  PATHS.rateLimits,
  'What the key that asks may still ask; not counted',
  { query: NoParameters },
  RateLimits,
  {},
);
const summaryRoute = chainRoute(
  PATHS.summary,
  NoParameters,
  Summary,
  'Alerts, transactions, gas, advice and health at a glance',
);

export function addDashboardRoutes(
  app: OpenAPIHono,
  state: ServiceState,
  gate: Gate,
  { alerts, autoTxs }: { readonly alerts: AlertService; readonly autoTxs: AutoTxService },
): void {
  app.openapi(currentRoute, (c) => c.json(statsCurrent(state.present()), 200));
  app.openapi(chartRoute, async (c) => {
    const { timeFrame } = c.req.valid('query');
    const owner = c.get('owner');
    const { store, end, profile } = await state.history();
    const prices = await statsChart(
      store,
      { timeFrame, end, blockTimeSec: profile.feeRule.blockTimeSec },
      state.meanPrices,
    );
    const window = [owner, end - TIME_FRAME_SEC[timeFrame], end] as const;
    const marks = [...(await alerts.marks(...window)), ...(await autoTxs.marks(...window))];
    const events = marks.sort((one, other) => (one.timestamp < other.timestamp ? -1 : 1));
    return c.json({ ...prices, events }, 200);
  });
  app.openapi(marketRoute, async (c) => {
    const { timeFrame } = c.req.valid('query');
    const { store, end } = await state.history();
    const dataFees = await state.dataFees();
    const market = await statsMarket(store, { timeFrame, end }, state.present(), state.meanPrices, dataFees);
    return c.json(market, 200);
  });
  const limits = (c: Context) =>
    gate.limits(c.req.header(API_KEY_HEADER) ?? null, ({ keyId }) => {
      const record = recordOf(c.env);
      if (record !== null) record.keyId = keyId;
    });
  /** As on every other route, the key is checked before the parameters. */
  async function refuseParameters(c: Context, error: z.ZodError): Promise<Response> {
    await limits(c);
    throw wrongParameters(error);
  }
  app.openapi(
    rateLimitsRoute,
    async (c) => c.json(await limits(c), 200),
    (result, c) => (result.success ? undefined : refuseParameters(c, result.error)),
  );
  app.openapi(summaryRoute, async (c) => {
    const present = state.present();
    const [mine, scheduled] = [await alerts.totals(c.get('owner')), await autoTxs.totals(c.get('owner'))];
    return c.json(summaryOf(present, mine, scheduled, state.health(present.head)), 200);
  });
}
