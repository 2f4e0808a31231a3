import type { PriceChartView } from '../../../client/price-chart.ts';
import type { ChartView, MarketView } from '../../../client/views/dashboard.ts';
import type { RecommendationView, SnapshotView, TrendView } from '../../../client/views/gas.ts';
import {
  type Dated,
  type Polled,
  useDescription,
  useMarket,
  useMonitor,
  usePolledQuery,
  useRecommendation,
} from '../../data/queries.ts';
import { chartChoices, choiceOf } from '../chart/chart-data.ts';

/** All that the Live pane draws. What is not there yet, or what the service does not have, is `undefined`. */
export interface LiveView {
  readonly snapshot: SnapshotView;
  readonly trend: TrendView | undefined;
  readonly recommendation: RecommendationView | undefined;
  /** `58s ago`, of advice that is too old to be followed; absent or `null`: it is of now. */
  readonly adviceAge?: string | null;
  readonly hour: ChartView | undefined;
  readonly market: MarketView | undefined;
  /** Ticker of the native coin. */
  readonly symbol: string;
  /** Why the service gives no recommendation, no trend …: one clean line each. */
  readonly missing: readonly string[];
}

/** What changes slowly is requested less often. */
const HOUR_CHART_MS = 5_000;
const MARKET_MS = 10_000;
/** A recording played fast leaves an old day behind within seconds. */
const REPLAY_MS = 1_000;

interface LiveData {
  readonly trend: Polled<TrendView>;
  readonly recommendation: Polled<Dated<RecommendationView>>;
  readonly hour: Polled<PriceChartView>;
  readonly market: Polled<Dated<MarketView>>;
}

/** What the Live pane shows beside the snapshot. */
export function useLiveData(snapshot: SnapshotView): LiveData {
  const { client, frozen } = useMonitor();
  const trend = usePolledQuery({
    key: ['trend'],
    ask: (signal) => client.gasTrend({ signal }),
    head: snapshot,
    frozen,
  });
  const recommendation = useRecommendation(snapshot);
  const { timeFrames } = chartChoices(useDescription());
  const timeFrame = choiceOf(timeFrames, '1h');
  const isReplay = snapshot.source.kind === 'replay';
  const hour = usePolledQuery({
    key: ['chart', timeFrame],
    ask: (signal) => client.chart(timeFrame, { signal }),
    head: snapshot,
    leastMs: HOUR_CHART_MS,
    frozen,
  });
  const market = useMarket('24h', { head: snapshot, leastMs: isReplay ? REPLAY_MS : MARKET_MS });
  return { trend, recommendation, hour, market };
}
