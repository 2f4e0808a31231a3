import type { Bucket } from '../contract/metrics.ts';
import type { ServiceDescription } from './description/service-description.ts';
import type {
  AlertDetailsView,
  AlertListView,
  AlertSavingsView,
  AlertView,
  CreatedAlertView,
  NewAlert,
} from './views/alerts.ts';
import type {
  AutoTxAccountView,
  AutoTxChange,
  AutoTxDetailsView,
  AutoTxListView,
  AutoTxView,
  NewAutoTx,
} from './views/auto-txs.ts';
import type { ChartView } from './views/chart.ts';
import type { DashboardView, RateLimitsView } from './views/dashboard.ts';
import type { BlockView, TxRowView, TxView } from './views/explorer.ts';
import type { MarketView } from './views/market.ts';
import type {
  BaseFeeRowView,
  GasUsedRatioRowView,
  MetricsView,
  PriorityFeeRowView,
} from './views/metrics.ts';
import type { RecommendationView } from './views/recommendation.ts';
import type { SnapshotView } from './views/snapshot.ts';
import type { TrendView } from './views/trend.ts';

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

export interface WriteOptions extends CallOptions {
  /** Told of the service's own answer as text, where it gives one, before it is read. */
  readonly onAnswer?: (text: string) => void;
}

/** How likely is it that some block until then asks for no more? */
export interface ReachQuery {
  /** Wei per gas, base fee and tip together. */
  readonly targetPrice: bigint;
  /** Whole seconds from now, at most 7 days. */
  readonly deadlineSec: number;
}

export interface RecommendationOptions extends CallOptions {
  readonly reach?: ReachQuery;
}

/** The v1 service as the screens and commands see it. Every method rejects with a `ClientError`. */
export interface GasClient {
  gasCurrent(options?: CallOptions): Promise<SnapshotView>;
  gasTrend(options?: CallOptions): Promise<TrendView>;
  /** `reach` of the answer is `null` unless it was asked about, or where the service cannot say. */
  gasRecommendation(options?: RecommendationOptions): Promise<RecommendationView>;
  /** `timeFrame` and `percentile` are the contract's words or others that the service offers. */
  statsChart(timeFrame: string, options?: CallOptions): Promise<ChartView>;
  statsMarket(timeFrame: string, options?: CallOptions): Promise<MarketView>;
  baseFee(query?: MetricsQuery, options?: CallOptions): Promise<MetricsView<BaseFeeRowView>>;
  priorityFee(
    query?: MetricsQuery & { readonly percentile?: string },
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
  /** All of them, newest first, however many pages that takes (at most 10,000). */
  alerts(options?: CallOptions): Promise<AlertListView>;
  alert(id: string, options?: CallOptions): Promise<AlertDetailsView>;
  /**
   * Asked once, like everything here that changes something. The `ClientError` of a refusal says what is wrong field by
   * field (`details`); one whose answer never came or cannot be read says that it may be there all the same
   * (`mayBeDone`).
   */
  createAlert(alert: NewAlert, options?: WriteOptions): Promise<CreatedAlertView>;
  /** `status` is `PENDING`, `DISABLED`, or a service's own word. Answers the alert, where the service does. */
  setAlertStatus(id: string, status: string, options?: WriteOptions): Promise<AlertView | null>;
  deleteAlert(id: string, options?: WriteOptions): Promise<void>;
  /** `gasAmount`: gas that the savings are counted for; left out: the service's own idea. */
  alertSavings(
    id: string,
    options?: CallOptions & { readonly gasAmount?: number },
  ): Promise<AlertSavingsView>;
  /** Sends once more what was sent; gastop's own addition to v1. */
  redeliver(alertId: string, deliveryId: string, options?: WriteOptions): Promise<void>;
  /** All of them, newest first, however many pages that takes (at most 10,000). */
  autoTxs(options?: CallOptions): Promise<AutoTxListView>;
  autoTx(id: string, options?: CallOptions): Promise<AutoTxDetailsView>;
  /** What is signed of it goes to the service and into no error. */
  createAutoTx(autoTx: NewAutoTx, options?: WriteOptions): Promise<AutoTxView>;
  /** Answers the auto-tx, where the service does. */
  updateAutoTx(id: string, change: AutoTxChange, options?: WriteOptions): Promise<AutoTxView | null>;
  cancelAutoTx(id: string, options?: WriteOptions): Promise<AutoTxView | null>;
  deleteAutoTx(id: string, options?: WriteOptions): Promise<void>;
  /** What a pre-flight needs of a sender; gastop's own addition to v1. `null`: the service has no such route. */
  autoTxAccount(address: string, options?: CallOptions): Promise<AutoTxAccountView | null>;
  /**
   * What the service's own OpenAPI document says of v1, looked for once and kept; `null`: it has none. Nothing
   * depends on it: ask when something is there to be shown, not before.
   */
  description(options?: CallOptions): Promise<ServiceDescription | null>;
  /** The service's answer to any GET as text, for `--json` and the raw view; refused answers reject. */
  raw(path: string, query?: Readonly<Record<string, string>>, options?: CallOptions): Promise<string>;
}
