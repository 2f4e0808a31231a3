import asciichart from 'asciichart';
import { useIsScreenReaderEnabled } from 'ink';
import { type Line, LineList, type Span } from './text.tsx';
import type { ColorName } from './theme.ts';

/** Line symbols in asciichart's order; two lines differ without colour. */
const SYMBOLS = { solid: '┼┤╶╴─╰╭╮╯│', dashed: '┼┤╶╴╌╰╭╮╯╎', dotted: '┼┤╶╴┈╰╭╮╯┊' } as const;
export type LineStyle = keyof typeof SYMBOLS;
const STYLES = ['solid', 'dashed', 'dotted'] as const;

export const legendGlyph = (style: LineStyle) => SYMBOLS[style].charAt(4);

/** One value per slot, `null` for a gap; slots of many values also have their extremes. */
interface ChartSeries {
  readonly values: readonly (number | null)[];
  readonly lows?: readonly (number | null)[];
  readonly highs?: readonly (number | null)[];
  readonly color?: ColorName;
  /** Lines must differ by more than colour; default by index: solid, dashed, dotted. */
  readonly style?: LineStyle;
}

export interface LineChartOptions {
  readonly series: readonly ChartSeries[];
  readonly width: number;
  /** Including the row of the `xLabels`. */
  readonly height: number;
  readonly format: (value: number) => string;
  readonly xLabels?: readonly { readonly index: number; readonly text: string }[];
  readonly cursor?: number | null;
  readonly marks?: readonly { readonly index: number; readonly glyph: string; readonly color?: ColorName }[];
  /** Values that are within the scale, too. */
  readonly include?: readonly number[];
}

interface Cell extends Omit<Span, 'text'> {
  readonly glyph: string;
}

const EMPTY: Cell = { glyph: ' ' };
const CURSOR: Cell = { glyph: '┃', faint: true };
/** Between the lowest and the highest value of a column. */
const SPREAD = '∙';
/** `1,352`, `0.0412` and a space: fixed, so that the plot does not jump; only a longer label widens it. */
const GUTTER = 8;
/** A narrower plot gets the gutter's room instead. */
const MIN_PLOT = 8;
/** Lower plots show the peak of a column, not its range. */
const SPREAD_FROM = 6;

export function chartPlotWidth(width: number, gutter = GUTTER): number {
  const plot = width - gutter - 1;
  return Math.max(plot >= MIN_PLOT ? plot : width, 0);
}

export function chartLines(options: LineChartOptions): readonly Line[] {
  const { series, width, height, xLabels, marks = [], cursor = null, include = [] } = options;
  const hasLabels = xLabels !== undefined && height >= 3;
  const rows = height - (hasLabels ? 1 : 0);
  if (rows < 1 || width < 1) return [];

  // Shorter series end in a gap.
  const slots = Math.max(0, ...series.map(({ values }) => values.length));
  const all = series.flatMap(({ values, lows = [], highs = [] }) => [...values, ...lows, ...highs]);
  const known = all.filter((value) => value !== null);
  const held = known.length === 0 ? [] : [...known, ...include];
  const scale = chartScale(Math.min(...held), Math.max(...held), rows, options.format);
  const gutter = Math.max(GUTTER, ...[...scale.labels.values()].map(({ length }) => length + 1));
  const plotWidth = chartPlotWidth(width, gutter);
  const columnAt = (index: number) => columnOf(index, slots, plotWidth);

  const cells = Array.from({ length: rows }, () => Array.from({ length: plotWidth }, () => EMPTY));
  const drawn = series.map((one, place) => {
    const columns = toColumns(one, plotWidth, slots);
    const style = one.style ?? STYLES[place % STYLES.length] ?? 'solid';
    return { columns: rows < SPREAD_FROM ? toPeaks(columns) : columns, style, color: one.color };
  });
  for (const line of drawn.toReversed()) drawLine(cells, line, scale);
  for (const line of drawn) drawSpread(cells, line, scale);
  for (const row of cursor === null ? [] : cells) {
    const at = columnAt(cursor ?? 0);
    // Lines stay readable.
    if (row[at] === EMPTY || row[at]?.glyph === SPREAD) row[at] = CURSOR;
  }
  for (const { index, ...mark } of marks) {
    // Just above the highest line of its column, or on it when there is no room above.
    const at = columnAt(index);
    const top = cells.findIndex((row) => row[at] !== EMPTY && row[at] !== CURSOR && row[at]?.bold !== true);
    const row = cells[Math.max((top < 0 ? rows : top) - 1, 0)];
    if (row?.[at]) row[at] = { ...mark, bold: true };
  }

  const hasGutter = plotWidth < width;
  const lines = cells.map((row, y) => {
    const label = scale.labels.get(rows - 1 - y);
    const axis = label === undefined ? '│' : row[0]?.glyph === '─' ? '┼' : '┤';
    const before = hasGutter ? [{ text: `${(label ?? '').padStart(gutter - 1)} ${axis}` }] : [];
    return [...before, ...spansOf(row)];
  });
  if (!hasLabels) return lines;
  let labels = '';
  for (const { index, text } of xLabels) {
    // A label that would touch the previous one is left out.
    const at = columnAt(index);
    const fits = at >= labels.length + (labels === '' ? 0 : 1) && at + 1 + text.length <= plotWidth;
    if (fits) labels = `${labels.padEnd(at)}╵${text}`;
  }
  return [...lines, [{ text: ' '.repeat(hasGutter ? gutter + 1 : 0) + labels.padEnd(plotWidth) }]];
}

