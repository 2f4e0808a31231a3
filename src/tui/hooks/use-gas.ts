import { useState } from 'react';
import { ClientError } from '../../client/client-error.ts';
import type { GasClient } from '../../client/gas-client.ts';
import type {
  ChartView,
  MarketView,
  RecommendationView,
  SnapshotView,
  TrendView,
} from '../../client/views.ts';
import { chartChoices, offeredChoice } from '../panes/chart/chart-choices.ts';
import { useDescription } from './use-description.ts';
import { headOf, useFollowHead } from './use-follow-head.ts';
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

/** What the Live pane shows beside the snapshot; all of it follows the head. */
export function useLiveData(snapshot: SnapshotView): LiveData {
  const { client, intervalMs, frozen } = useMonitor();
  const trend = usePolledQuery({
    key: ['trend'],
    ask: (signal) => client.gasTrend({ signal }),
    everyMs: null,
    freshMs: intervalMs,
    frozen,
  });
  const recommendation = usePolledQuery({
    key: ['recommendation'],
    ask: (signal) => client.gasRecommendation({ signal }),
    everyMs: null,
    freshMs: intervalMs,
    frozen,
  });
  // Who does not know the hour may say what it knows; nobody else is asked for that here.
  const [refused, setRefused] = useState(false);
  const { timeFrames } = chartChoices(useDescription(refused));
  const timeFrame = offeredChoice(timeFrames, '1h');
  const hour = usePolledQuery({
    key: ['chart', timeFrame],
    ask: (signal) => client.statsChart(timeFrame, { signal }),
    everyMs: null,
    freshMs: intervalMs,
    frozen,
  });
  const market = usePolledQuery({
    key: ['market', '24h'],
    ask: (signal) => client.statsMarket('24h', { signal }),
    everyMs: null,
    freshMs: intervalMs,
    frozen,
  });

  if (!refused && hour.error instanceof ClientError && hour.error.code === 'invalid') setRefused(true);

  const head = headOf(snapshot);
  useFollowHead(trend, head);
  useFollowHead(recommendation, head);
  useFollowHead(hour, head, HOUR_CHART_MS);
  // A recording played fast leaves an old day behind within seconds.
  useFollowHead(market, head, snapshot.source.kind === 'replay' ? REPLAY_MARKET_MS : MARKET_MS);
  return { trend, recommendation, hour, market };
}
