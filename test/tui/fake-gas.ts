import { ClientError } from '../../src/client/errors.ts';
import type { GasClient } from '../../src/client/gas-client.ts';
import { RateLimit } from '../../src/client/rate-limit.ts';
import type { HorizonView, RecommendationView, TrendView } from '../../src/client/views/advice.ts';
import type {
  ActionView,
  ChartView,
  CostView,
  DashboardView,
  MarketView,
  RateLimitsView,
} from '../../src/client/views/dashboard.ts';
import type { LaneView, SnapshotView } from '../../src/client/views/gas.ts';
import type { BlockView, TxView } from '../../src/client/views/metrics.ts';
import { V1_ROUTES } from '../../src/contract/routes.ts';
import { NO_RULES } from '../../src/core/chain-rules.ts';
import { fakeAlerts } from './fake-alerts.ts';
import { fakeAutoTxs } from './fake-auto-txs.ts';

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
  floor: null,
  priorityFee: gwei(0.001),
  blobBaseFee: 1n,
  gasUsedRatio: 0.68,
  nativeUsd: 3_214.5,
  nativeUsdReason: null,
  updatedAt: Date.UTC(2026, 0, 5, 12, 0, 1),
  updateFrequencySec: 12,
  stale: false,
  source: {
    ...{ kind: 'rpc', name: '3 nodes agree', problem: null, ended: false, chainName: null },
    restartedAt: null,
  },
};

export const TREND: TrendView = {
  ...{ direction: 'FALLING', changeRatio: -0.034, base: null, priority: null, percentileRank24h: 0.23 },
  congestion: 0.54,
  baseFeeFan: [
    { blocksAhead: 1, min: gwei(0.0497), expected: gwei(0.0497), max: gwei(0.0497) },
    { blocksAhead: 5, min: gwei(0.031), expected: gwei(0.05), max: gwei(0.089) },
  ],
  updatedAt: null,
};

const UNKNOWN_BASIS = { missRatio: null, windows: null, windowsKept: null, isCeiling: null };

/** A row of the table of waits; its price in gwei. */
export const wait = (
  horizonSec: number,
  price: number | null,
  probability: number | null,
  savingRatio: number | null,
  basis: Partial<HorizonView> = {},
): HorizonView => ({
  ...{ horizonSec, probability, savingRatio, reason: null, ...UNKNOWN_BASIS, ...basis },
  price: price === null ? null : gwei(price),
});

export const RECOMMENDATION: RecommendationView = {
  patienceSec: 3_600,
  action: 'WAIT',
  lane: 'AVERAGE',
  targetPrice: gwei(0.041),
  ...{ expectedWaitSec: 360, deadlineSec: 900, probability: 0.91, expectedSavingRatio: 0.19 },
  confidence: 80,
  reasons: [
    'The base fee is above its median of the last hour',
    'Mondays at noon are usually dearer than the evening',
  ],
  alternatives: [
    wait(60, 0.049, 0.97, 0.03, { missRatio: 0.02, windows: 180, windowsKept: 175 }),
    wait(300, 0.043, 0.93, 0.15, { missRatio: 0.06, windows: 77, windowsKept: 72 }),
    wait(900, 0.041, 0.91, 0.19, { missRatio: 0.09, windows: 32, windowsKept: 29, isCeiling: true }),
    {
      ...wait(3_600, null, null, null),
      reason: 'too little history, 2h of the 10h that it takes',
    },
  ],
  track: {
    ...{ evaluated: 100, hitRatio: 0.92, statedProbability: 0.9, basis: 'given' },
    since: Date.UTC(2025, 10, 3, 9),
    versions: [1],
    unjudged: 0,
    waits: {
      ...{ evaluated: 41, hitRatio: 37 / 41, statedProbability: 0.9, savingRatio: 0.18 },
      since: Date.UTC(2025, 10, 3, 9),
      versions: [1],
    },
    sends: {
      ...{ evaluated: 59, hitRatio: 1, statedProbability: 0.95, savingRatio: 0 },
      since: Date.UTC(2025, 10, 3, 9),
      versions: [1],
    },
  },
  reach: null,
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
    ...{ low: null, average: null, high: null, gasUsedRatio: 0.5, nativeUsd: null },
  })),
  anomalies: [],
  events: [],
};

function action(name: string, gas: number, newHolder: ActionView['newHolder'] = null): ActionView {
  const cost = (price: bigint): CostView => {
    const wei = price * BigInt(gas);
    return { wei, usd: (Number(wei) / 1e18) * 3_214.5 };
  };
  return {
    name,
    ...{ gas, gasNext: null, newHolder },
    slow: cost(SNAPSHOT.lanes.slow.price),
    average: cost(SNAPSHOT.lanes.average.price),
    fast: cost(SNAPSHOT.lanes.fast.price),
    dataFee: cost(0n),
    dataFeeReason: null,
  };
}

export const MARKET: MarketView = {
  timeFrame: '24h',
  from: null,
  base: {
    ...{ now: 5.08e7, min: 3.1e7, p10: 3.5e7, median: 5.9e7, mean: 7e7, p90: 1.5e8, max: 4.12e8 },
    changeRatio: -0.1,
  },
  average: null,
  volatility: 0.41,
  cheapestHourUtc: 3,
  heatmap: [],
  nativeUsd: 3_214.5,
  nativeUsdChangeRatio: 0.012,
  actions: [
    action('ETH transfer', 21_000),
    action('ERC-20 approve', 46_462),
    action('ERC-20 transfer', 34_467, { name: 'to a new holder', gas: 51_567, gasNext: null }),
    action('NFT mint', 56_538, { name: 'to a new owner', gas: 73_638, gasNext: null }),
    action('Swap', 101_095, { name: 'for a new token', gas: 118_183, gasNext: null }),
  ],
};

