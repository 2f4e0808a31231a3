import type { Bucket } from '../contract/choices.ts';
import type { CallToEstimate } from '../contract/estimate.ts';
import type { LaneName } from '../core/advice.ts';
import type { ServiceDescription } from './openapi.ts';
import type { ChartOptions, PriceChartView } from './price-chart.ts';
import type { RateLimit } from './rate-limit.ts';
import type { CallOptions, TextOptions } from './requests.ts';
import type { Query } from './routes.ts';
import type { RecommendationView, TrendView } from './views/advice.ts';
import type * as alerts from './views/alerts.ts';
import type * as autoTxs from './views/auto-txs.ts';
import type { ChainRulesView } from './views/chain.ts';
import type { GasEstimateView } from './views/cost.ts';
import type { ChartView, CurrentView, DashboardView, MarketView, RateLimitsView } from './views/dashboard.ts';
import type { SnapshotView } from './views/gas.ts';
import type * as metrics from './views/metrics.ts';

export interface ReachQuery {
  /** Wei per gas, base fee plus tip. */
  readonly targetPrice: bigint;
  readonly deadlineSec: number;
}

export interface PatienceOptions extends CallOptions {
  /**
   * How long the user can wait, in seconds (300 to 86,400): where a service does not take it, its table of waits is
   * decided on by gastop's rule. Default: what the service itself takes.
   */
  readonly patienceSec?: number;
}

export interface RecommendationOptions extends TextOptions, PatienceOptions {
  readonly reach?: ReachQuery;
}

/** A metrics window; absent fields have the service's default (the last hour, a fitting bucket). Times in ms. */
export interface MetricsQuery {
  readonly from?: number;
  readonly to?: number;
  readonly bucket?: Bucket;
  readonly page?: number;
  readonly size?: number;
}

type PercentileQuery = MetricsQuery & { readonly percentile?: string };
type Rows<Row> = Promise<metrics.MetricsView<Row>>;

export interface PriceMethods {
  gasCurrent(call?: TextOptions): Promise<SnapshotView>;
  /**
   * What `gasCurrent` gives: now, with each new block, and with any other change. Not part of v1. Ends with the connection.
   * @throws ClientError also when the connection breaks; `not-found` where the service lists no stream
   */
  stream(call?: TextOptions): AsyncGenerator<SnapshotView, void>;
  /** Prices, trend and advice of one block; the last two are `null` when unreadable. */
  statsCurrent(options?: PatienceOptions): Promise<CurrentView>;
  /** The gas rules of the newest block, and the next fork. Not part of v1. @throws ClientError `not-found` where it is not listed */
  chainRules(call?: TextOptions): Promise<ChainRulesView>;
  gasTrend(call?: CallOptions): Promise<TrendView>;
  /** `reach` of the response is `null` unless requested and known. */
  gasRecommendation(options?: RecommendationOptions): Promise<RecommendationView>;
  /** What a call takes; gastop's own addition to v1. @throws ClientError `invalid` where it would fail */
  gasEstimate(call: CallToEstimate, options?: TextOptions): Promise<GasEstimateView>;
}

export interface HistoryMethods {
  statsChart(timeFrame: string, call?: CallOptions): Promise<ChartView>;
  /** Base fee and tip over a time frame: from `stats/chart`, or else the metrics, or else polled prices. */
  chart(timeFrame: string, chosen?: ChartOptions): Promise<PriceChartView>;
  statsMarket(timeFrame: string, call?: CallOptions): Promise<MarketView>;
  baseFee(query?: MetricsQuery, call?: TextOptions): Rows<metrics.BaseFeeRowView>;
  priorityFee(query?: PercentileQuery, call?: CallOptions): Rows<metrics.PriorityFeeRowView>;
  gasUsedRatio(query?: MetricsQuery, call?: CallOptions): Rows<metrics.GasUsedRatioRowView>;
  /** One block; `latest` is the head, which v1 does not know by that name. */
  block(number: number | 'latest', call?: TextOptions): Promise<metrics.BlockView>;
  /** `lane`: of a pending one, how quick its replacement is to be; default: average. */
  tx(hash: string, options?: TextOptions & { readonly lane?: LaneName | undefined }): Promise<metrics.TxView>;
  /** The transactions of a window of at most 100 blocks, newest first. */
  txs(query?: Omit<MetricsQuery, 'bucket'>, call?: CallOptions): Rows<metrics.TxRowView>;
}

