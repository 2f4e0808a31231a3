import type { Bucket, Percentile } from '../contract/metrics.ts';
import type { TimeFrame } from '../contract/primitives.ts';
import type {
  BaseFeeRowView,
  BlockView,
  ChartView,
  DashboardView,
  GasUsedRatioRowView,
  MarketView,
  MetricsView,
  PriorityFeeRowView,
  RateLimitsView,
  RecommendationView,
  SnapshotView,
  TrendView,
  TxRowView,
  TxView,
} from './views.ts';

/** A metrics window; what is left out is the service's default (the last hour, a fitting bucket). Times in ms. */
export interface MetricsQuery {
  readonly from?: number;
  readonly to?: number;
  readonly bucket?: Bucket;
  readonly page?: number;
  readonly size?: number;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
}

/** The v1 service as the screens and commands see it. Every method rejects with a `ClientError`. */
export interface GasClient {
  gasCurrent(options?: CallOptions): Promise<SnapshotView>;
  gasTrend(options?: CallOptions): Promise<TrendView>;
  gasRecommendation(options?: CallOptions): Promise<RecommendationView>;
  statsChart(timeFrame: TimeFrame, options?: CallOptions): Promise<ChartView>;
  statsMarket(timeFrame: TimeFrame, options?: CallOptions): Promise<MarketView>;
  baseFee(query?: MetricsQuery, options?: CallOptions): Promise<MetricsView<BaseFeeRowView>>;
  priorityFee(
    query?: MetricsQuery & { readonly percentile?: Percentile },
    options?: CallOptions,
  ): Promise<MetricsView<PriorityFeeRowView>>;
  gasUsedRatio(query?: MetricsQuery, options?: CallOptions): Promise<MetricsView<GasUsedRatioRowView>>;
  /** One block, or the head for `latest`. */
  block(number: number | 'latest', options?: CallOptions): Promise<BlockView>;
  tx(hash: string, options?: CallOptions): Promise<TxView>;
  /** The transactions of a window of at most 100 blocks, newest first. */
  txs(query?: Omit<MetricsQuery, 'bucket'>, options?: CallOptions): Promise<MetricsView<TxRowView>>;
  rateLimits(options?: CallOptions): Promise<RateLimitsView>;
  summary(options?: CallOptions): Promise<DashboardView>;
  /** The service's answer to any GET as text, for `--json` and the raw view; refused answers reject. */
  raw(path: string, query?: Readonly<Record<string, string>>, options?: CallOptions): Promise<string>;
}
