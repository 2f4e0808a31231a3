import * as z from 'zod';
import * as alerts from '../contract/alerts.ts';
import * as autoTxs from '../contract/auto-txs.ts';
import * as chain from '../contract/chain.ts';
import * as dashboard from '../contract/dashboard.ts';
import * as estimate from '../contract/estimate.ts';
import * as gas from '../contract/gas.ts';
import * as metrics from '../contract/metrics.ts';
import { PATHS, type V1Route } from '../contract/routes.ts';
import {
  AlertDetailsView,
  AlertPage,
  AlertSavingsView,
  AlertView,
  CreatedAlertView,
  RotatedSecretView,
} from './views/alerts.ts';
import { AutoTxAccountView, AutoTxDetailsView, AutoTxPage, AutoTxView } from './views/auto-txs.ts';
import { ChainRulesView } from './views/chain.ts';
import { GasEstimateView } from './views/cost.ts';
import { Chart, Current, Dashboard, Market, RateLimitsView } from './views/dashboard.ts';
import { RecommendationView, Snapshot, TrendView } from './views/gas.ts';
import { BaseFees, BlockView, GasUsedRatios, PriorityFees, Tx, Txs } from './views/metrics.ts';

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
  path: ClientRoute<View>['path'],
  schema: z.ZodObject,
  view: z.ZodType<View>,
  { method = 'get', documented = [] }: Partial<Pick<ClientRoute<View>, 'method' | 'documented'>> = {},
): ClientRoute<View> => ({ method, path, schema, view, documented });

const WINDOW = ['from', 'to'];
/** Many services respond to a write with only an acknowledgement. */
const Anything = z.unknown();

export const ROUTES = {
  gasCurrent: route(PATHS.gasCurrent, gas.GasCurrent, Snapshot),
  gasStream: route(PATHS.gasStream, gas.GasCurrent, Snapshot),
  gasTrend: route(PATHS.gasTrend, gas.GasTrend, TrendView),
  gasRecommendation: route(PATHS.gasRecommendation, gas.GasRecommendation, RecommendationView),
  gasEstimate: route(PATHS.gasEstimate, estimate.GasEstimate, GasEstimateView, { method: 'post' }),
  statsCurrent: route(PATHS.statsCurrent, dashboard.StatsCurrent, Current),
  statsChart: route(PATHS.statsChart, dashboard.StatsChart, Chart),
  statsMarket: route(PATHS.statsMarket, dashboard.StatsMarket, Market, { documented: ['timeFrame=24h'] }),
  rateLimits: route(PATHS.rateLimits, dashboard.RateLimits, RateLimitsView),
  summary: route(PATHS.summary, dashboard.Summary, Dashboard),
  baseFee: route(PATHS.baseFee, metrics.BaseFeeMetrics, BaseFees, { documented: WINDOW }),
  priorityFee: route(PATHS.priorityFee, metrics.PriorityFeeMetrics, PriorityFees, {
    documented: [...WINDOW, 'percentile'],
  }),
  gasUsedRatio: route(PATHS.gasUsedRatio, metrics.GasUsedRatioMetrics, GasUsedRatios, { documented: WINDOW }),
  block: route(PATHS.block, metrics.BlockMetrics, BlockView),
  tx: route(PATHS.tx, metrics.TxMetrics, Tx),
  txs: route(PATHS.txs, metrics.TxsMetrics, Txs, { documented: WINDOW }),
  alerts: route(PATHS.alerts, alerts.AlertList, AlertPage),
  alert: route(PATHS.alert, alerts.AlertDetails, AlertDetailsView),
  createAlert: route(PATHS.alerts, alerts.CreatedAlert, CreatedAlertView, { method: 'post' }),
  updateAlert: route(PATHS.alert, alerts.CreatedAlert, CreatedAlertView, { method: 'put' }),
  setAlertStatus: route(PATHS.alertStatus, alerts.Alert, AlertView, { method: 'put' }),
  deleteAlert: route(PATHS.alert, alerts.Alert, Anything, { method: 'delete' }),
  alertSavings: route(PATHS.alertSavings, alerts.AlertSavings, AlertSavingsView),
  rotateSigningSecret: route(PATHS.signingSecret, alerts.RotatedSecret, RotatedSecretView, {
    method: 'post',
  }),
  redeliver: route(PATHS.alertRedeliver, alerts.Alert, Anything, { method: 'post' }),
  autoTxs: route(PATHS.autoTxs, autoTxs.AutoTxList, AutoTxPage),
  autoTx: route(PATHS.autoTx, autoTxs.AutoTxDetails, AutoTxDetailsView),
  createAutoTx: route(PATHS.autoTxs, autoTxs.AutoTx, AutoTxView, { method: 'post' }),
  updateAutoTx: route(PATHS.autoTx, autoTxs.AutoTx, AutoTxView, { method: 'put' }),
  cancelAutoTx: route(PATHS.autoTxCancel, autoTxs.AutoTx, AutoTxView, { method: 'post' }),
  deleteAutoTx: route(PATHS.autoTx, autoTxs.AutoTx, Anything, { method: 'delete' }),
  chainRules: route(PATHS.chainRules, chain.ChainRules, ChainRulesView),
  autoTxAccount: route(PATHS.autoTxAccount, autoTxs.AutoTxAccount, AutoTxAccountView),
} as const;
