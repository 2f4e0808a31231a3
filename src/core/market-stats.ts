import { HOUR_SEC } from './time.ts';
/** A value with the weight of `weight` equal values: a whole number, at least 1. */
export interface Weighted {
  readonly value: number;
  readonly weight: number;
}

/** How prices in wei per gas (any order, left as they are) are spread, in whole wei; `null` for none. */
export function summarise(prices: readonly Weighted[]) {
  if (prices.length === 0) return null;
  const sorted = prices.toSorted((a, b) => a.value - b.value);
  const quantile = quantilesOf(sorted);
  return {
    min: quantile(0),
    p10: quantile(0.1),
    median: quantile(0.5),
    mean: Math.round(meanOf(sorted)),
    p90: quantile(0.9),
    max: quantile(1),
  };
}

/**
 * Quantiles of ascending prices, in whole wei, by their share from 0 to 1: linear between neighbours (type 7 of Hyndman and
 * Fan 1996, the default of R and NumPy), each repeated by its weight. @throws RangeError for none
 */
export function quantilesOf(sorted: readonly Weighted[]): (share: number) => number {
  if (sorted.length === 0) throw new RangeError('no price has no quantile');
  const count = sorted.reduce((sum, { weight }) => sum + weight, 0);
  const valueAt = (index: number) => {
    let passed = 0;
    for (const { value, weight } of sorted) {
      passed += weight;
      if (index < passed) return value;
    }
    return Number.NaN;
  };
  return (share) => {
    const at = (count - 1) * share;
    const low = valueAt(Math.floor(at));
    return Math.round(low + (valueAt(Math.ceil(at)) - low) * (at - Math.floor(at)));
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

/** Standard deviation over mean; 0 when there are no prices or all are 0. */
export function volatility(prices: readonly Weighted[]): number {
  const mean = prices.length === 0 ? 0 : meanOf(prices);
  if (mean === 0) return 0;
  const squares = prices.map(({ value, weight }) => ({ value: (value - mean) ** 2, weight }));
  return Math.sqrt(meanOf(squares)) / mean;
}

/** Relative change from `before` to `now`: 0.1 is ten percent more; `null` where `before` was 0, or is not known. */
export const changeRatio = (now: number, before: number | null): number | null =>
  before !== null && before > 0 ? (now - before) / before : null;

const SIDE = 12;
/** Robust standard deviations beyond which a deviation is no noise. */
const DEVIATIONS = 5;
/** A median absolute deviation of normal noise times this is its standard deviation. */
const MAD_TO_SIGMA = 1.4826;
/** Smaller excursions are never marked, however quiet the series: +40 %, for a lasting change +60 %. */
const LEAST_EXCURSION = Math.log(1.4);
const LEAST_SHIFT = Math.log(1.6);

export type AnomalyPoint = ReturnType<typeof findAnomalies>[number];

/**
 * `SPIKE`, `ANOMALY`: top or bottom of a short excursion; `REGIME_SHIFT`: first point of a lasting level. Compares logarithms with
 * the medians of twelve points on each side in units of the median absolute deviation, so that neither outliers nor daily cycles
 * shift the scale. Linear in the points, oldest first. @param points Unix seconds and wei per gas
 * @returns each with the times of the `first` and the `last` point of its excursion
 */
export function findAnomalies(points: readonly { readonly timestamp: number; readonly value: number }[]) {
  if (points.length < 2 * SIDE + 1) return [];
  const logs = Float64Array.from(points, (point) => Math.log(Math.max(point.value, 1)));
  const before = logs.map((_, index) => medianOf(logs, index - SIDE, index));
  const after = logs.map((_, index) => medianOf(logs, index, index + SIDE));
  const shifts = findShifts(logs, before, after);
  const marked = [
    ...shifts.map((index) => ({ index, first: index, last: index, kind: 'REGIME_SHIFT' as const })),
    ...findExcursions(logs, before, after, new Set(shifts)),
  ];
  return marked
    .sort((a, b) => a.index - b.index)
    .flatMap(({ index, first, last, kind }) => {
      const timeOf = (place: number) => points[place]?.timestamp ?? 0;
      const run = { kind, first: timeOf(first), last: timeOf(last) };
      return points.slice(index, index + 1).map((point) => ({ ...point, ...run }));
    });
}

/** The lower one; `NaN` for none. */
function medianOf(values: Float64Array, from = 0, to = values.length): number {
  const sorted = values.slice(Math.max(from, 0), to).sort();
  return sorted[Math.max(Math.ceil(sorted.length / 2) - 1, 0)] ?? Number.NaN;
}

function tolerance(values: Float64Array, least: number): number {
  const middle = medianOf(values);
  const spread = medianOf(values.map((value) => Math.abs(value - middle)));
  return Math.max(DEVIATIONS * MAD_TO_SIGMA * spread, least);
}

/** Indices at which the level changes for good: the sharpest step of each neighbourhood. */
function findShifts(logs: Float64Array, before: Float64Array, after: Float64Array): number[] {
  const jumps = logs.map((_, index) => (after[index] ?? 0) - (before[index] ?? 0)).subarray(SIDE, 1 - SIDE);
  const limit = tolerance(jumps, LEAST_SHIFT);
  const steps = logs.map((value, index) => Math.abs(value - (logs[index - 1] ?? value)));
  const shifts: number[] = [];
  let sharpest = -1;
  for (let at = 0; at <= jumps.length; at += 1) {
    const index = at + SIDE;
    if (Math.abs(jumps[at] ?? 0) > limit) {
      if (sharpest < 0 || (steps[index] ?? 0) > (steps[sharpest] ?? 0)) sharpest = index;
    } else if (sharpest >= 0) {
      shifts.push(sharpest);
      sharpest = -1;
    }
  }
  return shifts;
}

/** The extreme point of every run that leaves both its past and its future. */
function findExcursions(
  logs: Float64Array,
  before: Float64Array,
  after: Float64Array,
  shifts: ReadonlySet<number>,
) {
  // The nearer side decides, so that the edge of a new level is no excursion.
  const deviations = logs.map((value, index) => {
    const past = index === 0 ? 0 : value - (before[index] ?? value);
    const future = value - (after[index] ?? value);
    if (past * future <= 0) return 0;
    return Math.abs(past) < Math.abs(future) ? past : future;
  });
  const limit = tolerance(deviations, LEAST_EXCURSION);
  const runs: { index: number; deviation: number; first: number; last: number }[] = [];
  let isOut = false;
  deviations.forEach((deviation, index) => {
    const run = runs.at(-1);
    const wasOut = isOut;
    isOut = Math.abs(deviation) > limit && !shifts.has(index);
    if (!isOut) return;
    if (!wasOut || run === undefined || run.deviation * deviation <= 0) {
      runs.push({ index, deviation, first: index, last: index });
      return;
    }
    run.last = index;
    if (Math.abs(deviation) > Math.abs(run.deviation)) Object.assign(run, { index, deviation });
  });
  return runs.map(({ deviation, ...run }) => ({
    ...run,
    kind: deviation > 0 ? ('SPIKE' as const) : ('ANOMALY' as const),
  }));
}

/** The mean of one hour (or a part of it), and the number of blocks behind it. */
export interface HourlyMean {
  /** Unix seconds of any moment within the hour. */
  readonly timestamp: number;
  readonly meanBaseFee: number;
  readonly blocks: number;
}

const HOURS = 24;
const DAYS = 7;
/** 1 January 1970 was a Thursday. */
const EPOCH_WEEKDAY = 3;

const hourOf = (timestamp: number) => Math.floor(timestamp / HOUR_SEC) % HOURS;
const weekdayOf = (timestamp: number) => (Math.floor(timestamp / (HOUR_SEC * HOURS)) + EPOCH_WEEKDAY) % DAYS;

/** Mean base fee by UTC weekday (row 0 is Monday) and hour, whole wei per gas; `null` where nothing is known. */
export function foldHeatmap(hours: readonly HourlyMean[]): (number | null)[][] {
  const means = meansOf(hours, DAYS * HOURS, (time) => weekdayOf(time) * HOURS + hourOf(time));
  const cells = means.map((mean) => (mean === null ? null : Math.round(mean)));
  return Array.from({ length: DAYS }, (_, day) => cells.slice(day * HOURS, (day + 1) * HOURS));
}

/** The UTC hour (0–23) with the lowest mean; `null` until each has data: the monitor may just have started. */
export function cheapestHourUtc(hours: readonly HourlyMean[]): number | null {
  const means = meansOf(hours, HOURS, hourOf).filter((mean) => mean !== null);
  return means.length < HOURS ? null : means.indexOf(Math.min(...means));
}

function meansOf(hours: readonly HourlyMean[], slots: number, slotOf: (timestamp: number) => number) {
  const sums = new Float64Array(slots);
  const weights = new Float64Array(slots);
  for (const { timestamp, meanBaseFee, blocks } of hours) {
    const slot = slotOf(timestamp);
    sums[slot] = (sums[slot] ?? 0) + meanBaseFee * blocks;
    weights[slot] = (weights[slot] ?? 0) + blocks;
  }
  return Array.from(weights, (weight, slot) => (weight > 0 ? (sums[slot] ?? 0) / weight : null));
}
