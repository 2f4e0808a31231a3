/** What the values that share one column of the plot have in common; `null`: the column has no value. */
export interface ChartColumn {
  readonly min: number;
  readonly mean: number;
  readonly max: number;
}

/** Far beyond any fee, and small enough that differences of two values stay finite. */
const LIMIT = Number.MAX_VALUE / 4;

const clamp = (value: number, low: number, high: number) => Math.min(Math.max(value, low), high);

/** The column in which value `index` of `count` is drawn on a plot `width` columns wide. */
export function columnOf(index: number, count: number, width: number): number {
  if (count <= 0 || width <= 0) return 0;
  if (count >= width) return clamp(Math.floor(((index + 0.5) * width) / count), 0, width - 1);
  // Held over several columns: the middle one.
  const first = Math.ceil((index * width) / count);
  const last = Math.ceil(((index + 1) * width) / count) - 1;
  return clamp(Math.floor((first + last) / 2), 0, width - 1);
}

/** What is drawn: one value per slot, `null` for a gap; where a slot sums up many values, also their extremes. */
export interface SlotValues {
  readonly values: readonly (number | null)[];
  readonly lows?: readonly (number | null)[];
  readonly highs?: readonly (number | null)[];
}

/**
 * Fits values to `width` columns. Where several values share a column none is lost: the column keeps their
 * extremes beside the mean. Where there are fewer values than columns each is held over its share, since
 * a slope between two values would claim prices that nobody asked for. What is not finite counts as a gap.
 */
export function toColumns(slots: SlotValues, width: number, count = slots.values.length) {
  if (count < width) {
    return Array.from({ length: width }, (_, column) => {
      const index = Math.floor((column * count) / width);
      const one = slotColumn(slots, index);
      // The extremes of a slot are drawn once, in its middle.
      const isMiddle = column === columnOf(index, count, width);
      return one === null || isMiddle ? one : { min: one.mean, mean: one.mean, max: one.mean };
    });
  }
  const columns: ({ min: number; mean: number; max: number; count: number } | null)[] = Array.from(
    { length: width },
    () => null,
  );
  for (let index = 0; index < count; index += 1) {
    const one = slotColumn(slots, index);
    if (one === null) continue;
    const place = columnOf(index, count, width);
    const shared = columns[place] ?? { ...one, mean: 0, count: 0 };
    shared.min = Math.min(shared.min, one.min);
    shared.max = Math.max(shared.max, one.max);
    shared.count += 1;
    // A running mean keeps the sum of huge values finite.
    shared.mean += one.mean / shared.count - shared.mean / shared.count;
    columns[place] = shared;
  }
  return columns.map(
    (column): ChartColumn | null =>
      column && { min: column.min, mean: clamp(column.mean, column.min, column.max), max: column.max },
  );
}

function slotColumn({ values, lows, highs }: SlotValues, index: number): ChartColumn | null {
  const mean = clean(values[index]);
  if (mean === null) return null;
  const min = Math.min(clean(lows?.[index]) ?? mean, mean);
  return { min, mean, max: Math.max(clean(highs?.[index]) ?? mean, mean) };
}

function clean(value: number | null | undefined): number | null {
  return value != null && Number.isFinite(value) ? clamp(value, -LIMIT, LIMIT) : null;
}

/**
 * One value per column for a line without its spread: of each column the extreme that lies farther from the
 * mean of all, so that a spike of one block is seen in a small chart.
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

/** The values between which a plot is drawn, and the labels of its rows (row 0 is the lowest). */
export interface ChartScale {
  readonly low: number;
  readonly high: number;
  readonly labels: ReadonlyMap<number, string>;
}

/** Steps between two labels that people can add up in their heads. */
const STEPS = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8] as const;
/** How many steps to try before labels that still look alike are accepted. */
const TRIES = 80;

/**
 * A scale of `rows` rows that holds `min` to `max` and whose labels are round numbers, so that it stays where
 * it is while values move a little. Labels that would read the same push the step up: 15.0, 15.1, never
 * 15.0 twice, so a flat series looks flat.
 */
export function chartScale(
  min: number,
  max: number,
  rows: number,
  format: (value: number) => string,
): ChartScale {
  if (min > max) return { low: 0, high: 1, labels: new Map() };
  // A plot of one row has no room for a range: it is labelled with its highest value.
  if (rows < 2) return { low: min, high: max, labels: new Map([[0, format(max)]]) };
  // All zero: any step would be invented.
  if (min === 0 && max === 0) return { low: 0, high: 1, labels: new Map([[0, format(0)]]) };
  const rowsPerLabel = rows <= 5 ? 1 : rows <= 14 ? 2 : 3;
  // A step that is certainly not too large; the next ones ascend from there.
  const span = max > min ? ((max - min) * rowsPerLabel) / (rows - 1) : Math.max(Math.abs(max) / 1_000, 1);
  const exponent = Math.floor(Math.log10(span));
  let fallback: ChartScale | null = null;
  for (let attempt = 0, taken = 0; taken < TRIES; attempt += 1) {
    const power = 10 ** (exponent + Math.floor(attempt / STEPS.length));
    const rowStep = ((STEPS[attempt % STEPS.length] ?? 1) * power) / rowsPerLabel;
    const lowest = Math.floor(min / rowStep + 1e-6);
    const highest = Math.ceil(max / rowStep - 1e-6);
    // Rows left over are shared between top and bottom; nothing is below 0 that need not be.
    const spare = Math.max(Math.floor((lowest + rows - 1 - highest) / 2), 0);
    const bottom = min >= 0 ? Math.max(lowest - spare, 0) : lowest - spare;
    const [low, high] = [bottom * rowStep, (bottom + rows - 1) * rowStep];
    if (!Number.isFinite(high)) break;
    if (high < max - rowStep * 1e-6) continue;
    taken += 1;
    const labels = new Map<number, string>();
    for (let row = 0; row < rows; row += 1) {
      if ((bottom + row) % rowsPerLabel === 0) labels.set(row, format((bottom + row) * rowStep));
    }
    const scale = { low, high, labels };
    fallback ??= scale;
    if (new Set(labels.values()).size === labels.size) return scale;
  }
  return fallback ?? { low: min, high: max, labels: new Map() };
}

/** The height of a value in rows from the bottom: a fraction, within the plot whatever the value. */
export function levelOf(value: number, { low, high }: ChartScale, rows: number): number {
  return high > low ? clamp(((value - low) / (high - low)) * (rows - 1), 0, rows - 1) : 0;
}
