import type * as z from 'zod';
import { AlertDetails, AlertList, AlertSavings } from '../../contract/alerts.ts';
import { AutoTxDetails, AutoTxList } from '../../contract/auto-txs.ts';
import { RateLimits, StatsChart, StatsCurrent, StatsMarket, Summary } from '../../contract/dashboard.ts';
import { BlockMetrics, TxMetrics, TxsMetrics } from '../../contract/explorer.ts';
import { GasCurrent, GasRecommendation, GasTrend } from '../../contract/gas.ts';
import { BaseFeeMetrics, GasUsedRatioMetrics, PriorityFeeMetrics } from '../../contract/metrics.ts';
import { PATHS, V1_ROUTES, type V1Route } from '../../contract/routes.ts';
import { readAlertSavings } from '../reading/alert-savings.ts';
import { readAlertDetails, readAlertPage } from '../reading/alerts.ts';
import type { Answer } from '../reading/answer.ts';
import { readAutoTxDetails, readAutoTxPage } from '../reading/auto-txs.ts';
import { readChart } from '../reading/chart.ts';
import { readRateLimits, readSummary } from '../reading/dashboard.ts';
import { readBlock, readTx, readTxRow } from '../reading/explorer.ts';
import { Fields } from '../reading/fields.ts';
import { readMarket } from '../reading/market.ts';
import { readBaseFeeRow, readGasUsedRatioRow, readMetrics, readPriorityFeeRow } from '../reading/metrics.ts';
import { readRecommendation } from '../reading/recommendation.ts';
import { readSnapshot } from '../reading/snapshot.ts';
import { readTrend } from '../reading/trend.ts';
import type { RateLimitsView } from '../views/dashboard.ts';
import type { SnapshotView } from '../views/gas.ts';

/** What earlier answers taught, to ask the next with. */
export interface Known {
  /** Its snapshot follows our contract, so that what the contract leaves to be left out may be. */
  readonly byContract: boolean;
  readonly snapshot: SnapshotView | null;
  readonly quota: RateLimitsView | null;
  readonly blockNumber: number | null;
  readonly txHash: string | null;
  readonly alertId: string | null;
  readonly autoTxId: string | null;
}

export const NOTHING_KNOWN: Known = {
  byContract: false,
  snapshot: null,
  quota: null,
  blockNumber: null,
  txHash: null,
  alertId: null,
  autoTxId: null,
};

export interface Question {
  /** Parameters of the path. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
}

export interface ReadRoute {
  readonly route: V1Route;
  readonly schema: z.ZodType;
  /** Why it cannot be asked, or how. `presentMs`: the service's present. */
  ask(known: Known, presentMs: number): Question | string;
  read(answer: Answer): Partial<Known>;
}

type Reading = Omit<ReadRoute, 'route'>;

const HOUR_SEC = 3_600;
/** A window of transactions may span 100 blocks at most; some chains make four a second. */
const TXS_WINDOW_SEC = 20;
const ROWS = '5';

const plain =
  (query?: Readonly<Record<string, string>>): Reading['ask'] =>
  () =>
    query === undefined ? {} : { query };

/** By the contract a window left out is the last hour, or as much as there is: a fixed one may reach too far back. */
const windowed =
  (sec: number, more: Readonly<Record<string, string>> = {}): Reading['ask'] =>
  ({ byContract }, presentMs) => {
    const window = { from: iso(presentMs - sec * 1_000), to: iso(presentMs + 1_000) };
    return { query: { ...(byContract ? {} : window), size: ROWS, ...more } };
  };

/** One thing by what an earlier answer called it. */
const named =
  (parameter: string, value: (known: Known) => string | number | null, without: string): Reading['ask'] =>
  (known) => {
    const found = value(known);
    return found === null ? without : { path: { [parameter]: String(found) } };
  };

/** Reads for its own sake: whether it can be read is all there is to know. */
const only =
  (read: (answer: Answer) => unknown): Reading['read'] =>
  (answer) => {
    read(answer);
    return {};
  };

