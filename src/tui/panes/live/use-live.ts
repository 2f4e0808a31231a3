import { useState } from 'react';
import { ClientError } from '../../../client/errors.ts';
import type { ChartView, MarketView } from '../../../client/views/dashboard.ts';
import type { RecommendationView, SnapshotView, TrendView } from '../../../client/views/gas.ts';
import {
  headOf,
  type Polled,
  useDescription,
  useFollowHead,
  useMarket,
  useMonitor,
  usePolledQuery,
  useSnapshotAnew,
  wordOf,
} from '../../data/queries.ts';
import { chartChoices, offeredChoice } from '../chart/chart-state.ts';

/** All that the Live pane draws. What is not there yet, or what the service does not have, is `undefined`. */
export interface LiveView {
  readonly snapshot: SnapshotView;
  readonly trend: TrendView | undefined;
  readonly recommendation: RecommendationView | undefined;
  /** By how much the recommendation is older than the prices, seconds; absent or `null`: by a block at most. */
  readonly adviceOlderSec?: number | null;
  readonly hour: ChartView | undefined;
  readonly market: MarketView | undefined;
  /** Ticker of the native coin. */
  readonly symbol: string;
  /** Why the service gives no recommendation, no trend …: one clean line each. */
  readonly missing: readonly string[];
}

/** What changes slowly is asked for less often. */
const HOUR_CHART_MS = 5_000;
const MARKET_MS = 10_000;
const REPLAY_MARKET_MS = 1_000;

interface LiveData {
  readonly trend: Polled<TrendView>;
  readonly recommendation: Polled<RecommendationView>;
  readonly hour: Polled<ChartView>;
  readonly market: Polled<MarketView>;
}

/** What the Live pane shows beside the snapshot; all of it follows the head. */
export function useLiveData(snapshot: SnapshotView): LiveData {
  const { client, intervalMs, isOwnService = false, frozen } = useMonitor();
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
  const market = useMarket('24h', { everyMs: null, freshMs: intervalMs });

  if (!refused && hour.error instanceof ClientError && hour.error.code === 'invalid') setRefused(true);

  // Of a service elsewhere each question counts, and its answers may be as new as the questions.
  const mayAsk = isOwnService && !frozen;
  useSnapshotAnew(mayAsk && isOfLater(recommendation.data, snapshot) ? (recommendation.data ?? null) : null);
  useFollowHead(trend, snapshot, { of: wordOf });
  useFollowHead(recommendation, snapshot, { of: wordOf });
  // No block comes after a recording's last, which may be an hour later than the chart.
  useFollowHead(hour, snapshot, { leastMs: snapshot.source.ended ? REPLAY_MARKET_MS : HOUR_CHART_MS });
  // A recording played fast leaves an old day behind within seconds.
  const marketMs = snapshot.source.kind === 'replay' ? REPLAY_MARKET_MS : MARKET_MS;
  useFollowHead(market, snapshot, { of: isOwnService ? wordOf : headOf, leastMs: marketMs });
  return { trend, recommendation, hour, market: { ...market, data: market.data?.value } };
}

/**
 * Whether advice knows more than the prices do, as when our own service learns of many blocks, or of more past, right
 * after its first prices: it must not stand beside these. To send now costs what the average lane does.
 */
function isOfLater(advice: RecommendationView | undefined, { updatedAt, lanes }: SnapshotView): boolean {
  if (advice === undefined) return false;
  if (advice.updatedAt !== null && updatedAt !== null && advice.updatedAt !== updatedAt)
    return advice.updatedAt > updatedAt;
  return advice.action === 'SEND_NOW' && advice.targetPrice !== lanes.average.price;
}
