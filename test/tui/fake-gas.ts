import type { GasClient } from '../../src/client/gas-client.ts';
import type {
  ChartView,
  LaneView,
  MarketView,
  RecommendationView,
  SnapshotView,
  TrendView,
} from '../../src/client/views.ts';

const gwei = (value: number): bigint => BigInt(Math.round(value * 1e9));

function lane(price: number, cap: number, tip: number, p50: number, p95: number, within: number): LaneView {
  return {
    price: gwei(price),
    maxFeePerGas: gwei(cap),
    maxPriorityFeePerGas: gwei(tip),
    withinBlocks: within,
    waitSec: { p50, p95 },
    probability: 0.95,
  };
}

/** A service of known answers for tests of what is drawn from them. */
export const SNAPSHOT: SnapshotView = {
  chainId: 1,
  blockNumber: 24_337_604,
  blockTimestamp: Date.UTC(2026, 0, 5, 12, 0, 0),
  lanes: {
    slow: lane(0.0412, 0.0431, 0.001, 84, 290, 25),
    average: lane(0.0507, 0.0582, 0.01, 12, 24, 3),
    fast: lane(0.0621, 0.0713, 0.021, 12, 12, 2),
  },
  baseFee: gwei(0.0508),
  nextBaseFee: gwei(0.0497),
  priorityFee: gwei(0.001),
  blobBaseFee: 1n,
  gasUsedRatio: 0.68,
  nativeUsd: 3_214.5,
  updatedAt: Date.UTC(2026, 0, 5, 12, 0, 1),
  updateFrequencySec: 12,
  stale: false,
  source: { kind: 'rpc', name: '3 nodes agree', problem: null, ended: false },
};

export const TREND: TrendView = {
  direction: 'FALLING',
  changeRatio: -0.034,
  base: null,
  priority: null,
  percentileRank24h: 0.23,
  congestion: 0.54,
  baseFeeFan: [
    { blocksAhead: 1, min: gwei(0.0497), expected: gwei(0.0497), max: gwei(0.0497) },
    { blocksAhead: 5, min: gwei(0.031), expected: gwei(0.05), max: gwei(0.089) },
  ],
  updatedAt: null,
};

export const RECOMMENDATION: RecommendationView = {
  action: 'WAIT',
  lane: 'AVERAGE',
  targetPrice: gwei(0.041),
  expectedWaitSec: 360,
  deadlineSec: 900,
  probability: 0.91,
  expectedSavingRatio: 0.19,
  confidence: 80,
  reasons: [
    'The base fee is above its median of the last hour',
    'Mondays at noon are usually dearer than the evening',
  ],
  alternatives: [
    { horizonSec: 60, price: gwei(0.049), probability: 0.97, savingRatio: 0.03 },
    { horizonSec: 300, price: gwei(0.043), probability: 0.93, savingRatio: 0.15 },
    { horizonSec: 900, price: gwei(0.041), probability: 0.91, savingRatio: 0.19 },
    { horizonSec: 3_600, price: gwei(0.036), probability: null, savingRatio: 0.29 },
  ],
  track: { evaluated: 100, hitRatio: 0.92, statedProbability: 0.9 },
  validUntil: null,
  updatedAt: null,
};

export const HOUR: ChartView = {
  timeFrame: '1h',
  bucketSec: 12,
  points: Array.from({ length: 300 }, (_, index) => ({
    timestamp: (SNAPSHOT.blockTimestamp ?? 0) - (299 - index) * 12_000,
    base: 5e7 + 2e7 * Math.sin(index / 25) + 4e6 * Math.sin(index / 3),
    priority: 1e7 + 4e6 * Math.cos(index / 18),
    low: null,
    average: null,
    high: null,
    gasUsedRatio: 0.5,
  })),
  anomalies: [],
  events: [],
};

export const MARKET: MarketView = {
  timeFrame: '24h',
  from: null,
  base: {
    now: 5.08e7,
    min: 3.1e7,
    p10: 3.5e7,
    median: 5.9e7,
    mean: 7e7,
    p90: 1.5e8,
    max: 4.12e8,
    changeRatio: -0.1,
  },
  average: null,
  volatility: 0.41,
  cheapestHourUtc: 3,
  heatmap: [],
  nativeUsd: 3_214.5,
  nativeUsdChangeRatio: 0.012,
  actions: [
    { name: 'ETH transfer', gas: 21_000 },
    { name: 'ERC-20 approve', gas: 46_000 },
    { name: 'ERC-20 transfer', gas: 65_000 },
    { name: 'NFT mint', gas: 120_000 },
    { name: 'Swap', gas: 184_000 },
  ],
};

/** A client that answers with the known answers, but for what `changes` says. */
export function fakeGas(changes: Partial<GasClient> = {}): GasClient {
  const page = { chainId: 1, from: null, to: null, bucket: 'block', page: 0, size: 500, total: 0, rows: [] };
  return {
    gasCurrent: async () => SNAPSHOT,
    gasTrend: async () => TREND,
    gasRecommendation: async () => RECOMMENDATION,
    statsChart: async () => HOUR,
    statsMarket: async () => MARKET,
    baseFee: async () => page,
    priorityFee: async () => page,
    gasUsedRatio: async () => page,
    raw: async (path) => JSON.stringify({ path, lowPrice: 41_200_000 }),
    ...changes,
  };
}
