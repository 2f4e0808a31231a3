/** What the values that share one column of the plot have in common; `null`: the column has no value. */
export interface ChartColumn {
  readonly min: number;
  readonly mean: number;
  readonly max: number;
}

/** Far beyond any fee, and small enough that differences of two values stay finite. */
const LIMIT = Number.MAX_VALUE / 4;

/** The column in which value `index` of `count` is drawn on a plot `width` columns wide. */
export function columnOf(index: number, count: number, width: number): number {
  if (count <= 0 || width <= 0) return 0;
  if (count >= width) return Math.min(Math.max(Math.floor(((index + 0.5) * width) / count), 0), width - 1);
  // Held over several columns: the middle one.
  const first = Math.ceil((index * width) / count);
  const last = Math.ceil(((index + 1) * width) / count) - 1;
  return Math.min(Math.max(Math.floor((first + last) / 2), 0), width - 1);
}

/**
 * Fits values to `width` columns. Where several values share a column none is lost: the column keeps their
 * extremes beside the mean. Where there are fewer values than columns each is held over its share, since
 * a slope between two values would claim prices that nobody asked for. What is not finite counts as a gap.
 */
export function toColumns(
  values: readonly (number | null)[],
  width: number,
): readonly (ChartColumn | null)[] {
  const count = values.length;
  if (count < width) return stretch(values, width);
  const columns: (ChartColumn | null)[] = [];
  for (let column = 0, index = 0; column < width; column += 1) {
    const shared: number[] = [];
    for (; index < count && columnOf(index, count, width) === column; index += 1) {
      const value = clean(values[index]);
      if (value !== null) shared.push(value);
    }
    columns.push(summarise(shared));
  }
  return columns;
}

function stretch(values: readonly (number | null)[], width: number): readonly (ChartColumn | null)[] {
  return Array.from({ length: width }, (_, column) => {
    const value = clean(values[Math.floor((column * values.length) / width)]);
    return value === null ? null : { min: value, mean: value, max: value };
  });
}

function clean(value: number | null | undefined): number | null {
  if (value === null || value === undefined || !Number.isFinite(value)) return null;
  return Math.min(Math.max(value, -LIMIT), LIMIT);
}

function summarise(values: readonly number[]): ChartColumn | null {
  if (values.length === 0) return null;
  let [min, mean, max] = [Number.POSITIVE_INFINITY, 0, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    min = Math.min(min, value);
    max = Math.max(max, value);
    // Dividing first keeps the sum of huge values finite.
    mean += value / values.length;
  }
  return { min, mean: Math.min(Math.max(mean, min), max), max };
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
