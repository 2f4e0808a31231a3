import type * as z from 'zod';
import type { NewAlert } from '../../src/client/views/alerts.ts';
import { GasRecommendation, GasTrend } from '../../src/contract/advice.ts';
import { Alert, AlertDetails, AlertList, AlertSavings } from '../../src/contract/alerts.ts';
import { StatsChart, StatsMarket } from '../../src/contract/dashboard.ts';
import { GasCurrent } from '../../src/contract/gas.ts';
import { BaseFeeMetrics, GasUsedRatioMetrics, PriorityFeeMetrics } from '../../src/contract/metrics.ts';

const AT = '2026-01-20T12:00:00.000Z';
const lane = {
  ...{ price: 9, maxFeePerGas: 12, maxPriorityFeePerGas: 2, withinBlocks: 3 },
  ...{ waitSec: { p50: 12, p95: 24 }, probability: null, reason: 'too little history' },
};
const summary = { now: 7, min: 7, p25: 8, median: 9, p75: 10, max: 11 };
const stats = { now: 7, min: 7, p10: 7, median: 9, mean: 9, p90: 10, max: 11, changeRatio: -0.5 };
const metrics = { chainId: 31_337, from: AT, to: AT, bucket: 'block', page: 0, size: 100, total: 1 } as const;

export const OWN_SNAPSHOT: z.infer<typeof GasCurrent> = GasCurrent.parse({
  ...{ chainId: 31_337, blockNumber: 12, blockTimestamp: AT, updatedAt: AT, updateFrequencySec: 12 },
  ...{ lowPrice: 9, averagePrice: 9, highPrice: 9, basePrice: 7, priorityPrice: 2, nextBasePrice: 7 },
  ...{ floorPrice: null, blobBasePrice: 1, gasUsedRatio: 0, nativeUsd: null, stale: true },
  lanes: { slow: lane, average: lane, fast: lane },
  source: {
    ...{ kind: 'simulated', name: 'seed 1', chainName: 'seed 1', ended: false, restartedAt: null },
    problem: { message: 'refused', retryAt: AT },
  },
});

export const OWN_TREND = GasTrend.parse({
  ...{ window: '1h', direction: 'FALLING', changeRatio: -0.02, percentileRank24h: 0.5, congestion: 1 },
  ...{ base: summary, priority: summary },
  baseFeeFan: [{ blocksAhead: 1, min: 7, expected: 7, max: 7 }],
  updatedAt: AT,
});

export const OWN_RECOMMENDATION = GasRecommendation.parse({
  patienceSec: 3_600,
  ...{ action: 'WAIT', lane: 'SLOW', targetPrice: 7, expectedWaitSec: 60, deadlineSec: 300 },
  ...{ probability: 0.9, expectedSavingRatio: -0.01, confidence: 80, reasons: ['it falls'] },
  alternatives: [
    {
      ...{ horizonSec: 60, price: 7, probability: 0.9, reason: null, savingRatio: -0.01 },
      ...{ missRatio: 0.12, windows: 77, windowsKept: 71, isCeiling: false },
    },
    {
      ...{ horizonSec: 300, price: null, probability: null, reason: 'too little history', savingRatio: null },
      ...{ missRatio: null, windows: null, windowsKept: null, isCeiling: null },
    },
  ],
  track: {
    ...{ evaluated: 40, hitRatio: 0.9, statedProbability: 0.88, unjudged: 3 },
    ...{ basis: 'given', since: AT, versions: [1, 2] },
    waits: {
      ...{ evaluated: 8, hitRatio: 0.875, statedProbability: 0.84, savingRatio: 0.06 },
      ...{ since: AT, versions: [2] },
    },
    sends: null,
  },
  reach: { targetPrice: 7, deadlineSec: 3_600, probability: null, reason: 'too little history' },
  validUntil: AT,
  updatedAt: AT,
});

