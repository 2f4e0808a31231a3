import * as z from 'zod';
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

const route = <Loaded, View>(
  path: ClientRoute<View>['path'],
  load: () => Promise<Loaded>,
  choose: (loaded: Loaded) => readonly [schema: z.ZodObject, view: z.ZodType<View>],
  { method = 'get', documented = [], addition }: Partial<ClientRoute<View>> = {},
): ClientRoute<View> => {
  let loaded: Promise<ResponseSchemas<View>> | undefined;
  const schemas = async () => {
    const [schema, view] = choose(await load());
    return { schema, view };
  };
  return { method, path, documented, addition, schemas: () => (loaded ??= schemas()) };
};

const gas = () => Promise.all([import('../contract/gas.ts'), import('./views/gas.ts')]);
const cost = () => Promise.all([import('../contract/estimate.ts'), import('./views/cost.ts')]);
const chain = () => Promise.all([import('../contract/chain.ts'), import('./views/chain.ts')]);
const dashboard = () => Promise.all([import('../contract/dashboard.ts'), import('./views/dashboard.ts')]);
const metrics = () => Promise.all([import('../contract/metrics.ts'), import('./views/metrics.ts')]);
const alerts = () => Promise.all([import('../contract/alerts.ts'), import('./views/alerts.ts')]);
const autoTxs = () => Promise.all([import('../contract/auto-txs.ts'), import('./views/auto-txs.ts')]);

const WINDOW = ['from', 'to'];
/** Many services respond to a write with only an acknowledgement. */
const Anything = z.unknown();

export const ROUTES = {
  gasCurrent: route(PATHS.gasCurrent, gas, ([wire, views]) => [wire.GasCurrent, views.Snapshot]),
  gasStream: route(PATHS.gasStream, gas, ([wire, views]) => [wire.GasCurrent, views.Snapshot], {
    addition: 'send prices as they change',
  }),
  gasTrend: route(PATHS.gasTrend, gas, ([wire, views]) => [wire.GasTrend, views.TrendView]),
  gasRecommendation: route(PATHS.gasRecommendation, gas, ([wire, views]) => [
    wire.GasRecommendation,
    views.RecommendationView,
  ]),
  gasEstimate: route(PATHS.gasEstimate, cost, ([wire, views]) => [wire.GasEstimate, views.GasEstimateView], {
    method: 'post',
    addition: 'estimate what a call takes',
  }),
  statsCurrent: route(PATHS.statsCurrent, dashboard, ([wire, views]) => [wire.StatsCurrent, views.Current]),
  statsChart: route(PATHS.statsChart, dashboard, ([wire, views]) => [wire.StatsChart, views.Chart]),
  statsMarket: route(PATHS.statsMarket, dashboard, ([wire, views]) => [wire.StatsMarket, views.Market], {
    documented: ['timeFrame=24h'],
  }),
  rateLimits: route(PATHS.rateLimits, dashboard, ([wire, views]) => [wire.RateLimits, views.RateLimitsView]),
  summary: route(PATHS.summary, dashboard, ([wire, views]) => [wire.Summary, views.Dashboard]),
  baseFee: route(PATHS.baseFee, metrics, ([wire, views]) => [wire.BaseFeeMetrics, views.BaseFees], {
    documented: WINDOW,
  }),
  priorityFee: route(
    PATHS.priorityFee,
    metrics,
    ([wire, views]) => [wire.PriorityFeeMetrics, views.PriorityFees],
    {
      documented: [...WINDOW, 'percentile'],
    },
  ),
  gasUsedRatio: route(
    PATHS.gasUsedRatio,
    metrics,
    ([wire, views]) => [wire.GasUsedRatioMetrics, views.GasUsedRatios],
    { documented: WINDOW },
  ),
  block: route(PATHS.block, metrics, ([wire, views]) => [wire.BlockMetrics, views.BlockView]),
  tx: route(PATHS.tx, metrics, ([wire, views]) => [wire.TxMetrics, views.Tx]),
  txs: route(PATHS.txs, metrics, ([wire, views]) => [wire.TxsMetrics, views.Txs], { documented: WINDOW }),
  alerts: route(PATHS.alerts, alerts, ([wire, views]) => [wire.AlertList, views.AlertPage]),
  alert: route(PATHS.alert, alerts, ([wire, views]) => [wire.AlertDetails, views.AlertDetailsView]),
  createAlert: route(PATHS.alerts, alerts, ([wire, views]) => [wire.CreatedAlert, views.CreatedAlertView], {
    method: 'post',
  }),
  updateAlert: route(PATHS.alert, alerts, ([wire, views]) => [wire.CreatedAlert, views.CreatedAlertView], {
    method: 'put',
    addition: 'change alerts',
  }),
  setAlertStatus: route(PATHS.alertStatus, alerts, ([wire, views]) => [wire.Alert, views.AlertView], {
    method: 'put',
  }),
  deleteAlert: route(PATHS.alert, alerts, ([wire]) => [wire.Alert, Anything], { method: 'delete' }),
  alertSavings: route(PATHS.alertSavings, alerts, ([wire, views]) => [
    wire.AlertSavings,
    views.AlertSavingsView,
  ]),
  rotateSigningSecret: route(
    PATHS.signingSecret,
    alerts,
    ([wire, views]) => [wire.RotatedSecret, views.RotatedSecretView],
    {
      method: 'post',
      addition: 'change the signing secret',
    },
  ),
  redeliver: route(PATHS.alertRedeliver, alerts, ([wire]) => [wire.Alert, Anything], { method: 'post' }),
  autoTxs: route(PATHS.autoTxs, autoTxs, ([wire, views]) => [wire.AutoTxList, views.AutoTxPage]),
  autoTx: route(PATHS.autoTx, autoTxs, ([wire, views]) => [wire.AutoTxDetails, views.AutoTxDetailsView]),
  createAutoTx: route(PATHS.autoTxs, autoTxs, ([wire, views]) => [wire.AutoTx, views.AutoTxView], {
    method: 'post',
  }),
  updateAutoTx: route(PATHS.autoTx, autoTxs, ([wire, views]) => [wire.AutoTx, views.AutoTxView], {
    method: 'put',
  }),
  cancelAutoTx: route(PATHS.autoTxCancel, autoTxs, ([wire, views]) => [wire.AutoTx, views.AutoTxView], {
    method: 'post',
  }),
  deleteAutoTx: route(PATHS.autoTx, autoTxs, ([wire]) => [wire.AutoTx, Anything], { method: 'delete' }),
  chainRules: route(PATHS.chainRules, chain, ([wire, views]) => [wire.ChainRules, views.ChainRulesView], {
    addition: 'say which gas rules hold',
  }),
  autoTxAccount: route(PATHS.autoTxAccount, autoTxs, ([wire, views]) => [
    wire.AutoTxAccount,
    views.AutoTxAccountView,
  ]),
} as const;
