import asciichart from 'asciichart';

/** What the values that share one column of the plot have in common; `null`: the column has no value. */
interface ChartColumn {
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
  // A plot of one row has no room for a range: it is labelled with its highest value.
  if (rows < 2) return { low: min, high: max, labels: new Map([[0, format(max)]]) };
  // All zero: any step would be invented.
  if (min === 0 && max === 0) return { low: 0, high: 1, labels: new Map([[0, format(0)]]) };
  const stride = rowsPerLabel(rows);
  const exponent = firstExponent(min, max, (rows - 1) / stride);
  let fallback: ChartScale | null = null;
  for (let attempt = 0, taken = 0; taken < TRIES; attempt += 1) {
    const rowStep = stepAt(exponent, attempt) / stride;
    const bottom = bottomRow(min, max, rowStep, rows);
    const [low, high] = [bottom * rowStep, (bottom + rows - 1) * rowStep];
    if (!Number.isFinite(high)) break;
    if (high < max - rowStep * 1e-6) continue;
    taken += 1;
    const labels = new Map<number, string>();
    for (let row = 0; row < rows; row += 1) {
      if ((bottom + row) % stride === 0) labels.set(row, format((bottom + row) * rowStep));
    }
    const scale = { low, high, labels };
    fallback ??= scale;
    if (new Set(labels.values()).size === labels.size) return scale;
  }
  return fallback ?? { low: min, high: max, labels: new Map() };
}

function rowsPerLabel(rows: number): number {
  if (rows <= 5) return 1;
  return rows <= 14 ? 2 : 3;
}

/** Power of ten of a step that is certainly not too large. */
function firstExponent(min: number, max: number, intervals: number): number {
  const span = max - min;
  const raw = span > 0 ? span / intervals : Math.max(Math.abs(max) / 1_000, 1);
  return Math.floor(Math.log10(raw));
}

/** The step between two labels to try next, ascending. */
function stepAt(exponent: number, attempt: number): number {
  const mantissa = STEPS[attempt % STEPS.length] ?? 1;
  return mantissa * 10 ** (exponent + Math.floor(attempt / STEPS.length));
}

/** The value of the lowest row in row steps; rows left over are shared between top and bottom. */
function bottomRow(min: number, max: number, rowStep: number, rows: number): number {
  const lowest = Math.floor(min / rowStep + 1e-6);
  const highest = Math.ceil(max / rowStep - 1e-6);
  const spare = Math.max(Math.floor((lowest + rows - 1 - highest) / 2), 0);
  return min >= 0 ? Math.max(lowest - spare, 0) : lowest - spare;
}

/** How a line is drawn, so that two lines differ without colour. */
export type LineStyle = 'solid' | 'dashed' | 'dotted';

export interface ChartCell {
  readonly glyph: string;
  /** Place of the series that the cell belongs to; `null` for what belongs to none. */
  readonly series: number | null;
  /** `spread`: between the lowest and the highest of the values that share the column. */
  readonly role: 'empty' | 'line' | 'spread' | 'cursor' | 'mark';
}

const EMPTY: ChartCell = { glyph: ' ', series: null, role: 'empty' };

/** In asciichart's order: `┼ ┤ ╶ ╴ ─ ╰ ╭ ╮ ╯ │`. */
const UNICODE: Readonly<Record<LineStyle, readonly string[]>> = {
  solid: ['┼', '┤', '╶', '╴', '─', '╰', '╭', '╮', '╯', '│'],
  dashed: ['┼', '┤', '╶', '╴', '╌', '╰', '╭', '╮', '╯', '╎'],
  dotted: ['┼', '┤', '╶', '╴', '┈', '╰', '╭', '╮', '╯', '┊'],
};
const ASCII: Readonly<Record<LineStyle, readonly string[]>> = {
  solid: ['+', '|', '-', '-', '-', "'", '.', '.', "'", '|'],
  dashed: ['+', '|', '=', '=', '=', "'", '.', '.', "'", '"'],
  dotted: ['+', '|', '~', '~', '~', "'", '.', '.', "'", ';'],
};

export function lineSymbols(style: LineStyle, ascii: boolean): readonly string[] {
  return (ascii ? ASCII : UNICODE)[style];
}

/** The piece of line that stands for a series in a legend. */
export function legendGlyph(style: LineStyle, ascii: boolean): string {
  return lineSymbols(style, ascii)[4] ?? '-';
}

interface ChartLine {
  readonly columns: readonly (ChartColumn | null)[];
  readonly symbols: readonly string[];
}

/**
 * The cells of a plot, top row first; each row is as wide as the lines have columns. The first line lies on
 * top of the others. `spreadGlyph` shows how far values reach above and below the mean of their column.
 */
export function plotCells(
  lines: readonly ChartLine[],
  scale: ChartScale,
  width: number,
  height: number,
  spreadGlyph: string | null,
): ChartCell[][] {
  const cells = Array.from({ length: height }, () => Array.from({ length: width }, () => EMPTY));
  for (const [series, line] of [...lines.entries()].reverse()) drawLine(cells, line, series, scale, height);
  if (spreadGlyph === null) return cells;
  for (const [series, line] of lines.entries()) drawSpread(cells, line, series, scale, spreadGlyph);
  return cells;
}

/** The row from the top, 0 to `height` − 1, at which a value is drawn. */
function rowOf(value: number, scale: ChartScale, height: number): number {
  return height - 1 - Math.round(level(value, scale, height));
}

/** The height of a value in rows from the bottom: a fraction, within the plot whatever the value. */
function level(value: number, { low, high }: ChartScale, height: number): number {
  if (!(high > low)) return 0;
  return Math.min(Math.max(((value - low) / (high - low)) * (height - 1), 0), height - 1);
}

/** asciichart cannot draw gaps, so each stretch without one is a chart of its own on the same scale. */
function drawLine(
  cells: ChartCell[][],
  { columns, symbols }: ChartLine,
  series: number,
  scale: ChartScale,
  height: number,
): void {
  for (let start = 0; start < columns.length; ) {
    const run: number[] = [];
    for (let column = columns[start + run.length]; column; column = columns[start + run.length]) {
      run.push(level(column.mean, scale, height));
    }
    if (run.length > 0) drawRun(cells, run, start, symbols, series, height);
    start += run.length + 1;
  }
}

function drawRun(
  cells: ChartCell[][],
  run: readonly number[],
  start: number,
  symbols: readonly string[],
  series: number,
  height: number,
): void {
  // asciichart draws the steps between values; the first value doubled makes as many columns as values.
  const first = run[0] ?? 0;
  const config = { min: 0, max: height - 1, height: height - 1, offset: 1, format: () => ' ', symbols };
  const rows = asciichart.plot([[first, ...run]], config).split('\n');
  for (const [y, row] of rows.entries()) {
    for (const [x, glyph] of [...row].slice(1).entries()) {
      const target = cells[y];
      if (glyph !== ' ' && target?.[start + x]) target[start + x] = { glyph, series, role: 'line' };
    }
  }
}

function drawSpread(
  cells: ChartCell[][],
  { columns }: ChartLine,
  series: number,
  scale: ChartScale,
  glyph: string,
): void {
  const height = cells.length;
  for (const [x, column] of columns.entries()) {
    if (!column) continue;
    for (let y = rowOf(column.max, scale, height); y <= rowOf(column.min, scale, height); y += 1) {
      const row = cells[y];
      if (row?.[x]?.role === 'empty') row[x] = { glyph, series, role: 'spread' };
    }
  }
}