const HASH = `0x${'ab'.repeat(32)}`;

export const BLOCK: BlockView = {
  chainId: 1,
  blockNumber: 24_337_604,
  hash: HASH,
  parentHash: `0x${'cd'.repeat(32)}`,
  timestamp: SNAPSHOT.blockTimestamp,
  ...{ confirmations: 1, baseFeePerGas: 5.08e7, nextBaseFeePerGas: 4.97e7, gasUsed: 24_480_000 },
  ...{
    slotNumber: null,
    gasPaid: 24_480_000,
    gasLimit: 36_000_000,
    gasUsedRatio: 0.68,
    transactionCount: 212,
  },
  tips: { p10: 1e6, p25: 2e6, p50: 1e7, p75: 2.1e7, p90: 1e8, p95: 5e8, p99: 2e9 },
  ...{ blobBaseFee: 1, nextBlobBaseFee: 1, blobGasUsed: 393_216, excessBlobGas: 0 },
  ...{ burntWei: 1_243_584_000_000_000n, feeRecipient: `0x${'12'.repeat(20)}` },
};

export const TX: TxView = {
  chainId: 1,
  hash: HASH,
  ...{ status: 'SUCCESS', type: 2, from: `0x${'34'.repeat(20)}`, to: `0x${'56'.repeat(20)}` },
  value: 10n ** 18n,
  ...{ nonce: 7, selector: null, gasLimit: 21_000, gasUsed: 21_000, maxFeePerGas: 1e8 },
  ...{
    maxPriorityFeePerGas: 1e7,
    gasPrice: null,
    maxFeePerBlobGas: null,
    blobCount: null,
    feeCurrency: null,
  },
  ...{ effectiveGasPrice: 6.08e7, priorityFeePerGas: 1e7, costWei: 1_276_800_000_000n, dataFeeWei: 0n },
  ...{ costUsd: 0.0041, blockNumber: 24_337_604 },
  blockHash: BLOCK.hash,
  pending: null,
  timestamp: SNAPSHOT.blockTimestamp,
  ...{ transactionIndex: 17, confirmations: 3, tipRank: 0.42, blockTransactionCount: 212 },
};

export const RATE_LIMITS: RateLimitsView = {
  ...{ plan: 'basic', dailyLimit: 100_000, usedToday: 1_234, remainingToday: 98_766 },
  resetsAt: Date.UTC(2026, 0, 6),
  perSecond: 20,
};

export const SUMMARY: DashboardView = {
  alerts: { total: 0, pending: 0, disabled: 0, fired24h: 0 },
  autoTxs: { total: 0, byStatus: {} },
  savings: { savedWei: 0n, savedUsd: null, events: 0, alerts: null, autoTxs: null },
  health: {
    ...{ sourceName: '3 nodes agree', stale: false, headAgeSec: 4, lagBlocks: 0 },
    nodes: [
      { name: 'a.example:8545', state: 'ok', head: 24_337_604, latencyMs: 42, message: 'ok', notes: null },
      {
        ...{ name: 'b.example', state: 'lagging', head: 24_337_601, latencyMs: 130 },
        ...{ message: '3 blocks behind', notes: [] },
      },
      {
        ...{ name: 'c.example', state: 'down', head: null, latencyMs: null },
        ...{ message: 'refuses the connection', notes: null },
      },
    ],
    engine: null,
  },
};

export const describing = (
  bodies: Readonly<Record<string, readonly (readonly [name: string, values?: readonly string[]])[]>> = {},
  routes: readonly Pick<(typeof V1_ROUTES)[number], 'method' | 'path'>[] = V1_ROUTES,
) => ({
  title: 'Gas API',
  version: '1.2.0',
  routes: routes.map(({ method, path }) => {
    const body = (bodies[`${method} ${path}`] ?? []).map(([name, values = []]) => ({ name, values }));
    return { method, path, summary: null, parameters: [], body };
  }),
});

const NO_STREAM = new ClientError('not-found', 'this service lists no stream', { endpoint: '/gas/stream' });

export function fakeGas(changes: Partial<GasClient> = {}): GasClient {
  const page = { chainId: 1, from: null, to: null, bucket: 'block', page: 0, size: 500, total: 0, rows: [] };
  const client: GasClient = {
    rateLimit: new RateLimit(),
    isOwn: false,
    gasCurrent: async () => SNAPSHOT,
    gasEstimate: async () => ({ chainId: 1, gas: 21_000, dataFeeWei: 0n, dataFeeReason: null }),
    chainRules: async () => ({ ...NO_RULES, rules: 'osaka', source: 'header', usualWork: [] }),
    statsCurrent: async () => ({ snapshot: SNAPSHOT, trend: TREND, recommendation: RECOMMENDATION }),
    async *stream() {
      yield* await Promise.reject<SnapshotView[]>(NO_STREAM);
    },
    gasTrend: async () => TREND,
    gasRecommendation: async () => RECOMMENDATION,
    statsChart: async () => HOUR,
    chart: async (timeFrame, call) => ({
      ...(await client.statsChart(timeFrame, call)),
      made: null,
      problem: null,
    }),
    statsMarket: async () => MARKET,
    baseFee: async () => page,
    priorityFee: async () => page,
    gasUsedRatio: async () => page,
    block: async () => BLOCK,
    tx: async () => TX,
    txs: async () => page,
    rateLimits: async () => RATE_LIMITS,
    summary: async () => SUMMARY,
    ...fakeAutoTxs(),
    ...fakeAlerts(),
    description: async () => null,
    raw: async (path) => JSON.stringify({ path, lowPrice: 41_200_000 }),
    ...changes,
  };
  return client;
}
