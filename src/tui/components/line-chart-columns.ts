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
export function toColumns(slots: SlotValues, width: number): readonly (ChartColumn | null)[] {
  const count = slots.values.length;
  if (count < width) {
    return Array.from({ length: width }, (_, column) => {
      const index = Math.floor((column * count) / width);
      const one = slotColumn(slots, index);
      // The extremes of a slot are drawn once, in its middle.
      const middle = column === columnOf(index, count, width);
      return one === null || middle ? one : { min: one.mean, mean: one.mean, max: one.mean };
    });
  }
  const columns: (ChartColumn | null)[] = [];
  for (let column = 0, index = 0; column < width; column += 1) {
    const shared: ChartColumn[] = [];
    for (; index < count && columnOf(index, count, width) === column; index += 1) {
      const one = slotColumn(slots, index);
      if (one !== null) shared.push(one);
    }
    columns.push(summarise(shared));
  }
  return columns;
}

function slotColumn({ values, lows, highs }: SlotValues, index: number): ChartColumn | null {
  const mean = clean(values[index]);
  if (mean === null) return null;
  return {
    min: Math.min(clean(lows?.[index]) ?? mean, mean),
    mean,
    max: Math.max(clean(highs?.[index]) ?? mean, mean),
  };
}

function clean(value: number | null | undefined): number | null {
  if (value === null || value === undefined || !Number.isFinite(value)) return null;
  return Math.min(Math.max(value, -LIMIT), LIMIT);
}

function summarise(shared: readonly ChartColumn[]): ChartColumn | null {
  if (shared.length === 0) return null;
  let [min, mean, max] = [Number.POSITIVE_INFINITY, 0, Number.NEGATIVE_INFINITY];
  for (const one of shared) {
    min = Math.min(min, one.min);
    max = Math.max(max, one.max);
    // Dividing first keeps the sum of huge values finite.
    mean += one.mean / shared.length;
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
