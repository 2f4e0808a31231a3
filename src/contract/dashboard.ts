import * as z from 'zod';
import { GasCurrent, GasRecommendation, GasTrend } from './gas.ts';
import { BlockNumber, Ratio, TimeFrame, Timestamp, Wei } from './primitives.ts';

/** `GET /dashboard/stats/current` */
export const StatsCurrent = z.strictObject({
  snapshot: GasCurrent,
  trend: GasTrend,
  recommendation: GasRecommendation,
});
export type StatsCurrent = z.infer<typeof StatsCurrent>;

export const ChartPoint = z.strictObject({
  timestamp: Timestamp,
  base: Wei,
  /** Mean p50 tip of the bucket; `null` where tips are unknown. */
  priority: Wei.nullable(),
  /** Mean base fee plus mean p25, p50 and p75 tip. */
  low: Wei,
  average: Wei,
  high: Wei,
  gasUsedRatio: Ratio,
});
export type ChartPoint = z.infer<typeof ChartPoint>;

export const Anomaly = z.strictObject({
  timestamp: Timestamp,
  kind: z.enum(['SPIKE', 'REGIME_SHIFT', 'ANOMALY']),
  value: Wei,
});
export type Anomaly = z.infer<typeof Anomaly>;

/** `GET /dashboard/stats/chart`: at most 500 points. */
export const StatsChart = z.strictObject({
  timeFrame: TimeFrame,
  bucketSec: z.number().min(1),
  points: z.array(ChartPoint).max(500),
  anomalies: z.array(Anomaly),
  events: z.array(
    z.strictObject({ timestamp: Timestamp, kind: z.enum(['ALERT', 'AUTO_TX']), id: z.string() }),
  ),
});
export type StatsChart = z.infer<typeof StatsChart>;

export const Stats = z.strictObject({
  now: Wei,
  min: Wei,
  p10: Wei,
  median: Wei,
  mean: Wei,
  p90: Wei,
  max: Wei,
  changeRatio: z.number(),
});
export type Stats = z.infer<typeof Stats>;

const Cost = z.strictObject({
  /** Whole amounts are decimal strings. */
  wei: z.string().regex(/^\d+$/),
  usd: z.number().min(0).nullable(),
});

/** Mean base fee, wei per gas, by UTC weekday (row 0 is Monday) and hour; `null` where nothing is known. */
export const Heatmap = z.array(z.array(Wei.nullable()).length(24)).length(7);
export type Heatmap = z.infer<typeof Heatmap>;

/** `GET /dashboard/stats/market` */
export const StatsMarket = z.strictObject({
  timeFrame: TimeFrame,
  /** Where the figures begin: later than the time frame while history is young. */
  from: Timestamp,
  base: Stats,
  average: Stats,
  /** Standard deviation of the base fee over its mean. */
  volatility: z.number().min(0),
  cheapestHourUtc: z.int().min(0).max(23).nullable(),
  heatmap: Heatmap,
  nativeUsd: z.number().min(0).nullable(),
  nativeUsdChangeRatio: z.number().nullable(),
  actions: z.array(
    z.strictObject({ name: z.string(), gas: z.int().min(21_000), slow: Cost, average: Cost, fast: Cost }),
  ),
});
export type StatsMarket = z.infer<typeof StatsMarket>;

/** `GET /dashboard/rate-limits` of the key that asks. `null`: without limit. */
export const RateLimits = z.strictObject({
  plan: z.string(),
  dailyLimit: z.int().min(0).nullable(),
  usedToday: z.int().min(0),
  remainingToday: z.int().min(0).nullable(),
  /** The next midnight UTC. */
  resetsAt: Timestamp,
  /** Requests per second. */
  perSecond: z.number().min(0).nullable(),
});
export type RateLimits = z.infer<typeof RateLimits>;

const Count = z.int().min(0);

/** `GET /dashboard/summary` */
export const Summary = z.strictObject({
  alerts: z.strictObject({ total: Count, pending: Count, disabled: Count, fired24h: Count }),
  autoTxs: z.strictObject({ total: Count, byStatus: z.record(z.string(), Count) }),
  savings: z.strictObject({
    savedWei: z.string().regex(/^\d+$/),
    savedUsd: z.number().min(0).nullable(),
    events: Count,
  }),
  gas: z.strictObject({ low: Wei, average: Wei, high: Wei, base: Wei }),
  recommendation: GasRecommendation.pick({ action: true, targetPrice: true, probability: true }),
  health: z.strictObject({
    source: GasCurrent.shape.source,
    stale: z.boolean(),
    headAgeSec: z.number().min(0),
    /** How many blocks the source's best node is ahead of what has been digested. */
    lagBlocks: Count,
    /** The source's nodes, one by one, by host and port. */
    nodes: z.array(
      z.strictObject({
        name: z.string(),
        state: z.enum(['ok', 'lagging', 'disagrees', 'down', 'wrong-chain']),
        head: BlockNumber.nullable(),
        latencyMs: z.number().min(0).nullable(),
        message: z.string(),
      }),
    ),
  }),
});
export type Summary = z.infer<typeof Summary>;
