import { type Answer, readRows } from '../answer.ts';
import { Fields, readFee } from '../fields.ts';
import { isRecord } from '../json.ts';

export interface RateLimitsView {
  readonly plan: string | null;
  readonly dailyLimit: number | null;
  readonly usedToday: number | null;
  readonly remainingToday: number | null;
  readonly resetsAt: number | null;
  readonly perSecond: number | null;
}

export interface NodeView {
  readonly name: string;
  /** `ok`, `lagging`, `disagrees`, `down`, `wrong-chain`, or a foreign service's own word. */
  readonly state: string | null;
  readonly head: number | null;
  readonly latencyMs: number | null;
  readonly message: string | null;
}

/** The process that writes blocks and fires alerts: several may run on one database. */
export interface EngineView {
  readonly process: string | null;
  /** It is the one that answers. */
  readonly isHere: boolean | null;
  readonly since: number | null;
  readonly heartbeatAt: number | null;
}

/** The service at a glance. */
export interface DashboardView {
  readonly alerts: {
    readonly total: number | null;
    readonly pending: number | null;
    readonly disabled: number | null;
    readonly fired24h: number | null;
  };
  readonly autoTxs: { readonly total: number | null; readonly byStatus: Readonly<Record<string, number>> };
  readonly savings: {
    readonly savedWei: bigint | null;
    readonly savedUsd: number | null;
    readonly events: number | null;
  };
  readonly health: {
    readonly sourceName: string | null;
    readonly stale: boolean | null;
    readonly headAgeSec: number | null;
    readonly lagBlocks: number | null;
    /** Empty where the service does not tell of its nodes. */
    readonly nodes: readonly NodeView[];
    /** `null`: there is none, or the service does not tell. */
    readonly engine: EngineView | null;
  };
}

export interface ChartPointView {
  readonly timestamp: number;
  readonly base: number;
  readonly priority: number | null;
  readonly low: number | null;
  readonly average: number | null;
  readonly high: number | null;
  readonly gasUsedRatio: number | null;
}

export interface ChartView {
  readonly timeFrame: string;
  readonly bucketSec: number | null;
  readonly points: readonly ChartPointView[];
  readonly anomalies: readonly {
    readonly timestamp: number;
    readonly kind: string;
    readonly value: number;
  }[];
  readonly events: readonly { readonly timestamp: number; readonly kind: string; readonly id: string }[];
}

export interface StatsView {
  readonly now: number;
  readonly min: number;
  readonly p10: number | null;
  readonly median: number | null;
  readonly mean: number | null;
  readonly p90: number | null;
  readonly max: number;
  readonly changeRatio: number | null;
}

export interface MarketView {
  readonly timeFrame: string;
  /** Where the figures begin: later than the time frame while history is young. */
  readonly from: number | null;
  readonly base: StatsView | null;
  readonly average: StatsView | null;
  readonly volatility: number | null;
  readonly cheapestHourUtc: number | null;
  /** 7 rows (Monday first) of 24 UTC hours; empty where the service has none. */
  readonly heatmap: readonly (readonly (number | null)[])[];
  readonly nativeUsd: number | null;
  readonly nativeUsdChangeRatio: number | null;
  readonly actions: readonly ActionView[];
}

/** What usual work costs on each lane; `null` where the service does not say. */
export interface ActionView {
  readonly name: string;
  readonly gas: number;
  readonly slow: CostView | null;
  readonly average: CostView | null;
  readonly fast: CostView | null;
}

export interface CostView {
  readonly wei: bigint;
  readonly usd: number | null;
}

/** `GET /dashboard/rate-limits`. Required: any of its figures. */
export function readRateLimits(answer: Answer): RateLimitsView {
  const fields = new Fields(
    answer,
    answer.record(['plan', 'dailyLimit', 'usedToday', 'remainingToday'], 'usedToday'),
  );
  return {
    plan: fields.text('plan', 'planName'),
    dailyLimit: fields.count('dailyLimit', 'limit'),
    usedToday: fields.count('usedToday', 'used'),
    remainingToday: fields.count('remainingToday', 'remaining'),
    resetsAt: fields.time('resetsAt', 'resetAt', 'reset'),
    perSecond: fields.amount('perSecond'),
  };
}

/** `GET /dashboard/summary`. Required: any of its parts. */
export function readSummary(answer: Answer): DashboardView {
  const fields = new Fields(
    answer,
    answer.record(['alerts', 'autoTxs', 'savings', 'gas', 'health'], 'alerts'),
  );
  const alerts = fields.child('alerts');
  const autoTxs = fields.child('autoTxs', 'autoTransactions');
  const savings = fields.child('savings');
  const health = fields.child('health');
  return {
    alerts: {
      total: alerts?.count('total') ?? null,
      pending: alerts?.count('pending', 'active') ?? null,
      disabled: alerts?.count('disabled') ?? null,
      fired24h: alerts?.count('fired24h', 'triggered24h') ?? null,
    },
    autoTxs: { total: autoTxs?.count('total') ?? null, byStatus: autoTxs?.counts('byStatus') ?? {} },
    savings: {
      savedWei: savings?.wei('savedWei', 'saved') ?? null,
      savedUsd: savings?.amount('savedUsd') ?? null,
      events: savings?.count('events') ?? null,
    },
    health: {
      sourceName: health?.child('source')?.text('name') ?? health?.text('source') ?? null,
      stale: health?.flag('stale') ?? null,
      headAgeSec: health?.amount('headAgeSec') ?? null,
      lagBlocks: health?.count('lagBlocks') ?? null,
      nodes: health?.children('nodes').flatMap(readNode) ?? [],
      engine: readEngine(health?.child('engine')),
    },
  };
}

