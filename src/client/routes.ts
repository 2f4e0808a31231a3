import * as z from 'zod';
import * as alerts from '../contract/alerts.ts';
import * as autoTxs from '../contract/auto-txs.ts';
import * as dashboard from '../contract/dashboard.ts';
import * as explorer from '../contract/explorer.ts';
import * as gas from '../contract/gas.ts';
import * as metrics from '../contract/metrics.ts';
import { PATHS, type V1Route } from '../contract/routes.ts';
import { Alert, AlertDetails, AlertPage, AlertSavings, CreatedAlert, RotatedSecret } from './views/alerts.ts';
import { AutoTx, AutoTxAccount, AutoTxDetails, AutoTxPage } from './views/auto-txs.ts';
import { Chart, Current, Dashboard, Market, RateLimits } from './views/dashboard.ts';
import { Recommendation, Snapshot, Trend } from './views/gas.ts';
import { BaseFees, Block, GasUsedRatios, PriorityFees, Tx, Txs } from './views/metrics.ts';

export type Query = Readonly<Record<string, string>>;

export interface ClientRoute<View> {
  readonly method: V1Route['method'];
  readonly path: V1Route['path'];
  /** The query parameters that v1 documents, `name` or `name=value`. All others are additions. */
  readonly documented: readonly string[];
  /** The contract's strict schema: a valid response comes from a service with all prices in wei. */
  readonly schema: z.ZodObject;
  /** The lenient schema, with its conversion to a view. */
  readonly view: z.ZodType<View>;
}

export type ResponseSchemas<View> = Pick<ClientRoute<View>, 'schema' | 'view'>;

const route = <View>(
  method: ClientRoute<View>['method'],
  path: ClientRoute<View>['path'],
  schema: z.ZodObject,
  view: ClientRoute<View>['view'],
  ...documented: readonly string[]
): ClientRoute<View> => ({ method, path, schema, view, documented });

const get = <View>(
  path: ClientRoute<View>['path'],
  schema: z.ZodObject,
  view: z.ZodType<View>,
  ...documented: string[]
) => route('get', path, schema, view, ...documented);

/** Many services respond to a write with only an acknowledgement. */
const Anything = z.unknown();

export const ROUTES = {
  gasCurrent: get(PATHS.gasCurrent, gas.GasCurrent, Snapshot),
  gasStream: get(PATHS.gasStream, gas.GasCurrent, Snapshot),
  gasTrend: get(PATHS.gasTrend, gas.GasTrend, Trend),
  gasRecommendation: get(PATHS.gasRecommendation, gas.GasRecommendation, Recommendation),
  statsCurrent: get(PATHS.statsCurrent, dashboard.StatsCurrent, Current),
  statsChart: get(PATHS.statsChart, dashboard.StatsChart, Chart),
  statsMarket: get(PATHS.statsMarket, dashboard.StatsMarket, Market, 'timeFrame=24h'),
  rateLimits: get(PATHS.rateLimits, dashboard.RateLimits, RateLimits),
  summary: get(PATHS.summary, dashboard.Summary, Dashboard),
  baseFee: get(PATHS.baseFee, metrics.BaseFeeMetrics, BaseFees, 'from', 'to'),
  priorityFee: get(PATHS.priorityFee, metrics.PriorityFeeMetrics, PriorityFees, 'from', 'to', 'percentile'),
  gasUsedRatio: get(PATHS.gasUsedRatio, metrics.GasUsedRatioMetrics, GasUsedRatios, 'from', 'to'),
  block: get(PATHS.block, explorer.BlockMetrics, Block),
  tx: get(PATHS.tx, explorer.TxMetrics, Tx),
  txs: get(PATHS.txs, explorer.TxsMetrics, Txs, 'from', 'to'),
  alerts: get(PATHS.alerts, alerts.AlertList, AlertPage),
  alert: get(PATHS.alert, alerts.AlertDetails, AlertDetails),
  createAlert: route('post', PATHS.alerts, alerts.CreatedAlert, CreatedAlert),
  updateAlert: route('put', PATHS.alert, alerts.CreatedAlert, CreatedAlert),
  setAlertStatus: route('put', PATHS.alertStatus, alerts.Alert, Alert),
  deleteAlert: route('delete', PATHS.alert, alerts.Alert, Anything),
  alertSavings: get(PATHS.alertSavings, alerts.AlertSavings, AlertSavings),
  rotateSigningSecret: route('post', PATHS.signingSecret, alerts.RotatedSecret, RotatedSecret),
  redeliver: route('post', PATHS.alertRedeliver, alerts.Alert, Anything),
  autoTxs: get(PATHS.autoTxs, autoTxs.AutoTxList, AutoTxPage),
  autoTx: get(PATHS.autoTx, autoTxs.AutoTxDetails, AutoTxDetails),
  createAutoTx: route('post', PATHS.autoTxs, autoTxs.AutoTx, AutoTx),
  updateAutoTx: route('put', PATHS.autoTx, autoTxs.AutoTx, AutoTx),
  cancelAutoTx: route('post', PATHS.autoTxCancel, autoTxs.AutoTx, AutoTx),
  deleteAutoTx: route('delete', PATHS.autoTx, autoTxs.AutoTx, Anything),
  autoTxAccount: get(PATHS.autoTxAccount, autoTxs.AutoTxAccount, AutoTxAccount),
} as const;