interface DrawnLine {
  readonly columns: readonly (Column | null)[];
  readonly style: LineStyle;
  readonly color: ColorName | undefined;
}

/** asciichart cannot draw gaps: they are filled with the next value, and removed from the drawing. */
function drawLine(cells: Cell[][], { columns, style, color }: DrawnLine, scale: Scale): void {
  const height = cells.length;
  const levels = columns.map((_, at) => {
    const known = columns.find((column, place) => place >= at && column !== null);
    return known == null ? 0 : levelOf(known.mean, scale, height);
  });
  // It draws steps between values; doubling the first value makes as many columns as values.
  const config = { min: 0, max: height - 1, height: height - 1, offset: 1, format: () => ' ' };
  const plot = asciichart.plot([[levels[0] ?? 0, ...levels]], { ...config, symbols: [...SYMBOLS[style]] });
  for (const [y, row] of plot.split('\n').entries()) {
    for (const [x, glyph] of [...row].slice(1).entries()) {
      const target = cells[y];
      if (glyph !== ' ' && columns[x] != null && target?.[x]) target[x] = { glyph, color };
    }
  }
}

function drawSpread(cells: Cell[][], { columns, color }: DrawnLine, scale: Scale): void {
  const rowOf = (value: number) => cells.length - 1 - Math.round(levelOf(value, scale, cells.length));
  for (const [x, column] of columns.entries()) {
    if (column === null) continue;
    for (let y = rowOf(column.max); y <= rowOf(column.min); y += 1) {
      const row = cells[y];
      if (row?.[x] === EMPTY) row[x] = { glyph: SPREAD, color, faint: true };
    }
  }
}

/** Neighbours with the same look become one span; a space has any look. */
function spansOf(cells: readonly Cell[]): Line {
  const spans: (Span & { text: string })[] = [];
  for (const { glyph, ...look } of cells) {
    const last = spans.at(-1);
    const isAlike = last && last.color === look.color && last.faint === look.faint && last.bold === look.bold;
    if (last && (glyph === ' ' || isAlike)) last.text += glyph;
    else spans.push({ text: glyph, ...look });
  }
  return spans;
}

/** Lines over a common axis, drawn with asciichart; fills exactly `width` × `height`. Nothing for a screen reader. */
export function LineChart(options: LineChartOptions) {
  if (useIsScreenReaderEnabled()) return null;
  return <LineList lines={chartLines(options)} width={options.width} />;
}

interface Column {
  readonly min: number;
  readonly mean: number;
  readonly max: number;
}

const clamp = (value: number, low: number, high: number) => Math.min(Math.max(value, low), high);

/** The column of value `index` of `count` on a plot `width` columns wide: the middle of its columns. */
function columnOf(index: number, count: number, width: number): number {
  if (count <= 0 || width <= 0) return 0;
  const last = Math.ceil(((index + 1) * width) / count) - 1;
  const first = Math.min(Math.ceil((index * width) / count), last);
  return clamp(Math.floor((first + last) / 2), 0, width - 1);
}

/** Fits values to `width` columns. Few are held over their share: a slope would show prices that never existed. */
function toColumns({ values, lows, highs }: ChartSeries, width: number, count: number) {
  return Array.from({ length: width }, (_, column): Column | null => {
    const from = Math.floor((column * count) / width);
    const to = Math.max(Math.floor(((column + 1) * count) / width), from + 1);
    const known = values.slice(from, to).flatMap((mean, place) => {
      if (mean === null) return [];
      const [low, high] = [lows?.[from + place] ?? mean, highs?.[from + place] ?? mean];
      return [{ min: Math.min(low, mean), mean, max: Math.max(high, mean) }];
    });
    if (known.length === 0) return null;
    const mean = known.reduce((sum, one) => sum + one.mean / known.length, 0);
    // The extremes of a held slot are drawn once, in its middle.
    if (to === from + 1 && columnOf(from, count, width) !== column) return { min: mean, mean, max: mean };
    return {
      min: Math.min(...known.map(({ min }) => min)),
      mean,
      max: Math.max(...known.map(({ max }) => max)),
    };
  });
}

/** The extreme farther from the mean, so that a spike of one block is visible in a small chart. */
function toPeaks(columns: readonly (Column | null)[]): readonly (Column | null)[] {
  const known = columns.filter((column) => column !== null);
  const middle = known.reduce((sum, { mean }) => sum + mean / known.length, 0);
  return columns.map((column) => {
    if (column === null) return null;
    const peak = column.max - middle >= middle - column.min ? column.max : column.min;
    return { min: peak, mean: peak, max: peak };
  });
}

interface Scale {
  readonly low: number;
  readonly high: number;
  readonly labels: ReadonlyMap<number, string>;
}

/** Label steps that are easy to add up. */
const STEPS = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8] as const;
/** Ten orders of magnitude: with smaller steps labels look alike. */
const TRIES = 10 * STEPS.length;

/** A scale with round labels, which stays while values move a little; equal labels enlarge its step. */
function chartScale(min: number, max: number, rows: number, format: (value: number) => string): Scale {
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
    if (high < max - step * 1e-6) continue;
    const labelled = Array.from({ length: rows }, (_, row) => row).filter(
      (row) => (bottom + row) % perLabel === 0,
    );
    const labels = new Map(labelled.map((row) => [row, format((bottom + row) * step)]));
    if (new Set(labels.values()).size === labels.size) return { low, high, labels };
  }
  return { low: min, high: max, labels: new Map() };
}

function levelOf(value: number, { low, high }: Scale, rows: number): number {
  return high > low ? clamp(((value - low) / (high - low)) * (rows - 1), 0, rows - 1) : 0;
}
