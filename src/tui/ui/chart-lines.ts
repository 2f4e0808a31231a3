import asciichart from 'asciichart';
import { type Axis, chartScale, type Scale } from './chart-scale.ts';
import type { Line, Span } from './text.tsx';
import type { ColorName } from './theme.ts';

/** Line symbols in asciichart's order; two lines differ without colour. */
const SYMBOLS = { solid: '┼┤╶╴─╰╭╮╯│', dashed: '┼┤╶╴╌╰╭╮╯╎', dotted: '┼┤╶╴┈╰╭╮╯┊' } as const;
type LineStyle = keyof typeof SYMBOLS;
const STYLES = ['solid', 'dashed', 'dotted'] as const;

export const legendGlyph = (style: LineStyle) => SYMBOLS[style].charAt(4);

/** Lines of box characters, or of dots, eight to a character: of twice the columns and four times the rows. */
export const DRAWINGS = ['line', 'braille'] as const;
export type Drawing = (typeof DRAWINGS)[number];

/** One value per slot, `null` for a gap; slots of many values also have their extremes. */
interface ChartSeries {
  readonly values: readonly (number | null)[];
  readonly ranges?: readonly Readonly<Record<'low' | 'high', number | null>>[];
  readonly color?: ColorName;
  /** Lines must differ by more than colour; default by index: solid, dashed, dotted. */
  readonly style?: LineStyle;
}

interface ChartMark {
  readonly index: number;
  readonly glyph: string;
  readonly color?: ColorName;
  /** Absent or `null`: on the first line. */
  readonly value?: number | null;
}

export interface LineChartOptions {
  readonly series: readonly ChartSeries[];
  readonly width: number;
  /** Including the row of the `xLabels`. */
  readonly height: number;
  readonly format: (value: number) => string;
  readonly axis?: Axis;
  readonly drawing?: Drawing;
  readonly xLabels?: readonly { readonly index: number; readonly text: string }[] | undefined;
  readonly cursor?: number | null;
  readonly marks?: readonly ChartMark[];
  /** Values that are within the scale, too. */
  readonly include?: readonly number[];
}

interface Cell extends Omit<Span, 'text'> {
  readonly glyph: string;
}

const EMPTY: Cell = { glyph: ' ' };
const CURSOR: Cell = { glyph: '┃', faint: true };
/** Between the lowest and the highest value of a column. */
const RANGE = '∙';
/** `1,352`, `0.0412` and a space: fixed, so that the plot does not jump; only a longer label widens it. */
const GUTTER = 8;
/** A narrower plot gets the gutter's room instead. */
const MIN_PLOT = 8;

export function chartPlotWidth(width: number, gutter = GUTTER): number {
  const plot = width - gutter - 1;
  return Math.max(plot >= MIN_PLOT ? plot : width, 0);
}

function plotOf({ series, width, height, xLabels, format, axis = 'linear', include = [] }: LineChartOptions) {
  const hasLabels = xLabels !== undefined && height >= 3;
  const rows = height - (hasLabels ? 1 : 0);
  // Shorter series end in a gap.
  const slots = Math.max(0, ...series.map(({ values }) => values.length));
  const known = series
    .flatMap(({ values, ranges = [] }) => [values, ranges.flatMap(({ low, high }) => [low, high])].flat())
    .filter((value) => value !== null);
  const scale = chartScale(known.length === 0 ? [] : [...known, ...include], { rows, format, axis });
  const gutter = Math.max(GUTTER, ...[...scale.labels.values()].map(({ length }) => length + 1));
  return { hasLabels, rows, slots, scale, gutter, plotWidth: chartPlotWidth(width, gutter) };
}

/** The value under a column of the whole chart, by its index; `null`: beside the plot. */
export function indexAt(column: number, options: LineChartOptions): number | null {
  const { plotWidth, slots } = plotOf(options);
  const at = column - (options.width - plotWidth);
  if (at < 0 || at >= plotWidth || slots === 0) return null;
  // Of several in one column the newest.
  return Math.max(Math.floor((at * slots) / plotWidth), Math.floor(((at + 1) * slots) / plotWidth) - 1);
}

