import type { GasClient } from '../../client/gas-client.ts';
import type {
  ChartView,
  MarketView,
  RecommendationView,
  SnapshotView,
  TrendView,
} from '../../client/views.ts';
import { useEachHead } from './use-each-head.ts';
import { useMonitor } from './use-monitor.ts';
import { type Polled, usePolledQuery } from './use-polled-query.ts';

/** What changes slowly is asked for less often. */
const HOUR_CHART_MS = 5_000;
const MARKET_MS = 10_000;
const REPLAY_MARKET_MS = 1_000;

const nothing = () => Promise.reject(new Error('no source'));

/** The current prices: the heartbeat of the monitor. Asks nothing while there is no client. */
export function useSnapshot(
  client: GasClient | null,
  timing: { readonly intervalMs: number; readonly frozen: boolean },
): Polled<SnapshotView> {
  return usePolledQuery({
    key: ['current'],
    enabled: client !== null,
    ask: (signal) => client?.gasCurrent({ signal }) ?? nothing(),
    everyMs: timing.intervalMs,
    frozen: timing.frozen,
  });
}

export interface LiveData {
  readonly trend: Polled<TrendView>;
  readonly recommendation: Polled<RecommendationView>;
  readonly hour: Polled<ChartView>;
  readonly market: Polled<MarketView>;
}

/** What the Live pane shows beside the snapshot. Trend and recommendation follow the head: one question per block. */
export function useLiveData(snapshot: SnapshotView): LiveData {
  const { client, intervalMs, frozen } = useMonitor();
  const trend = usePolledQuery({
    key: ['trend'],
    ask: (signal) => client.gasTrend({ signal }),
    everyMs: null,
    frozen,
  });
  const recommendation = usePolledQuery({
    key: ['recommendation'],
    ask: (signal) => client.gasRecommendation({ signal }),
    everyMs: null,
    frozen,
  });
  const hour = usePolledQuery({
    key: ['chart', '1h'],
    ask: (signal) => client.statsChart('1h', { signal }),
    everyMs: Math.max(intervalMs, HOUR_CHART_MS),
    frozen,
  });
  const market = usePolledQuery({
    key: ['market', '24h'],
    ask: (signal) => client.statsMarket('24h', { signal }),
    // A recording played fast leaves an old day behind within seconds.
    everyMs: Math.max(intervalMs, snapshot.source.kind === 'replay' ? REPLAY_MARKET_MS : MARKET_MS),
    frozen,
  });

  useEachHead(snapshot, () => {
    void trend.refresh();
    void recommendation.refresh();
  });
  return { trend, recommendation, hour, market };
}
