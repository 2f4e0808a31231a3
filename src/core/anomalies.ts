import { takeMedian } from './median.ts';

export type AnomalyKind = 'SPIKE' | 'REGIME_SHIFT' | 'ANOMALY';

export interface PricePoint {
  /** Unix seconds. */
  readonly timestamp: number;
  /** Wei per gas. */
  readonly value: number;
}

export interface AnomalyPoint extends PricePoint {
  readonly kind: AnomalyKind;
}

/** Points on each side that a point is compared with. */
const SIDE = 12;
/** Robust standard deviations beyond which a deviation is no longer noise. */
const DEVIATIONS = 5;
/** A median absolute deviation of normal noise times this is its standard deviation. */
const MAD_TO_SIGMA = 1.4826;
/** Smaller excursions are never marked, however quiet the series: +40 %, and for a lasting change +60 %. */
const LEAST_EXCURSION = Math.log(1.4);
const LEAST_SHIFT = Math.log(1.6);

/**
 * Marks what stands out in a series of prices, oldest first:
 * `SPIKE`, the top of a short excursion upwards; `ANOMALY`, the bottom of one downwards;
 * `REGIME_SHIFT`, the first point of a level that lasts. Compares logarithms with the medians of the
 * twelve points before and after, in units of the median absolute deviation, so neither one outlier nor a
 * daily cycle moves the yardstick. Linear in the number of points.
 */
export function findAnomalies(points: readonly PricePoint[]): AnomalyPoint[] {
  if (points.length < 2 * SIDE + 1) return [];
  const logs = Float64Array.from(points, (point) => Math.log(Math.max(point.value, 1)));
  const before = logs.map((_, index) => medianOf(logs, index - SIDE, index));
  const after = logs.map((_, index) => medianOf(logs, index, index + SIDE));
  const shifts = findShifts(logs, before, after);
  return mark(points, shifts, findExcursions(logs, before, after, shifts));
}

function medianOf(values: Float64Array, from: number, to: number): number {
  return takeMedian(values.slice(Math.max(from, 0), Math.min(to, values.length)));
}

/** How far values lie from their median before they stand out. */
function tolerance(values: Float64Array, least: number): number {
  const middle = takeMedian(values.slice());
  const spread = takeMedian(values.map((value) => Math.abs(value - middle)));
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

interface Excursion {
  readonly index: number;
  readonly isUp: boolean;
}

/** The extreme point of every run that leaves both its past and its future. */
function findExcursions(
  logs: Float64Array,
  before: Float64Array,
  after: Float64Array,
  shifts: readonly number[],
): Excursion[] {
  const steps = new Set(shifts);
  // The side nearer to the point decides, so that the edge of a new level is no excursion.
  const deviations = logs.map((value, index) => {
    const past = index === 0 ? 0 : value - (before[index] ?? value);
    const future = value - (after[index] ?? value);
    if (past * future <= 0) return 0;
    return Math.abs(past) < Math.abs(future) ? past : future;
  });
  const limit = tolerance(deviations, LEAST_EXCURSION);
  const found: Excursion[] = [];
  const end = (index: number) => {
    if (index >= 0) found.push({ index, isUp: (deviations[index] ?? 0) > 0 });
  };
  let extreme = -1;
  deviations.forEach((deviation, index) => {
    const out = Math.abs(deviation) > limit && !steps.has(index);
    const top = deviations[extreme] ?? 0;
    if (out && extreme >= 0 && top * deviation > 0) {
      if (Math.abs(deviation) > Math.abs(top)) extreme = index;
      return;
    }
    end(extreme);
    extreme = out ? index : -1;
  });
  end(extreme);
  return found;
}

function mark(
  points: readonly PricePoint[],
  shifts: readonly number[],
  excursions: readonly Excursion[],
): AnomalyPoint[] {
  const marked: { index: number; kind: AnomalyKind }[] = [
    ...shifts.map((index) => ({ index, kind: 'REGIME_SHIFT' as const })),
    ...excursions.map(({ index, isUp }) => ({
      index,
      kind: isUp ? ('SPIKE' as const) : ('ANOMALY' as const),
    })),
  ];
  marked.sort((a, b) => a.index - b.index);
  return marked.flatMap(({ index, kind }) => {
    const point = points[index];
    return point === undefined ? [] : [{ ...point, kind }];
  });
}
