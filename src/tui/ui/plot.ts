/** The values of one column of the plot, combined; `null`: no value. */
export interface ChartColumn {
  readonly min: number;
  readonly mean: number;
  readonly max: number;
}

/** Far beyond any fee, and small enough that differences of two values stay finite. */
const LIMIT = Number.MAX_VALUE / 4;

const clamp = (value: number, low: number, high: number) => Math.min(Math.max(value, low), high);

/** The column of value `index` of `count` on a plot `width` columns wide: the middle of its columns. */
export function columnOf(index: number, count: number, width: number): number {
  if (count <= 0 || width <= 0) return 0;
  const last = Math.ceil(((index + 1) * width) / count) - 1;
  const first = Math.min(Math.ceil((index * width) / count), last);
  return clamp(Math.floor((first + last) / 2), 0, width - 1);
}

/** One value per slot, `null` for a gap; slots of many values also have their extremes. */
export interface SlotValues {
  readonly values: readonly (number | null)[];
  readonly lows?: readonly (number | null)[];
  readonly highs?: readonly (number | null)[];
}

/**
 * Fits values to `width` columns. A column of several values has their extremes and mean, so that none is lost. With
 * fewer values than columns each is held over its share, since a slope between two values would show prices that
 * never existed. Non-finite values count as gaps.
 */
export function toColumns(slots: SlotValues, width: number, count = slots.values.length) {
  return Array.from({ length: width }, (_, column): ChartColumn | null => {
    const from = Math.floor((column * count) / width);
    const to = Math.max(Math.floor(((column + 1) * count) / width), from + 1);
    const known: ChartColumn[] = [];
    for (let index = from; index < to; index += 1) known.push(...slotColumn(slots, index));
    if (known.length === 0) return null;
    const mean = known.reduce((sum, one) => sum + one.mean / known.length, 0);
    // The extremes of a held slot are drawn once, in its middle.
    if (to === from + 1 && columnOf(from, count, width) !== column) return { min: mean, mean, max: mean };
    const min = Math.min(...known.map((one) => one.min));
    const max = Math.max(...known.map((one) => one.max));
    return { min, mean: clamp(mean, min, max), max };
  });
}

function slotColumn({ values, lows, highs }: SlotValues, index: number): readonly ChartColumn[] {
  const mean = clean(values[index]);
  if (mean === null) return [];
  const min = Math.min(clean(lows?.[index]) ?? mean, mean);
  return [{ min, mean, max: Math.max(clean(highs?.[index]) ?? mean, mean) }];
}

function clean(value: number | null | undefined): number | null {
  return value != null && Number.isFinite(value) ? clamp(value, -LIMIT, LIMIT) : null;
}

/**
 * One value per column for a line without range: the extreme farther from the overall mean, so that a spike of one
 * block is visible in a small chart.
 */
export function toPeaks(columns: readonly (ChartColumn | null)[]): readonly (ChartColumn | null)[] {
  const known = columns.filter((column) => column !== null);
  const middle = known.reduce((sum, { mean }) => sum + mean / known.length, 0);
  return columns.map((column) => {
    if (column === null) return null;
    const peak = column.max - middle >= middle - column.min ? column.max : column.min;
    return { min: peak, mean: peak, max: peak };
  });
}

/** The range of a plot, and the labels of its rows (row 0 is the lowest). */
export interface ChartScale {
  readonly low: number;
  readonly high: number;
  readonly labels: ReadonlyMap<number, string>;
}

/** Label steps that are easy to add up. */
const STEPS = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8] as const;
/** Ten orders of magnitude: with smaller steps labels look alike. */
const TRIES = 10 * STEPS.length;

/**
 * A scale of `rows` rows from `min` to `max` with round labels, so that it stays while values move a little. Equal
 * labels enlarge the step: 15.0, 15.1, never 15.0 twice, so that a flat series looks flat.
 */
export function chartScale(
  min: number,
  max: number,
  rows: number,
  format: (value: number) => string,
): ChartScale {
  if (min > max) return { low: 0, high: 1, labels: new Map() };
  // A plot of one row has no range: its label is the highest value.
  if (rows < 2) return { low: min, high: max, labels: new Map([[0, format(max)]]) };
  // All zero: any step would be arbitrary.
  if (min === 0 && max === 0) return { low: 0, high: 1, labels: new Map([[0, format(0)]]) };
  const perLabel = rows <= 5 ? 1 : rows <= 14 ? 2 : 3;
  // A step that is certainly small enough; the next ones ascend from there.
  const span = max > min ? ((max - min) * perLabel) / (rows - 1) : Math.max(Math.abs(max) / 1_000, 1);
  const exponent = Math.floor(Math.log10(span));
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const power = 10 ** (exponent + Math.floor(attempt / STEPS.length));
    const step = ((STEPS[attempt % STEPS.length] ?? 1) * power) / perLabel;
    const lowest = Math.floor(min / step + 1e-6);
    const highest = Math.ceil(max / step - 1e-6);
    // Spare rows are shared between top and bottom; nothing goes below 0 unnecessarily.
    const spare = Math.max(Math.floor((lowest + rows - 1 - highest) / 2), 0);
    const bottom = min >= 0 ? Math.max(lowest - spare, 0) : lowest - spare;
    const [low, high] = [bottom * step, (bottom + rows - 1) * step];
    if (!Number.isFinite(high)) break;
    if (high < max - step * 1e-6) continue;
    const labelled = Array.from({ length: rows }, (_, row) => row).filter(
      (row) => (bottom + row) % perLabel === 0,
    );
    const labels = new Map(labelled.map((row) => [row, format((bottom + row) * step)]));
    if (new Set(labels.values()).size === labels.size) return { low, high, labels };
  }
  return { low: min, high: max, labels: new Map() };
}

/** The height of a value in rows from the bottom: a fraction, clamped to the plot. */
export function levelOf(value: number, { low, high }: ChartScale, rows: number): number {
  return high > low ? clamp(((value - low) / (high - low)) * (rows - 1), 0, rows - 1) : 0;
}
