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