export interface AlertMethods {
  alerts(call?: TextOptions): Promise<alerts.AlertListView>;
  /** If its route fails, the list's data; `problem` says why deliveries are missing. */
  alert(id: string, call?: TextOptions): Promise<alerts.AlertDetailsView>;
  /** Sent once. A refusal has problems by field (`details`); without a readable response it may exist (`mayBeDone`). */
  createAlert(alert: alerts.NewAlert, call?: TextOptions): Promise<alerts.CreatedAlertView>;
  /** Not part of v1. `signingSecret`: if it had no webhook before. `null`: the response is not the alert. */
  updateAlert(
    id: string,
    alert: alerts.NewAlert,
    call?: TextOptions,
  ): Promise<alerts.CreatedAlertView | null>;
  rotateSigningSecret(call?: TextOptions): Promise<alerts.RotatedSecretView>;
  /** `status` is `PENDING`, `DISABLED`, or another value of the service. `null`: the response is not the alert. */
  setAlertStatus(id: string, status: string, call?: TextOptions): Promise<alerts.AlertView | null>;
  deleteAlert(id: string, call?: TextOptions): Promise<void>;
  alertSavings(
    id: string,
    options?: TextOptions & { readonly gasAmount?: number | undefined },
  ): Promise<alerts.AlertSavingsView>;
  redeliver(id: string, deliveryId: string, call?: TextOptions): Promise<void>;
}

export interface AutoTxMethods {
  autoTxs(call?: TextOptions): Promise<autoTxs.AutoTxListView>;
  /** If its route fails, the list's data; `problem` says why its timeline is missing. */
  autoTx(id: string, call?: TextOptions): Promise<autoTxs.AutoTxDetailsView>;
  /** The signed transaction goes to the service and into no error. */
  createAutoTx(autoTx: autoTxs.NewAutoTx, call?: TextOptions): Promise<autoTxs.AutoTxView>;
  updateAutoTx(
    id: string,
    changes: autoTxs.AutoTxChange,
    call?: TextOptions,
  ): Promise<autoTxs.AutoTxView | null>;
  cancelAutoTx(id: string, call?: TextOptions): Promise<autoTxs.AutoTxView | null>;
  deleteAutoTx(id: string, call?: TextOptions): Promise<void>;
  /** A sender's account for a pre-flight; gastop's own addition to v1. `null` when the service has no such route. */
  autoTxAccount(address: string, call?: CallOptions): Promise<autoTxs.AutoTxAccountView | null>;
}

export interface ServiceMethods {
  rateLimits(call?: CallOptions): Promise<RateLimitsView>;
  summary(call?: CallOptions): Promise<DashboardView>;
  /** The v1 part of the OpenAPI document, searched once; `null`: there is none. Call it after the first data is shown. */
  description(call?: CallOptions): Promise<ServiceDescription | null>;
  /** The text of a response to `GET path`, clean for a terminal. */
  raw(path: string, query?: Query, call?: CallOptions): Promise<string>;
}

/** A v1 service, with a method for each route. Every method rejects only with a `ClientError`. */
export interface GasClient extends PriceMethods, HistoryMethods, AlertMethods, AutoTxMethods, ServiceMethods {
  /** Pauses all requests of the key; the monitor shows it and retries. */
  readonly rateLimit: RateLimit;
  /** Whether the service is this program's own, whose nodes the user has chosen. @internal */
  readonly isOwn: boolean;
}
