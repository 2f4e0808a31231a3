/**
 * What the screens and commands read: one shape, whichever service answered. Wei is `bigint`; times are ms
 * since epoch; what a service did not say is `null`. Statistics that are only drawn are plain numbers, in wei.
 */
import type { LaneName } from '../core/advice.ts';

export interface LaneView {
  readonly price: bigint;
  readonly maxFeePerGas: bigint | null;
  readonly maxPriorityFeePerGas: bigint | null;
  readonly withinBlocks: number | null;
  readonly waitSec: { readonly p50: number; readonly p95: number } | null;
  readonly probability: number | null;
}

export interface SnapshotView {
  readonly chainId: number | null;
  readonly blockNumber: number | null;
  readonly blockTimestamp: number | null;
  readonly lanes: Readonly<Record<LaneName, LaneView>>;
  readonly baseFee: bigint;
  readonly nextBaseFee: bigint | null;
  readonly priorityFee: bigint | null;
  readonly blobBaseFee: bigint | null;
  readonly gasUsedRatio: number | null;
  /** Dollars for one native coin. */
  readonly nativeUsd: number | null;
  readonly updatedAt: number | null;
  readonly updateFrequencySec: number | null;
  readonly stale: boolean;
  readonly source: {
    /** `service`: a service that does not say what stands behind it. */
    readonly kind: 'rpc' | 'replay' | 'simulated' | 'service';
    readonly name: string;
    readonly problem: { readonly message: string; readonly retryAt: number | null } | null;
    /** A recording that has been played to its end. */
    readonly ended: boolean;
  };
}

export interface SummaryView {
  readonly now: bigint;
  readonly min: bigint;
  readonly p25: bigint | null;
  readonly median: bigint | null;
  readonly p75: bigint | null;
  readonly max: bigint;
}

export interface TrendView {
  /** `RISING`, `FALLING`, `STABLE`, or the service's own word. */
  readonly direction: string;
  readonly changeRatio: number | null;
  readonly base: SummaryView | null;
  readonly priority: SummaryView | null;
  readonly percentileRank24h: number | null;
  readonly congestion: number | null;
  readonly baseFeeFan: readonly {
    readonly blocksAhead: number;
    readonly min: bigint;
    readonly expected: bigint;
    readonly max: bigint;
  }[];
  readonly updatedAt: number | null;
}

export interface HorizonView {
  readonly horizonSec: number;
  readonly price: bigint;
  readonly probability: number | null;
  readonly savingRatio: number | null;
}

/** How likely a price is reached within a time. */
export interface ReachView {
  readonly targetPrice: bigint | null;
  readonly deadlineSec: number | null;
  readonly probability: number | null;
  /** Why there is no probability. */
  readonly reason: string | null;
}

export interface RecommendationView {
  /** `SEND_NOW`, `WAIT`, `SET_ALERT`, or the service's own word. */
  readonly action: string;
  readonly lane: string | null;
  readonly targetPrice: bigint | null;
  readonly expectedWaitSec: number | null;
  readonly deadlineSec: number | null;
  readonly probability: number | null;
  readonly expectedSavingRatio: number | null;
  readonly confidence: number | null;
  readonly reasons: readonly string[];
  readonly alternatives: readonly HorizonView[];
  readonly track: {
    readonly evaluated: number;
    readonly hitRatio: number | null;
    readonly statedProbability: number | null;
    /** `said`: given by the service; `walked`: what its method would have said; or the service's own word. */
    readonly from: string | null;
    /** When the oldest of them was given. */
    readonly since: number | null;
    /** Versions of the method among them; empty where the service has no such thing. */
    readonly versions: readonly number[];
    readonly unjudged: number | null;
  } | null;
  /** Of the price that was asked about. */
  readonly reach: ReachView | null;
  readonly validUntil: number | null;
  readonly updatedAt: number | null;
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

export interface BaseFeeRowView {
  readonly timestamp: number;
  readonly blockNumber: number | null;
  readonly open: number;
  readonly min: number;
  readonly mean: number;
  readonly max: number;
  readonly close: number;
}

export interface PriorityFeeRowView {
  readonly timestamp: number;
  readonly blockNumber: number | null;
  readonly value: number;
}

export interface GasUsedRatioRowView {
  readonly timestamp: number;
  readonly blockNumber: number | null;
  readonly mean: number;
  readonly max: number | null;
}

/** One page of a metrics answer. */
export interface MetricsView<Row> {
  readonly chainId: number | null;
  readonly from: number | null;
  readonly to: number | null;
  readonly bucket: string | null;
  readonly page: number;
  readonly size: number;
  readonly total: number;
  readonly rows: readonly Row[];
}

/** Prices in wei per gas, amounts in wei, times in ms. `null`: the service does not say, or there is none. */
export interface BlockView {
  readonly chainId: number | null;
  readonly blockNumber: number;
  readonly hash: string | null;
  readonly parentHash: string | null;
  readonly timestamp: number | null;
  readonly confirmations: number | null;
  readonly baseFeePerGas: number;
  readonly nextBaseFeePerGas: number | null;
  readonly gasUsed: number | null;
  readonly gasLimit: number | null;
  readonly gasUsedRatio: number | null;
  readonly transactionCount: number | null;
  readonly tips: Readonly<Record<string, number>> | null;
  readonly blobBaseFee: number | null;
  readonly nextBlobBaseFee: number | null;
  readonly blobGasUsed: number | null;
  readonly excessBlobGas: number | null;
  readonly burntWei: bigint | null;
  readonly feeRecipient: string | null;
}

export interface TxView {
  readonly chainId: number | null;
  readonly hash: string;
  /** `PENDING`, `SUCCESS`, `REVERTED`, or a foreign service's own word. */
  readonly status: string | null;
  readonly type: number | null;
  readonly from: string | null;
  readonly to: string | null;
  readonly value: bigint | null;
  readonly nonce: number | null;
  readonly selector: string | null;
  readonly gasLimit: number | null;
  readonly gasUsed: number | null;
  readonly maxFeePerGas: number | null;
  readonly maxPriorityFeePerGas: number | null;
  readonly gasPrice: number | null;
  readonly maxFeePerBlobGas: number | null;
  readonly blobCount: number | null;
  readonly effectiveGasPrice: number | null;
  readonly priorityFeePerGas: number | null;
  readonly costWei: bigint | null;
  readonly costUsd: number | null;
  readonly blockNumber: number | null;
  readonly blockHash: string | null;
  readonly timestamp: number | null;
  readonly transactionIndex: number | null;
  readonly confirmations: number | null;
  /** Share of its block's other transactions that tipped less. */
  readonly tipRank: number | null;
  readonly blockTransactionCount: number | null;
}

export interface TxRowView {
  readonly timestamp: number | null;
  readonly blockNumber: number | null;
  readonly transactionIndex: number | null;
  readonly hash: string;
  readonly status: string | null;
  readonly type: number | null;
  readonly from: string | null;
  readonly to: string | null;
  readonly value: bigint | null;
  readonly gasUsed: number | null;
  readonly effectiveGasPrice: number | null;
  readonly priorityFeePerGas: number | null;
  readonly costWei: bigint | null;
}

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
  };
}
