/** What `gastop/client` exports: the client that the monitor and the commands use, with the types of its views. */

export type { ChainStatus } from '../core/chain-status.ts';
export { createGasClient, type GasClientOptions } from './client.ts';
export { ClientError, type ClientErrorCode, type LimitKind } from './errors.ts';
export type { GasClient, MetricsQuery, ReachQuery, RecommendationOptions } from './gas-client.ts';
export type { ParameterDescription, RouteDescription, ServiceDescription } from './openapi.ts';
export type { ChartOptions, PriceChartView } from './price-chart.ts';
export type { Pause } from './rate-limit.ts';
export type { CallOptions, TextOptions } from './requests.ts';
export type { HorizonView, ReachView, RecommendationView, TrendView } from './views/advice.ts';
export type {
  AlertDetailsView,
  AlertListView,
  AlertSavingsView,
  AlertView,
  CreatedAlertView,
  DeliveryAttemptView,
  DeliveryView,
  ListView,
  NewAlert,
  SavingsEntryView,
} from './views/alerts.ts';
export type {
  AutoTxAccountView,
  AutoTxChange,
  AutoTxDetailsView,
  AutoTxListView,
  AutoTxView,
  CheckView,
  ComparisonView,
  NewAutoTx,
  TimelineEntryView,
} from './views/auto-txs.ts';
export { chainStatus } from './views/chain-status.ts';
export type {
  ActionView,
  ChartPointView,
  ChartView,
  CostView,
  CurrentView,
  DashboardView,
  EngineView,
  MarketView,
  NodeView,
  RateLimitsView,
  StatsView,
} from './views/dashboard.ts';
export type { LaneView, SnapshotView } from './views/gas.ts';
export type {
  BaseFeeRowView,
  BlockView,
  GasUsedRatioRowView,
  MetricsView,
  PriorityFeeRowView,
  TxRowView,
  TxView,
} from './views/metrics.ts';