const READINGS: Readonly<Partial<Record<V1Route['path'], Reading>>> = {
  [PATHS.gasCurrent]: {
    schema: GasCurrent,
    ask: plain(),
    read: (answer) => {
      const snapshot = readSnapshot(answer);
      return { snapshot, blockNumber: snapshot.blockNumber };
    },
  },
  [PATHS.gasTrend]: { schema: GasTrend, ask: plain(), read: only(readTrend) },
  [PATHS.gasRecommendation]: { schema: GasRecommendation, ask: plain(), read: only(readRecommendation) },
  [PATHS.statsCurrent]: { schema: StatsCurrent, ask: plain(), read: only(readStatsCurrent) },
  [PATHS.statsChart]: {
    schema: StatsChart,
    ask: plain({ timeFrame: '24h' }),
    read: only((answer) => readChart(answer, '24h')),
  },
  [PATHS.statsMarket]: {
    schema: StatsMarket,
    ask: plain({ timeFrame: '24h' }),
    read: only((answer) => readMarket(answer, '24h')),
  },
  [PATHS.rateLimits]: {
    schema: RateLimits,
    ask: plain(),
    read: (answer) => ({ quota: readRateLimits(answer) }),
  },
  [PATHS.summary]: { schema: Summary, ask: plain(), read: only(readSummary) },
  [PATHS.baseFee]: {
    schema: BaseFeeMetrics,
    ask: windowed(HOUR_SEC),
    read: only((answer) => readMetrics(answer, readBaseFeeRow)),
  },
  [PATHS.priorityFee]: {
    schema: PriorityFeeMetrics,
    ask: windowed(HOUR_SEC, { percentile: 'p95' }),
    read: only((answer) => readMetrics(answer, readPriorityFeeRow)),
  },
  [PATHS.gasUsedRatio]: {
    schema: GasUsedRatioMetrics,
    ask: windowed(HOUR_SEC),
    read: only((answer) => readMetrics(answer, readGasUsedRatioRow)),
  },
  [PATHS.block]: {
    schema: BlockMetrics,
    ask: (known) => ({ path: { number: String(known.blockNumber ?? 'latest') } }),
    read: only(readBlock),
  },
  [PATHS.txs]: {
    schema: TxsMetrics,
    ask: windowed(TXS_WINDOW_SEC),
    read: (answer) => ({ txHash: readMetrics(answer, readTxRow).rows[0]?.hash ?? null }),
  },
  [PATHS.tx]: {
    schema: TxMetrics,
    ask: named('hash', ({ txHash }) => txHash, 'no transaction to ask for: /metrics/txs gave none'),
    read: only(readTx),
  },
  [PATHS.alerts]: { schema: AlertList, ask: plain({ size: ROWS }), read: readFirstAlert },
  [PATHS.alert]: {
    schema: AlertDetails,
    ask: named('id', ({ alertId }) => alertId, 'no alert to ask for: /alerts gave none'),
    read: only(readAlertDetails),
  },
  [PATHS.alertSavings]: {
    schema: AlertSavings,
    ask: named('id', ({ alertId }) => alertId, 'no alert to ask for: /alerts gave none'),
    read: only(readAlertSavings),
  },
  [PATHS.autoTxs]: {
    schema: AutoTxList,
    ask: plain({ size: ROWS }),
    read: readFirstAutoTx,
  },
  [PATHS.autoTx]: {
    schema: AutoTxDetails,
    ask: named('id', ({ autoTxId }) => autoTxId, 'no auto-tx to ask for: /auto-txs gave none'),
    read: only(readAutoTxDetails),
  },
};

/** The windows of transactions come before the one transaction that is taken out of them. */
const LATER: readonly string[] = [PATHS.tx];
/** What matters most comes first, should the quota end under way. */
const GROUPS = ['gas', 'dashboard', 'metrics', 'alerts', 'auto-txs'];

/** Every read route of v1, in the order of asking. */
export const READ_ROUTES: readonly ReadRoute[] = V1_ROUTES.filter(({ method }) => method === 'get')
  .flatMap((route) => {
    const reading = READINGS[route.path];
    return reading === undefined ? [] : [{ route, ...reading }];
  })
  .sort((a, b) => GROUPS.indexOf(a.route.group) - GROUPS.indexOf(b.route.group) || late(a) - late(b));

function late({ route }: ReadRoute): number {
  return LATER.includes(route.path) ? 1 : 0;
}

function readStatsCurrent(answer: Answer): void {
  const fields = new Fields(
    answer,
    answer.record(['snapshot', 'trend', 'recommendation', 'lowPrice', 'low'], 'snapshot'),
  );
  for (const part of ['snapshot', 'trend', 'recommendation']) fields.child(part);
}

function readFirstAlert(answer: Answer): Partial<Known> {
  const { items, failure } = readAlertPage(answer);
  if (items.length === 0 && failure !== null) throw failure;
  return { alertId: items[0]?.id ?? null };
}

function readFirstAutoTx(answer: Answer): Partial<Known> {
  const { items, failure } = readAutoTxPage(answer);
  if (items.length === 0 && failure !== null) throw failure;
  return { autoTxId: items[0]?.id ?? null };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
