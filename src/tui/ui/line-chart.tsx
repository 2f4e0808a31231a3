import asciichart from 'asciichart';
import { Box, Text, type TextProps } from 'ink';
import {
  type ChartColumn,
  type ChartScale,
  chartScale,
  columnOf,
  levelOf,
  type SlotValues,
  toColumns,
  toPeaks,
} from './plot.ts';
import { placed } from './text.tsx';
import { useDim, useTheme } from './theme.ts';

/** How a line is drawn, so that two lines differ without colour. */
export type LineStyle = 'solid' | 'dashed' | 'dotted';

/** In asciichart's order: `┼ ┤ ╶ ╴ ─ ╰ ╭ ╮ ╯ │`. */
const SYMBOLS = {
  unicode: { solid: '┼┤╶╴─╰╭╮╯│', dashed: '┼┤╶╴╌╰╭╮╯╎', dotted: '┼┤╶╴┈╰╭╮╯┊' },
  ascii: { solid: "+|---'..'|", dashed: `+|==='..'"`, dotted: "+|~~~'..';" },
} as const;

const symbolsOf = (style: LineStyle, ascii: boolean) => SYMBOLS[ascii ? 'ascii' : 'unicode'][style];

/** The piece of line that stands for a series in a legend. */
export const legendGlyph = (style: LineStyle, ascii: boolean) => symbolsOf(style, ascii)[4] ?? '-';

export interface ChartSeries extends SlotValues {
  /** One of the 16 named colours. */
  readonly color?: string;
  /** Two lines never differ by colour alone; default by place: solid, dashed, dotted. */
  readonly style?: LineStyle;
}

export interface ChartFrameOptions {
  /** All share the slots; the first lies on top of the others. */
  readonly series: readonly ChartSeries[];
  /** All columns, with those of the labels. */
  readonly width: number;
  /** All rows, with the one of the `xLabels`. */
  readonly height: number;
  readonly format: (value: number) => string;
  readonly xLabels?: readonly { readonly index: number; readonly text: string }[];
  /** Slot at which a vertical line stands. */
  readonly cursor?: number | null;
  /** Glyphs just above the line at their slot. */
  readonly marks?: readonly { readonly index: number; readonly glyph: string; readonly color?: string }[];
  /** Values that the scale must hold, 0 say. */
  readonly include?: readonly number[];
  readonly ascii?: boolean;
}

interface ChartCell {
  readonly glyph: string;
  /** `spread`: between the lowest and the highest of the values that share the column. */
  readonly role: 'empty' | 'line' | 'spread' | 'cursor' | 'mark';
  readonly color?: string | undefined;
}

/** `1,352`, `0.0412` and a space: fixed, so that the plot does not jump; only a label that is longer widens it. */
const GUTTER = 8;
/** A plot narrower than this gets the gutter's room instead. */
const MIN_PLOT = 8;
/** Lower plots show the peaks of what shares a column, not its range. */
const SPREAD_FROM = 6;
const STYLES = ['solid', 'dashed', 'dotted'] as const;

/** How many columns of `width` are left for the plot itself. */
export function chartPlotWidth(width: number, gutter: number = GUTTER): number {
  const plot = width - gutter - 1;
  return Math.max(plot >= MIN_PLOT ? plot : width, 0);
}

/** What a chart shows, cell by cell: `height` rows of `width` cells. */
export function chartFrame(options: ChartFrameOptions): readonly (readonly ChartCell[])[] {
  const { series, width, height, xLabels = [], marks = [], cursor, include = [], ascii = false } = options;
  const labelRows = options.xLabels !== undefined && height >= 3 ? 1 : 0;
  const rows = height - labelRows;
  if (rows < 1 || width < 1) return [];

  // One column holds the extremes of all values, cleaned as the plot cleans them.
  const whole = series.flatMap((one) => toColumns(one, 1).filter((column) => column !== null));
  const held = whole.length === 0 ? [] : include;
  const min = Math.min(...whole.map((one) => one.min), ...held);
  const max = Math.max(...whole.map((one) => one.max), ...held);
  const scale = chartScale(min, max, rows, options.format);
  const gutter = Math.max(GUTTER, ...[...scale.labels.values()].map(({ length }) => length + 1));
  const plotWidth = chartPlotWidth(width, gutter);
  // Series shorter than the longest end where they end: the rest is a gap.
  const slots = Math.max(0, ...series.map(({ values }) => values.length));
  const column = (index: number) => columnOf(index, slots, plotWidth);

  const hasSpread = rows >= SPREAD_FROM;
  const lines = series.map((one, place) => {
    const columns = toColumns(one, plotWidth, slots);
    const symbols = symbolsOf(one.style ?? STYLES[place % STYLES.length] ?? 'solid', ascii);
    return { columns: hasSpread ? columns : toPeaks(columns), symbols, color: one.color };
  });
  const cells = Array.from({ length: rows }, () =>
    Array.from({ length: plotWidth }, (): ChartCell => ({ glyph: ' ', role: 'empty' })),
  );
  for (const line of lines.toReversed()) drawLine(cells, line, scale);
  if (hasSpread) for (const line of lines) drawSpread(cells, line, scale, ascii ? ':' : '·');
  for (const row of typeof cursor === 'number' ? cells : []) {
    // What is drawn stays readable.
    const at = column(cursor ?? 0);
    if (row[at]?.role === 'empty' || row[at]?.role === 'spread')
      row[at] = { glyph: ascii ? '!' : '┃', role: 'cursor' };
  }
  for (const { index, ...mark } of marks) {
    // Just above the highest line of its column, or on it where there is no room above.
    const top = cells.findIndex((row) => ['line', 'spread'].includes(row[column(index)]?.role ?? ''));
    const row = cells[Math.max((top < 0 ? rows : top) - 1, 0)];
    if (row?.[column(index)]) row[column(index)] = { ...mark, role: 'mark' };
  }

  const hasGutter = plotWidth < width;
  const drawn = cells.map((row, y) =>
    hasGutter ? [...axis(scale.labels.get(rows - 1 - y), gutter, row[0], ascii), ...row] : row,
  );
  if (labelRows === 0) return drawn;
  let labels = '';
  for (const { index, text } of xLabels) {
    // A label that would touch the one before is left out.
    const at = column(index);
    const fits = at >= labels.length + (labels === '' ? 0 : 1) && at + 1 + text.length <= plotWidth;
    if (fits) labels = `${labels.padEnd(at)}${ascii ? '|' : '╵'}${text}`;
  }
  return [...drawn, plain(' '.repeat(hasGutter ? gutter + 1 : 0) + labels.padEnd(plotWidth))];
}

