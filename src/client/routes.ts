import type * as z from 'zod';
import { Alert, AlertDetails, AlertList, AlertSavings, CreatedAlert } from '../contract/alerts.ts';
import { AutoTx, AutoTxAccount, AutoTxDetails, AutoTxList } from '../contract/auto-txs.ts';
import { RateLimits, StatsChart, StatsMarket, Summary } from '../contract/dashboard.ts';
import { BlockMetrics, TxMetrics, TxsMetrics } from '../contract/explorer.ts';
import { GasCurrent, GasRecommendation, GasTrend } from '../contract/gas.ts';
import { BaseFeeMetrics, GasUsedRatioMetrics, PriorityFeeMetrics } from '../contract/metrics.ts';
import { PATHS, type V1Route } from '../contract/routes.ts';
import type { Answer } from './answer.ts';
import {
  readAlertDetails,
  readAlertPage,
  readAlertSavings,
  readChangedAlert,
  readCreatedAlert,
} from './views/alerts.ts';
import {
  readAutoTxAccount,
  readAutoTxDetails,
  readAutoTxPage,
  readChangedAutoTx,
  readCreatedAutoTx,
} from './views/auto-txs.ts';
import { readChart, readMarket, readRateLimits, readSummary } from './views/dashboard.ts';
import { readBlock, readTx, readTxRow } from './views/explorer.ts';
import { readRecommendation, readSnapshot, readTrend } from './views/gas.ts';
import { readBaseFeeRow, readGasUsedRatioRow, readMetrics, readPriorityFeeRow } from './views/metrics.ts';

export type Query = Readonly<Record<string, string>>;

/** One method of the client: what it requests, the contract's schema of the response, and how that is read. */
export interface ClientRoute<View> {
  readonly method: V1Route['method'];
  readonly path: V1Route['path'];
  /** A response that follows it comes from a service that counts every fee in wei. */
  readonly schema: z.ZodType;
  readonly view: (answer: Answer, query: Query) => View;
}

const route = <View>(
  method: ClientRoute<View>['method'],
  path: ClientRoute<View>['path'],
  schema: z.ZodType,
  view: ClientRoute<View>['view'],
): ClientRoute<View> => ({ method, path, schema, view });

/** Many a service answers a write with no more than that it was done. */
const throwIfRefused = (answer: Answer) => answer.throwIfRefused();

export const ROUTES = {
  gasCurrent: route('get', PATHS.gasCurrent, GasCurrent, readSnapshot),
  gasTrend: route('get', PATHS.gasTrend, GasTrend, readTrend),
  gasRecommendation: route('get', PATHS.gasRecommendation, GasRecommendation, readRecommendation),
  statsChart: route('get', PATHS.statsChart, StatsChart, (answer, { timeFrame = '' }) =>
    readChart(answer, timeFrame),
  ),
  statsMarket: route('get', PATHS.statsMarket, StatsMarket, (answer, { timeFrame = '' }) =>
    readMarket(answer, timeFrame),
  ),
  rateLimits: route('get', PATHS.rateLimits, RateLimits, readRateLimits),
  summary: route('get', PATHS.summary, Summary, readSummary),
  baseFee: route('get', PATHS.baseFee, BaseFeeMetrics, (answer) => readMetrics(answer, readBaseFeeRow)),
  priorityFee: route('get', PATHS.priorityFee, PriorityFeeMetrics, (answer) =>
    readMetrics(answer, readPriorityFeeRow),
  ),
  gasUsedRatio: route('get', PATHS.gasUsedRatio, GasUsedRatioMetrics, (answer) =>
    readMetrics(answer, readGasUsedRatioRow),
  ),
  block: route('get', PATHS.block, BlockMetrics, readBlock),
  tx: route('get', PATHS.tx, TxMetrics, readTx),
  txs: route('get', PATHS.txs, TxsMetrics, (answer) => readMetrics(answer, readTxRow)),
  alerts: route('get', PATHS.alerts, AlertList, readAlertPage),
  alert: route('get', PATHS.alert, AlertDetails, readAlertDetails),
  createAlert: route('post', PATHS.alerts, CreatedAlert, readCreatedAlert),
  setAlertStatus: route('put', PATHS.alertStatus, Alert, readChangedAlert),
  deleteAlert: route('delete', PATHS.alert, Alert, throwIfRefused),
  alertSavings: route('get', PATHS.alertSavings, AlertSavings, readAlertSavings),
  redeliver: route('post', PATHS.alertRedeliver, Alert, throwIfRefused),
  autoTxs: route('get', PATHS.autoTxs, AutoTxList, readAutoTxPage),
  autoTx: route('get', PATHS.autoTx, AutoTxDetails, readAutoTxDetails),
  createAutoTx: route('post', PATHS.autoTxs, AutoTx, readCreatedAutoTx),
  updateAutoTx: route('put', PATHS.autoTx, AutoTx, readChangedAutoTx),
  cancelAutoTx: route('post', PATHS.autoTxCancel, AutoTx, readChangedAutoTx),
  deleteAutoTx: route('delete', PATHS.autoTx, AutoTx, throwIfRefused),
  autoTxAccount: route('get', PATHS.autoTxAccount, AutoTxAccount, readAutoTxAccount),
} as const;