export const OWN_CHART = StatsChart.parse({
  timeFrame: '24h',
  bucketSec: 300,
  points: [
    {
      ...{ timestamp: AT, base: 7, priority: null, low: 8, average: 9, high: 10 },
      ...{ gasUsedRatio: 0.5, nativeUsd: 3_000 },
    },
  ],
  anomalies: [{ timestamp: AT, kind: 'SPIKE', value: 11 }],
  events: [{ timestamp: AT, kind: 'ALERT', id: 'a1' }],
});

const cost = { wei: '147000', usd: null };
export const OWN_MARKET = StatsMarket.parse({
  ...{ timeFrame: '7d', from: AT, base: stats, average: stats, volatility: 0.2, cheapestHourUtc: 4 },
  heatmap: Array.from({ length: 7 }, (_, day) =>
    Array.from({ length: 24 }, (_, hour) => (day === 0 ? hour : null)),
  ),
  ...{ nativeUsd: 3_000, nativeUsdChangeRatio: null },
  actions: [
    {
      ...{ name: 'ETH transfer', gas: 21_000, gasNext: null, slow: cost, average: cost, fast: cost },
      newHolder: { name: 'to a new account', gas: 204_600, gasNext: null },
      ...{ dataFee: cost, dataFeeReason: null },
    },
  ],
});

export const OWN_BASE_FEE = BaseFeeMetrics.parse({
  ...metrics,
  data: [{ timestamp: AT, blockNumber: 12, open: 7, min: 7, mean: 8, max: 9, close: 9 }],
});
export const OWN_PRIORITY_FEE = PriorityFeeMetrics.parse({
  ...metrics,
  data: [{ timestamp: AT, blockNumber: 12, value: 2 }],
});
export const OWN_GAS_USED_RATIO = GasUsedRatioMetrics.parse({
  ...metrics,
  data: [{ timestamp: AT, blockNumber: 12, mean: 0.5, max: 1 }],
});
export const OWN_ALERT = Alert.parse({
  warnings: [],
  ...{ threshold: null, effectiveThresholdGwei: null, effectiveSince: null, thresholdReason: null },
  ...{ id: 'alr_1', status: 'PENDING', thresholdGwei: 0.04, gasSpeed: 'AVERAGE', condition: 'LESS_THAN' },
  ...{ cooldownMs: 3_600_000, disableOnce: false, hysteresisGwei: 0.001, confirmBlocks: 2, note: '' },
  ...{ method: 'EMAIL', channels: ['EMAIL', 'WEBHOOK'], to: 'gas@example.org' },
  targets: { WEBHOOK: 'https://hook.example.org/a' },
  ...{ createdAt: AT, updatedAt: AT, lastTriggeredAt: AT, cooldownUntil: null, triggerCount: 1 },
  ...{ disabledReason: null, keyId: null },
  missed: { count: 2, lastAt: AT },
});

export const OWN_ALERTS = AlertList.parse({ items: [OWN_ALERT], page: 0, size: 5, total: 1 });

export const OWN_ALERT_DETAILS = AlertDetails.parse({
  ...OWN_ALERT,
  deliveries: [
    {
      ...{ id: 'alr_1.1.email', eventId: 'alr_1.1', channel: 'EMAIL', target: 'gas@example.org' },
      ...{ status: 'DELIVERED', createdAt: AT, nextAttemptAt: null },
      attempts: [{ at: AT, latencyMs: 183, ok: true, answer: '250 OK' }],
    },
  ],
});

const entry = {
  ...{ triggeredAt: AT, blockNumber: 12, price: 7, referencePrice: 9 },
  ...{ savedWei: '300000', savedUsd: null },
};
export const OWN_SAVINGS = AlertSavings.parse({
  ...{ alertId: 'alr_1', events: 1, savedWei: '300000', savedUsd: null, gasAmount: 150_000 },
  ...{ best: entry, entries: [entry] },
});

export const OWN_TIME = Date.parse(AT);

/** What is asked for where an alert is made. */
export const WANTED: NewAlert = {
  thresholdGwei: 0.04,
  gasSpeed: 'AVERAGE',
  condition: 'LESS_THAN',
  channels: ['EMAIL'],
  to: 'gas@example.org',
  note: 'deploy',
};
