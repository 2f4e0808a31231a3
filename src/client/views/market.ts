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
