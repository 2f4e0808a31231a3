/**
 * The `q` quantile (0 to 1) of numbers in ascending order, linear between neighbours (type 7 of Hyndman and Fan 1996,
 * the default of R and NumPy). `NaN` for no numbers.
 */
export function quantileOfSorted(sorted: ArrayLike<number>, q: number): number {
  const at = (sorted.length - 1) * Math.min(Math.max(q, 0), 1);
  const below = Math.floor(at);
  const low = sorted[below] ?? Number.NaN;
  const high = sorted[Math.ceil(at)] ?? Number.NaN;
  return low + (high - low) * (at - below);
}

export function quantiles(values: Iterable<number>, qs: readonly number[]): number[] {
  const sorted = Float64Array.from(values).sort();
  return qs.map((q) => quantileOfSorted(sorted, q));
}
