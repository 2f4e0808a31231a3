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
