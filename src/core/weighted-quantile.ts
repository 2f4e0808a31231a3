/** A number that stands for `weight` equal ones: a whole number, at least 1. */
export interface Weighted {
  readonly value: number;
  readonly weight: number;
}

/**
 * The `q` quantile (0 to 1) of numbers in ascending order, as `quantileOfSorted` would say it of all that they stand
 * for. `NaN` for none.
 */
export function quantileOfWeighted(sorted: readonly Weighted[], q: number): number {
  const count = sorted.reduce((sum, { weight }) => sum + weight, 0);
  const at = (count - 1) * Math.min(Math.max(q, 0), 1);
  const below = Math.floor(at);
  const low = valueAt(sorted, below);
  return low + (valueAt(sorted, Math.ceil(at)) - low) * (at - below);
}

function valueAt(sorted: readonly Weighted[], index: number): number {
  let passed = 0;
  for (const { value, weight } of sorted) {
    passed += weight;
    if (index < passed) return value;
  }
  return Number.NaN;
}