function readNode(fields: Fields): NodeView[] {
  const name = fields.text('name', 'host');
  if (name === null) return [];
  return [
    {
      name,
      state: fields.text('state', 'status'),
      head: fields.count('head', 'blockNumber'),
      latencyMs: fields.amount('latencyMs'),
      message: fields.text('message'),
    },
  ];
}

function readEngine(fields: Fields | null | undefined): EngineView | null {
  if (fields == null) return null;
  return {
    process: fields.text('process'),
    isHere: fields.flag('isHere'),
    since: fields.time('since'),
    heartbeatAt: fields.time('heartbeatAt'),
  };
}

const TIME_NAMES = ['timestamp', 'time', 'date', 'updatedAt', 't'] as const;

/** `GET /dashboard/stats/chart`. Required: the points, and of each its time and base fee. */
export function readChart(answer: Answer, timeFrame: string): ChartView {
  const rows = answer.rows(['points', 'chart', 'series']);
  if (rows === null) throw answer.noRows('points');
  // Where the points stand alone there is nothing beside them to read.
  const beside = new Fields(answer, Array.isArray(answer.body) ? {} : besidePoints(answer));
  return {
    timeFrame: beside.text('timeFrame') ?? timeFrame,
    bucketSec: beside.amount('bucketSec'),
    points: readRows(answer, rows, 'points', readPoint).sort((a, b) => a.timestamp - b.timestamp),
    anomalies: beside.children('anomalies').flatMap((row) => {
      const timestamp = row.time(...TIME_NAMES);
      const value = row.feeNumber('value');
      return timestamp === null || value === null
        ? []
        : [{ timestamp, kind: row.text('kind', 'type') ?? 'ANOMALY', value }];
    }),
    events: beside.children('events').flatMap((row) => {
      const timestamp = row.time(...TIME_NAMES);
      return timestamp === null
        ? []
        : [{ timestamp, kind: row.text('kind', 'type') ?? 'EVENT', id: row.id() ?? '' }];
    }),
  };
}

function besidePoints(answer: Answer) {
  try {
    return answer.record(['points', 'chart', 'series', 'timeFrame', 'bucketSec'], 'points');
  } catch {
    return isRecord(answer.body) ? answer.body : {};
  }
}

function readPoint(fields: Fields): ChartPointView {
  const timestamp = fields.time(...TIME_NAMES);
  if (timestamp === null) throw fields.missing('timestamp');
  return {
    timestamp,
    base: Number(fields.requiredFee('base', 'basePrice', 'baseFee', 'baseFeePerGas')),
    priority: fields.feeNumber('priority', 'priorityPrice', 'priorityFee'),
    low: fields.feeNumber('low', 'lowPrice', 'slow'),
    average: fields.feeNumber('average', 'averagePrice'),
    high: fields.feeNumber('high', 'highPrice', 'fast'),
    gasUsedRatio: fields.ratio('gasUsedRatio'),
  };
}

const DAYS = 7;
const HOURS = 24;
const LEAST_GAS = 21_000;

/** `GET /dashboard/stats/market`. Required: any of its figures. */
export function readMarket(answer: Answer, timeFrame: string): MarketView {
  const fields = new Fields(
    answer,
    answer.record(
      ['base', 'average', 'volatility', 'heatmap', 'actions', 'nativeUsd', 'cheapestHourUtc'],
      'base',
    ),
  );
  const cheapest = fields.count('cheapestHourUtc');
  return {
    timeFrame: fields.text('timeFrame') ?? timeFrame,
    from: fields.time('from'),
    base: readStats(fields.child('base')),
    average: readStats(fields.child('average')),
    volatility: fields.amount('volatility'),
    cheapestHourUtc: cheapest !== null && cheapest < HOURS ? cheapest : null,
    heatmap: readHeatmap(fields.list('heatmap'), answer.exact),
    nativeUsd: fields.amount('nativeUsd'),
    nativeUsdChangeRatio: fields.number('nativeUsdChangeRatio'),
    actions: fields.children('actions').flatMap((row) => {
      const name = row.text('name');
      const gas = row.count('gas');
      if (name === null || gas === null || gas < LEAST_GAS) return [];
      return [
        {
          name,
          gas,
          slow: readCost(row.child('slow')),
          average: readCost(row.child('average')),
          fast: readCost(row.child('fast')),
        },
      ];
    }),
  };
}

function readCost(fields: Fields | null): CostView | null {
  const wei = fields?.wei('wei', 'cost', 'costWei') ?? null;
  return fields === null || wei === null ? null : { wei, usd: fields.amount('usd', 'costUsd') };
}

function readStats(fields: Fields | null): StatsView | null {
  if (fields === null) return null;
  const now = fields.feeNumber('now', 'current');
  const min = fields.feeNumber('min');
  const max = fields.feeNumber('max');
  if (now === null || min === null || max === null) return null;
  return {
    now,
    min,
    p10: fields.feeNumber('p10'),
    median: fields.feeNumber('median', 'p50'),
    mean: fields.feeNumber('mean', 'average'),
    p90: fields.feeNumber('p90'),
    max,
    changeRatio: fields.number('changeRatio'),
  };
}

/** A week of hours or nothing: a grid of another shape has other axes. */
function readHeatmap(rows: readonly unknown[], exact: boolean): MarketView['heatmap'] {
  const grid = rows.map((row) => (Array.isArray(row) ? row : []));
  if (grid.length !== DAYS || grid.some((row) => row.length !== HOURS)) return [];
  return grid.map((row) =>
    row.map((cell: unknown) => {
      const fee = readFee(cell, exact ? 'wei' : 'guess');
      return fee === null ? null : Number(fee);
    }),
  );
}
