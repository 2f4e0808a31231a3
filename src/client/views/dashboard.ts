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
