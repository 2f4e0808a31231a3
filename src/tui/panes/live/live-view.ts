import type { ChartView, MarketView } from '../../../client/views/dashboard.ts';
import type { RecommendationView, SnapshotView, TrendView } from '../../../client/views/gas.ts';

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
