/** The value below which `share` of the sorted values lie (nearest rank). */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(Math.ceil(share * sorted.length) - 1, 0)] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** `1.05–1.31` */
export function range(values: readonly number[], digits = 2): string {
  return `${Math.min(...values).toFixed(digits)}–${Math.max(...values).toFixed(digits)}`;
}

/** Ratios of values that were measured in turns: the first against the first, and so on. */
export function ratios(values: readonly number[], yardsticks: readonly number[]): number[] {
  return values.map((value, index) => value / (yardsticks[index] ?? Number.NaN));
}
