/** Missing steps that a value is held over; more are a hole in the history. */
export const HELD_STEPS = 3;

/** The usual distance of points: the service's word, unless most points lie farther apart. */
export function usualStep(timestamps: readonly number[], bucketSec: number | null): number {
  const gaps = timestamps.slice(1).map((timestamp, i) => timestamp - (timestamps[i] ?? timestamp));
  const middle = gaps.sort((a, b) => a - b)[Math.floor(gaps.length / 2)] ?? 0;
  return Math.max((bucketSec ?? 0) * 1_000, middle, 1_000);
}

/** Reads rows on another grid: those within a slot summed up by `fold`, else the one whose step covers it. */
export function alignRows<Row extends { readonly timestamp: number }>(
  rows: readonly Row[],
  value: (row: Row) => number,
  fold: (values: readonly number[]) => number,
  slotMs: number,
): (timestamp: number) => number | null {
  const sorted = [...rows].sort((a, b) => a.timestamp - b.timestamp);
  const times = sorted.map(({ timestamp }) => timestamp);
  const held = Math.max(usualStep(times, null), slotMs) * HELD_STEPS;
  let next = 0;
  // Slots are asked for in order, so one walk through the rows serves them all.
  return (timestamp) => {
    while (next < sorted.length && (times[next] ?? 0) < timestamp) next += 1;
    const within: number[] = [];
    for (let i = next; i < sorted.length && (times[i] ?? 0) < timestamp + slotMs; i += 1) {
      const row = sorted[i];
      if (row) within.push(value(row));
    }
    if (within.length > 0) return fold(within);
    const before = sorted[next - 1];
    return before !== undefined && timestamp - before.timestamp < held ? value(before) : null;
  };
}

/** A `fold` for {@link alignRows}. */
export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
