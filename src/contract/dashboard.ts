import * as z from 'zod';
import { GasRecommendation, GasTrend } from './advice.ts';
import { UsualGas } from './chain.ts';
import { GasCurrent } from './gas.ts';
import * as wire from './primitives.ts';
import { flag, listOf, maybe, object, text, whole } from './primitives.ts';

export const StatsCurrent = object('StatsCurrent', 'Price, trend and recommendation of the same block', {
  snapshot: GasCurrent,
  trend: GasTrend,
  recommendation: GasRecommendation,
});
export type StatsCurrent = z.infer<typeof StatsCurrent>;

/** Prices of the lanes are known of blocks that the fee engine has seen. */
const laneMean = (price: string, tip: string) =>
  wire.Price.describe(
    `Mean of ${price} at the blocks of the bucket, in wei per gas. Of blocks before those that the service has in memory it is mean base fee plus mean ${tip} tip`,
  );

export const ChartPoint = object('ChartPoint', 'One bucket of the chart. Prices are in wei per gas', {
  timestamp: wire.Timestamp.describe('Where the bucket begins'),
  base: wire.Price.describe('Mean base fee of the bucket, in wei per gas'),
  priority: maybe(wire.Wei, 'Mean median tip of the bucket, in wei per gas; null: unknown'),
  low: laneMean('lowPrice', 'p25'),
  average: laneMean('averagePrice', 'p50'),
  high: laneMean('highPrice', 'p75'),
  reason: wire.WhyNull,
  gasUsedRatio: wire.Ratio,
  nativeUsd: maybe(
    wire.Usd,
    'US dollars for one native coin where the bucket begins, as known then; null: not known',
  ),
});
export type ChartPoint = z.infer<typeof ChartPoint>;

export const Anomaly = object('Anomaly', 'A place in the chart that is out of the ordinary', {
  timestamp: wire.Timestamp,
  kind: z.enum(['SPIKE', 'REGIME_SHIFT', 'ANOMALY']),
  value: wire.Price.describe('The base fee that stood out, in wei per gas'),
  reason: wire.WhyNull,
});

export const StatsChart = object('StatsChart', 'Prices over a time frame, oldest first', {
  timeFrame: wire.TimeFrameField,
  bucketSec: z.number().min(1).describe('Length of a bucket, in seconds'),
  points: z.array(ChartPoint).max(500),
  anomalies: z.array(Anomaly),
  events: listOf('What this service did at the time', {
    timestamp: wire.Timestamp,
    kind: z.enum(['ALERT', 'AUTO_TX']),
    id: z.string(),
  }),
});
export type StatsChart = z.infer<typeof StatsChart>;

export const Stats = object('Stats', 'Spread of a price over the blocks of the time frame, in wei per gas', {
  now: wire.Price.describe('Of the newest block'),
  min: wire.Price,
  p10: wire.Price,
  median: wire.Price,
  mean: wire.Price,
  p90: wire.Price,
  max: wire.Price,
  reason: wire.WhyNull,
  changeRatio: z.number().describe('Change over the time frame as a share; negative when it fell'),
});
export type Stats = z.infer<typeof Stats>;

const Cost = object('Cost', 'What something costs, in wei and in US dollars where the price is known', {
  wei: wire.Amount,
  usd: wire.Usd.nullable(),
});

const Heatmap = z.array(z.array(wire.Wei.nullable()).length(24)).length(7).meta({
  id: 'Heatmap',
  description:
    'Mean base fee, in wei per gas, by UTC weekday (row 0 is Monday) and hour; null where nothing is known',
});