function axis(label: string | undefined, gutter: number, first: ChartCell | undefined, ascii: boolean) {
  const [joint, tick, , , flat] = symbolsOf('solid', ascii);
  const bar = label === undefined ? (ascii ? '|' : '│') : first?.glyph === flat ? joint : tick;
  return plain(`${(label ?? '').padStart(gutter - 1)} ${bar}`);
}

const plain = (text: string) => [...text].map((glyph): ChartCell => ({ glyph, role: 'empty' }));

interface ChartLine {
  readonly columns: readonly (ChartColumn | null)[];
  readonly symbols: string;
  readonly color: string | undefined;
}

/** asciichart cannot draw gaps, so each stretch without one is a chart of its own on the same scale. */
function drawLine(cells: ChartCell[][], { columns, symbols, color }: ChartLine, scale: ChartScale): void {
  const height = cells.length;
  for (let start = 0; start < columns.length; ) {
    const gap = columns.findIndex((column, at) => at >= start && column === null);
    const end = gap < 0 ? columns.length : gap;
    const levels = columns.slice(start, end).flatMap((one) => (one ? levelOf(one.mean, scale, height) : []));
    // asciichart draws the steps between values; the first value doubled makes as many columns as values.
    const config = { min: 0, max: height - 1, height: height - 1, offset: 1, format: () => ' ' };
    const drawn =
      levels.length === 0
        ? ''
        : asciichart.plot([[levels[0] ?? 0, ...levels]], { ...config, symbols: [...symbols] });
    for (const [y, row] of drawn.split('\n').entries()) {
      for (const [x, glyph] of [...row].slice(1).entries()) {
        const target = cells[y];
        if (glyph !== ' ' && target?.[start + x]) target[start + x] = { glyph, role: 'line', color };
      }
    }
    start = end + 1;
  }
}

/** How far values reach above and below the mean of their column. */
function drawSpread(cells: ChartCell[][], { columns, color }: ChartLine, scale: ChartScale, glyph: string) {
  const rowOf = (value: number) => cells.length - 1 - Math.round(levelOf(value, scale, cells.length));
  for (const [x, column] of columns.entries()) {
    if (column === null) continue;
    for (const row of cells.slice(rowOf(column.max), rowOf(column.min) + 1)) {
      if (row[x]?.role === 'empty') row[x] = { glyph, role: 'spread', color };
    }
  }
}

/** Lines over a common axis, drawn with asciichart; fills exactly `width` × `height`. */
export function LineChart(options: ChartFrameOptions) {
  const { width, height } = options;
  const theme = useTheme();
  const dim = useDim();
  const lookOf = ({ role, color }: ChartCell): TextProps => ({
    ...(dim || color === undefined ? {} : { color }),
    dimColor: dim || role === 'spread' || role === 'cursor',
    bold: role === 'mark' && !dim,
  });
  return (
    <Box flexDirection="column" width={width} height={height} flexShrink={0} overflow="hidden">
      {placed(chartFrame({ ascii: theme.ascii, ...options }), (cells) => (
        <Text wrap="truncate">
          {placed(spansOf(cells), ({ cell, text }) => (
            <Text {...lookOf(cell)}>{text}</Text>
          ))}
        </Text>
      ))}
    </Box>
  );
}

/** Neighbours that look the same become one piece of text; a space looks like anything. */
function spansOf(
  cells: readonly ChartCell[],
): readonly { readonly cell: ChartCell; readonly text: string }[] {
  const spans: { cell: ChartCell; text: string }[] = [];
  for (const cell of cells) {
    const last = spans.at(-1);
    const isAlike = last?.cell.role === cell.role && last.cell.color === cell.color;
    if (last && (cell.glyph === ' ' || isAlike)) last.text += cell.glyph;
    else spans.push({ cell, text: cell.glyph });
  }
  return spans;
}
