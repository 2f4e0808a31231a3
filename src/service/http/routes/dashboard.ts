import { PATIENCE_SEC } from '../../../contract/choices.ts';
import { RateLimits, StatsChart, StatsCurrent, StatsMarket, Summary } from '../../../contract/dashboard.ts';
import { PatienceParameters, TimeFrameParameters } from '../../../contract/queries.ts';
import { PATHS } from '../../../contract/routes.ts';
import { statsChart } from '../../responses/charts.ts';
import { statsCurrent } from '../../responses/gas.ts';
import { statsMarket } from '../../responses/market.ts';
import { timeFrameWindow } from '../../responses/metrics.ts';
import { summaryOf } from '../../responses/summary.ts';
import { type Route, type RouteParts, route } from './route.ts';

/** More of either kind could not be distinguished in a chart. */
const MARKS_MOST = 500;

export const dashboardRoutes = ({
  publisher,
  chain,
  lookups,
  condition,
  alerts,
  autoTxs,
}: RouteParts): Route[] => [
  route('get', PATHS.statsCurrent, {
    summary: 'Price, trend and recommendation of the same block',
    query: PatienceParameters,
    response: StatsCurrent,
    handle: ({ query: { patienceSec = PATIENCE_SEC.default } }) =>
      statsCurrent(publisher.require(), { recommendation: chain.recommendation(patienceSec) }),
  }),
  route('get', PATHS.statsChart, {
    summary: 'Prices over a time frame',
    query: TimeFrameParameters,
    response: StatsChart,
    async handle({ owner, query: { timeFrame } }) {
      const context = await lookups.context();
      const prices = await statsChart(context, timeFrame, lookups.meanPrices);
      const { from, to } = timeFrameWindow(context, timeFrame);
      const span = { from: from * 1_000, to: to * 1_000, limit: MARKS_MOST };
      const marks = [...(await alerts.marks(owner, span)), ...(await autoTxs.marks(owner, span))];
      const events = marks.sort((one, other) => (one.timestamp < other.timestamp ? -1 : 1));
      return { ...prices, events };
    },
  }),
  route('get', PATHS.statsMarket, {
    summary: 'How prices are spread, cheap hours, usual costs',
    query: TimeFrameParameters,
    response: StatsMarket,
    async handle({ query: { timeFrame } }) {
      const context = await lookups.context();
      return statsMarket(
        context,
        timeFrame,
        publisher.require(),
        lookups.meanPrices,
        await lookups.dataFees(),
      );
    },
  }),
  route('get', PATHS.rateLimits, {
    summary: 'What the key that asks may still ask; not counted',
    response: RateLimits,
    handle({ limits }) {
      if (limits === undefined) throw new Error('the gate states no limits');
      return limits;
    },
  }),
  route('get', PATHS.summary, {
    summary: 'Alerts, transactions, gas, advice and health at a glance',
    response: Summary,
    async handle({ owner }) {
      const published = publisher.require();
      const [mine, scheduled] = [await alerts.totals(owner), await autoTxs.totals(owner)];
      return summaryOf(published, mine, scheduled, condition());
    },
  }),
];
