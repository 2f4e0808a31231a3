import type * as z from 'zod';
import { PATHS, type V1Route } from '../contract/routes.ts';

export type Query = Readonly<Record<string, string>>;

export interface ClientRoute<View> {
  readonly method: V1Route['method'];
  readonly path: V1Route['path'];
  /** The query parameters that v1 documents, `name` or `name=value`. All others are additions. */
  readonly documented: readonly string[];
  /** What an addition to v1 does: it is only requested of a service that lists it, as others may do anything. */
  readonly addition?: string | undefined;
  /** Loads them: making the schemas of all routes takes longer than a request to this machine. */
  readonly schemas: () => Promise<ResponseSchemas<View>>;
}

export interface ResponseSchemas<View> {
  /** The contract's strict schema: a valid response comes from a service with all prices in wei. */
  readonly schema: z.ZodObject;
  /** The lenient schema, with its conversion to a view. */
  readonly view: z.ZodType<View>;
}

/** `schema` and `view` are their names in the two modules that `load` loads. */
const route = <
  Schema extends string,
  View extends string,
  Wire extends Readonly<Record<Schema, z.ZodObject>>,
  Views extends Readonly<Record<View, z.ZodType>>,
>(
  path: V1Route['path'],
  load: () => Promise<readonly [wire: Wire, views: Views]>,
  schema: Schema,
  view: View,
  { method = 'get', documented = [], addition }: Partial<ClientRoute<unknown>> = {},
): ClientRoute<z.output<Views[View]>> => {
  let loaded: Promise<ResponseSchemas<z.output<Views[View]>>> | undefined;
  const schemas = async () => {
    const [wire, views] = await load();
    return { schema: wire[schema], view: views[view] as z.ZodType<z.output<Views[View]>> };
  };
  return { method, path, documented, addition, schemas: () => (loaded ??= schemas()) };
};

const gas = () => Promise.all([import('../contract/gas.ts'), import('./views/gas.ts')]);
const advice = () => Promise.all([import('../contract/advice.ts'), import('./views/advice.ts')]);
const cost = () => Promise.all([import('../contract/estimate.ts'), import('./views/cost.ts')]);
const chain = () => Promise.all([import('../contract/chain.ts'), import('./views/chain.ts')]);
const dashboard = () => Promise.all([import('../contract/dashboard.ts'), import('./views/dashboard.ts')]);
const metrics = () => Promise.all([import('../contract/metrics.ts'), import('./views/metrics.ts')]);
const alerts = () => Promise.all([import('../contract/alerts.ts'), import('./views/alerts.ts')]);
const autoTxs = () => Promise.all([import('../contract/auto-txs.ts'), import('./views/auto-txs.ts')]);

const WINDOW = { documented: ['from', 'to'] };

export const ROUTES = {
  gasCurrent: route(PATHS.gasCurrent, gas, 'GasCurrent', 'Snapshot'),
  gasStream: route(PATHS.gasStream, gas, 'GasCurrent', 'Snapshot', {
    addition: 'send prices as they change',
  }),
  gasTrend: route(PATHS.gasTrend, advice, 'GasTrend', 'TrendView'),
  gasRecommendation: route(PATHS.gasRecommendation, advice, 'GasRecommendation', 'RecommendationView'),
  gasEstimate: route(PATHS.gasEstimate, cost, 'GasEstimate', 'GasEstimateView', {
    method: 'post',
    addition: 'estimate what a call takes',
  }),
  statsCurrent: route(PATHS.statsCurrent, dashboard, 'StatsCurrent', 'Current'),
  statsChart: route(PATHS.statsChart, dashboard, 'StatsChart', 'Chart'),
  statsMarket: route(PATHS.statsMarket, dashboard, 'StatsMarket', 'Market', {
    documented: ['timeFrame=24h'],
  }),
  rateLimits: route(PATHS.rateLimits, dashboard, 'RateLimits', 'RateLimitsView'),
  summary: route(PATHS.summary, dashboard, 'Summary', 'Dashboard'),
  baseFee: route(PATHS.baseFee, metrics, 'BaseFeeMetrics', 'BaseFees', WINDOW),
  priorityFee: route(PATHS.priorityFee, metrics, 'PriorityFeeMetrics', 'PriorityFees', {
    documented: ['from', 'to', 'percentile'],
  }),
  gasUsedRatio: route(PATHS.gasUsedRatio, metrics, 'GasUsedRatioMetrics', 'GasUsedRatios', WINDOW),
  block: route(PATHS.block, metrics, 'BlockMetrics', 'BlockView'),
  tx: route(PATHS.tx, metrics, 'TxMetrics', 'Tx'),
  txs: route(PATHS.txs, metrics, 'TxsMetrics', 'Txs', WINDOW),
  alerts: route(PATHS.alerts, alerts, 'AlertList', 'AlertPage'),
  alert: route(PATHS.alert, alerts, 'AlertDetails', 'AlertDetailsView'),
  createAlert: route(PATHS.alerts, alerts, 'CreatedAlert', 'CreatedAlertView', { method: 'post' }),
  updateAlert: route(PATHS.alert, alerts, 'CreatedAlert', 'CreatedAlertView', {
    method: 'put',
    addition: 'change alerts',
  }),
  setAlertStatus: route(PATHS.alertStatus, alerts, 'Alert', 'AlertView', { method: 'put' }),
  deleteAlert: route(PATHS.alert, alerts, 'Alert', 'AlertView', { method: 'delete' }),
  alertSavings: route(PATHS.alertSavings, alerts, 'AlertSavings', 'AlertSavingsView'),
  rotateSigningSecret: route(PATHS.signingSecret, alerts, 'RotatedSecret', 'RotatedSecretView', {
    method: 'post',
    addition: 'change the signing secret',
  }),
  redeliver: route(PATHS.alertRedeliver, alerts, 'Alert', 'AlertView', {
    method: 'post',
    addition: 'send deliveries again',
  }),
  autoTxs: route(PATHS.autoTxs, autoTxs, 'AutoTxList', 'AutoTxPage'),
  autoTx: route(PATHS.autoTx, autoTxs, 'AutoTxDetails', 'AutoTxDetailsView'),
  createAutoTx: route(PATHS.autoTxs, autoTxs, 'AutoTx', 'AutoTxView', { method: 'post' }),
  updateAutoTx: route(PATHS.autoTx, autoTxs, 'AutoTx', 'AutoTxView', { method: 'put' }),
  cancelAutoTx: route(PATHS.autoTxCancel, autoTxs, 'AutoTx', 'AutoTxView', { method: 'post' }),
  deleteAutoTx: route(PATHS.autoTx, autoTxs, 'AutoTx', 'AutoTxView', { method: 'delete' }),
  chainRules: route(PATHS.chainRules, chain, 'ChainRules', 'ChainRulesView', {
    addition: 'say which gas rules hold',
  }),
  autoTxAccount: route(PATHS.autoTxAccount, autoTxs, 'AutoTxAccount', 'AutoTxAccountView'),
} as const;