export const StatsMarket = object('StatsMarket', 'How prices are spread, cheap hours, usual costs', {
  timeFrame: wire.TimeFrameField,
  from: wire.Timestamp.describe('Where the figures begin: later than the time frame while history is young'),
  base: Stats.describe('The base fee, in wei per gas'),
  average: Stats.describe(
    'averagePrice at each block, in wei per gas; now is that of the newest. Of blocks before those that the service has in memory it is base fee plus median tip (p50), and those of unknown tips are left out',
  ),
  volatility: z.number().min(0).describe('Standard deviation of the base fee over its mean'),
  cheapestHourUtc: whole(0, 23).nullable().describe('Hour of the day, UTC, that was cheapest'),
  heatmap: Heatmap,
  nativeUsd: maybe(wire.Usd, 'US dollars for one native coin; null: not known'),
  nativeUsdChangeRatio: maybe(z.number(), 'Its change over the time frame as a share'),
  actions: listOf('What usual work costs in all, lane by lane', {
    name: z.string(),
    ...UsualGas.shape,
    newHolder: maybe(
      UsualGas.extend({ name: z.string() }),
      'The same where the account that is paid, the holder, the owner or the bought token is new; null: that makes no difference',
    ),
    slow: Cost,
    average: Cost,
    fast: Cost,
    dataFee: maybe(
      Cost,
      'The part of each that a rollup takes for posting it to L1, operator fee included; 0 where it takes none, null where it is not known: then the costs are without it',
    ),
    dataFeeReason: maybe(z.string(), 'Why the data fee is not known; null where it is'),
  }),
});
export type StatsMarket = z.infer<typeof StatsMarket>;

export const RateLimits = object('RateLimits', 'What the key that asks may ask', {
  plan: z.string(),
  dailyLimit: maybe(whole(0), 'Requests per UTC day; null is without limit'),
  usedToday: whole(0).describe('Requests counted today'),
  remainingToday: maybe(whole(0), 'Requests left today; null is without limit'),
  resetsAt: wire.Timestamp.describe('The next midnight, UTC'),
  perSecond: z.number().min(0).nullable().describe('Requests per second; null is without limit'),
});
export type RateLimits = z.infer<typeof RateLimits>;
const Count = whole(0);

const NodeHealth = object('NodeHealth', 'One node of the source', {
  name: text('Host and port, never a whole URL'),
  state: z.enum(['ok', 'lagging', 'disagrees', 'down', 'wrong-chain']),
  head: wire.BlockNumber.nullable(),
  latencyMs: z.number().min(0).nullable().describe('How long its last response took, in milliseconds'),
  message: z.string(),
  notes: z
    .array(z.string())
    .optional()
    .describe('What is odd about its responses, a line each; prices are given all the same'),
});

const Saved = z.strictObject({ savedWei: wire.SignedAmount, savedUsd: z.number().nullable() });

export const Summary = object('DashboardSummary', 'Everything at one glance, and how the source is', {
  alerts: z.strictObject({ total: Count, pending: Count, disabled: Count, fired24h: Count }),
  autoTxs: z.strictObject({ total: Count, byStatus: z.record(z.string(), Count) }),
  savings: z.strictObject({
    savedWei: wire.Amount.describe('Of alerts and auto-txs together, at least 0'),
    savedUsd: wire.Usd.nullable(),
    events: Count,
    alerts: Saved.describe(
      'Saved if a swap had been sent at each firing: its gas by the rules of the newest block',
    ),
    autoTxs: Saved.describe('What executed auto-txs saved, less what others of them paid more'),
  }),
  gas: z
    .strictObject({
      ...{ low: wire.Price, average: wire.Price, high: wire.Price, base: wire.Price },
      reason: wire.WhyNull,
    })
    .describe("The lanes' prices and the base fee, in wei per gas"),
  recommendation: GasRecommendation.pick({ action: true, targetPrice: true, probability: true }),
  health: z.strictObject({
    source: GasCurrent.shape.source,
    stale: z.boolean(),
    headAgeSec: z.number().min(0).describe('How old the head is, in seconds'),
    lagBlocks: Count.describe('Blocks that the best node, or the leading process, is ahead of it'),
    nodes: z.array(NodeHealth),
    engine: maybe(
      z.strictObject({
        process: text('For people: what it is, and its process id'),
        isHere: flag('Whether that is the responding process'),
        since: wire.Timestamp,
        heartbeatAt: wire.Timestamp.describe('When it last said that it is there'),
      }),
      'The process that has alerts fire on this database; null: none, so none does',
    ),
  }),
});
export type Summary = z.infer<typeof Summary>;