/** Lines over a common axis, with their ranges and marks: exactly `width` × `height`. */
export function chartLines(options: LineChartOptions): readonly Line[] {
  const { series, width, height, xLabels = [], marks = [], cursor = null, drawing = 'line' } = options;
  if (height < 1 || width < 1) return [];

  const { hasLabels, rows, slots, scale, gutter, plotWidth } = plotOf(options);
  const columnAt = (index: number) => columnOf(index, slots, plotWidth);
  const rowAt = (value: number) => rows - 1 - Math.round(scale.levelOf(value));

  const cells = Array.from({ length: rows }, () => Array.from({ length: plotWidth }, () => EMPTY));
  const drawn = series.map((one, place): DrawnLine => {
    const style = one.style ?? STYLES[place % STYLES.length] ?? 'solid';
    const columns = toColumns(one, plotWidth, slots);
    const halves = drawing === 'braille' ? toColumns(one, 2 * plotWidth, slots) : [];
    return { columns, halves, style, color: one.color };
  });
  const draw = drawing === 'braille' ? drawDots : drawLine;
  for (const line of drawn.toReversed()) draw(cells, line, scale);
  for (const line of drawn) drawRange(cells, line, rowAt);
  for (const row of cursor === null ? [] : cells) {
    const at = columnAt(cursor ?? 0);
    // Lines stay readable.
    if (row[at] === EMPTY || row[at]?.glyph === RANGE) row[at] = CURSOR;
  }
  for (const { index, value, ...look } of marks) {
    const at = columnAt(index);
    const price = value ?? drawn[0]?.columns[at]?.mean;
    const row = price === undefined ? undefined : cells[rowAt(price)];
    if (row?.[at]) row[at] = { ...look, bold: true };
  }

  const hasGutter = plotWidth < width;
  const lines = cells.map((row, y) => {
    const label = scale.labels.get(rows - 1 - y);
    const tick = label === undefined ? '│' : row[0]?.glyph === '─' ? '┼' : '┤';
    const before = hasGutter ? [{ text: `${(label ?? '').padStart(gutter - 1)} ${tick}` }] : [];
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
  /** Two a column, for dots. */
  readonly halves: readonly (Column | null)[];
  readonly style: LineStyle;
  readonly color: ColorName | undefined;
}

/** asciichart cannot draw gaps: they are filled with the next value, and removed from the drawing. */
function drawLine(cells: Cell[][], { columns, style, color }: DrawnLine, scale: Scale): void {
  const height = cells.length;
  const levels = columns.map((_, at) => {
    const known = columns.find((column, place) => place >= at && column !== null);
    return known == null ? 0 : scale.levelOf(known.mean);
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

const DOT_ROWS = 4;
/** The bits of a braille character (Unicode 28xx) by column and row of its dots, from the bottom. */
const DOTS = [
  [0x40, 0x04, 0x02, 0x01],
  [0x80, 0x20, 0x10, 0x08],
] as const;
/** Of so many dots the last is left out. */
const DOT_GAPS = { solid: Number.POSITIVE_INFINITY, dashed: 4, dotted: 2 } as const;

/** Each value has a dot; a step to the next one is a line upright. */
function drawDots(cells: Cell[][], { halves, style, color }: DrawnLine, scale: Scale): void {
  const rows = cells.length;
  const most = rows * DOT_ROWS - 1;
  // A label is in the middle of its row.
  const dotOf = (value: number) =>
    Math.min(Math.max(Math.round((scale.levelOf(value) + 0.5) * DOT_ROWS - 0.5), 0), most);
  const bits = new Map<number, number>();
  const width = cells[0]?.length ?? 0;
  let before: number | null = null;
  for (const [x, half] of halves.entries()) {
    if (half === null) {
      before = null;
      continue;
    }
    const dot = dotOf(half.mean);
    const from: number = before === null ? dot : before + Math.sign(dot - before);
    for (let y = Math.min(from, dot); y <= Math.max(from, dot); y += 1) {
      if ((x + y - dot + 1) % DOT_GAPS[style] === 0) continue;
      const place = (rows - 1 - Math.floor(y / DOT_ROWS)) * width + (x >> 1);
      bits.set(place, (bits.get(place) ?? 0) | (DOTS[x % 2 === 0 ? 0 : 1][y % DOT_ROWS] ?? 0));
    }
    before = dot;
  }
  for (const [place, of] of bits) {
    const row = cells[Math.floor(place / width)];
    if (row) row[place % width] = { glyph: String.fromCharCode(0x28_00 + of), color };
  }
}

function drawRange(cells: Cell[][], { columns, color }: DrawnLine, rowAt: (value: number) => number): void {
  for (const [x, column] of columns.entries()) {
    if (column === null) continue;
    for (let y = rowAt(column.max); y <= rowAt(column.min); y += 1) {
      const row = cells[y];
      if (row?.[x] === EMPTY) row[x] = { glyph: RANGE, color, faint: true };
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

interface Column {
  readonly min: number;
  readonly mean: number;
  readonly max: number;
}

/** The column of value `index` of `count` on a plot `width` columns wide: the middle of its columns. */
function columnOf(index: number, count: number, width: number): number {
  if (count <= 0 || width <= 0) return 0;
  const last = Math.ceil(((index + 1) * width) / count) - 1;
  const first = Math.min(Math.ceil((index * width) / count), last);
  return Math.min(Math.max(Math.floor((first + last) / 2), 0), width - 1);
}

/** Fits values to `width` columns. Few are held over their share: a slope would show prices that never existed. */
function toColumns({ values, ranges }: ChartSeries, width: number, count: number) {
  return Array.from({ length: width }, (_, column): Column | null => {
    const from = Math.floor((column * count) / width);
    const to = Math.max(Math.floor(((column + 1) * count) / width), from + 1);
    const known = values.slice(from, to).flatMap((mean, place) => {
      if (mean === null) return [];
      const { low, high } = ranges?.[from + place] ?? { low: null, high: null };
      return [{ min: Math.min(low ?? mean, mean), mean, max: Math.max(high ?? mean, mean) }];
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
