import { quantileOfSorted } from './percentiles.ts';

/** How a stretch of prices is spread, in whole wei per gas. */
export interface MarketSummary {
  readonly min: number;
  readonly p10: number;
  readonly median: number;
  readonly mean: number;
  readonly p90: number;
  readonly max: number;
}

/** Summarises prices in wei per gas (any order, left as they are); `null` for none. */
export function summarise(values: ArrayLike<number>): MarketSummary | null {
  if (values.length === 0) return null;
  const sorted = Float64Array.from(values).sort();
  return {
    min: Math.round(quantileOfSorted(sorted, 0)),
    p10: Math.round(quantileOfSorted(sorted, 0.1)),
    median: Math.round(quantileOfSorted(sorted, 0.5)),
    mean: Math.round(meanOf(sorted)),
    p90: Math.round(quantileOfSorted(sorted, 0.9)),
    max: Math.round(quantileOfSorted(sorted, 1)),
  };
}

function meanOf(values: Float64Array): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}

/** Standard deviation over mean; 0 where there is nothing to vary (no values, or all of them 0). */
export function volatility(values: ArrayLike<number>): number {
  const prices = Float64Array.from(values);
  if (prices.length === 0) return 0;
  const mean = meanOf(prices);
  if (mean === 0) return 0;
  let squares = 0;
  for (const price of prices) squares += (price - mean) ** 2;
  return Math.sqrt(squares / prices.length) / mean;
}

/** `now` against `before` as a share: 0.1 is ten percent dearer; 0 where `before` was free. */
export function changeRatio(now: number, before: number): number {
  return before > 0 ? (now - before) / before : 0;
}
