import { quantileOfWeighted, type Weighted } from './weighted-quantile.ts';

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
export function summarise(prices: readonly Weighted[]): MarketSummary | null {
  if (prices.length === 0) return null;
  const sorted = prices.toSorted((a, b) => a.value - b.value);
  return {
    min: Math.round(sorted[0]?.value ?? 0),
    p10: Math.round(quantileOfWeighted(sorted, 0.1)),
    median: Math.round(quantileOfWeighted(sorted, 0.5)),
    mean: Math.round(meanOf(sorted)),
    p90: Math.round(quantileOfWeighted(sorted, 0.9)),
    max: Math.round(sorted.at(-1)?.value ?? 0),
  };
}

function meanOf(prices: readonly Weighted[]): number {
  let sum = 0;
  let weights = 0;
  for (const { value, weight } of prices) {
    sum += value * weight;
    weights += weight;
  }
  return sum / weights;
}

/** Standard deviation over mean; 0 where there is nothing to vary (no prices, or all of them 0). */
export function volatility(prices: readonly Weighted[]): number {
  if (prices.length === 0) return 0;
  const mean = meanOf(prices);
  if (mean === 0) return 0;
  const squares = prices.map(({ value, weight }) => ({ value: (value - mean) ** 2, weight }));
  return Math.sqrt(meanOf(squares)) / mean;
}

/** `now` against `before` as a share: 0.1 is ten percent dearer; 0 where `before` was free. */
export function changeRatio(now: number, before: number): number {
  return before > 0 ? (now - before) / before : 0;
}
