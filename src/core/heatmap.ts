/** Mean base fee by UTC weekday (row 0 is Monday) and hour, whole wei per gas; `null` where nothing is known. */
export type HeatmapCells = (number | null)[][];

/** What one hour (or any stretch within one hour) contributes: its mean, and how many blocks stand behind it. */
export interface HourlyMean {
  /** Unix seconds of any moment within the hour. */
  readonly timestamp: number;
  /** Wei per gas. */
  readonly meanBaseFee: number;
  readonly blocks: number;
}

const HOURS = 24;
const DAYS = 7;
const HOUR_SEC = 3_600;
/** 1 January 1970 was a Thursday. */
const EPOCH_WEEKDAY = 3;

/** Folds hourly means into day × hour, each hour weighing as much as it has blocks. */
export function foldHeatmap(hours: Iterable<HourlyMean>): HeatmapCells {
  const { sums, weights } = fold(hours, DAYS * HOURS, weekSlot);
  return Array.from({ length: DAYS }, (_, day) =>
    Array.from({ length: HOURS }, (_, hour) => mean(sums, weights, day * HOURS + hour)),
  );
}

/**
 * The UTC hour of day (0–23) whose mean base fee is lowest; `null` until every hour of the day has been seen,
 * since the cheapest of those seen so far may just be the time the monitor was started.
 */
export function cheapestHourUtc(hours: Iterable<HourlyMean>): number | null {
  const { sums, weights } = fold(hours, HOURS, daySlot);
  let cheapest: number | null = null;
  let lowest = Number.POSITIVE_INFINITY;
  for (let hour = 0; hour < HOURS; hour += 1) {
    const weight = weights[hour] ?? 0;
    if (weight === 0) return null;
    const value = (sums[hour] ?? 0) / weight;
    if (value < lowest) {
      lowest = value;
      cheapest = hour;
    }
  }
  return cheapest;
}

function fold(hours: Iterable<HourlyMean>, slots: number, slotOf: (timestamp: number) => number) {
  const sums = new Float64Array(slots);
  const weights = new Float64Array(slots);
  for (const { timestamp, meanBaseFee, blocks } of hours) {
    const slot = slotOf(timestamp);
    sums[slot] = (sums[slot] ?? 0) + meanBaseFee * blocks;
    weights[slot] = (weights[slot] ?? 0) + blocks;
  }
  return { sums, weights };
}

function daySlot(timestamp: number): number {
  return Math.floor(timestamp / HOUR_SEC) % HOURS;
}

function weekSlot(timestamp: number): number {
  const day = (Math.floor(timestamp / (HOUR_SEC * HOURS)) + EPOCH_WEEKDAY) % DAYS;
  return day * HOURS + daySlot(timestamp);
}

function mean(sums: Float64Array, weights: Float64Array, slot: number): number | null {
  const weight = weights[slot] ?? 0;
  return weight > 0 ? Math.round((sums[slot] ?? 0) / weight) : null;
}
