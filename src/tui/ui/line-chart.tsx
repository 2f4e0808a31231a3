import { Box, Text, type TextProps } from 'ink';
import type { ReactElement } from 'react';
import {
  type ChartCell,
  type ChartScale,
  chartScale,
  columnOf,
  type LineStyle,
  lineSymbols,
  plotCells,
  type SlotValues,
  toColumns,
  toPeaks,
} from './plot.ts';
import { placed } from './text.tsx';
import { useDim, useTheme } from './theme.ts';

interface OverlayCell extends ChartCell {
  readonly color?: string;
}

/** A vertical line through the empty cells of a column; what is drawn stays readable. */
function placeCursor(cells: OverlayCell[][], column: number, ascii: boolean): void {
  for (const row of cells) {
    const cell = row[column];
    if (cell?.role === 'empty' || cell?.role === 'spread') {
      row[column] = { glyph: ascii ? '!' : '┃', series: null, role: 'cursor' };
    }
  }
}

/** Each mark stands just above the highest line of its column, or on it where there is no room above. */
function placeMarks(
  cells: OverlayCell[][],
  marks: readonly { readonly column: number; readonly glyph: string; readonly color?: string }[],
): void {
  for (const { column, glyph, color } of marks) {
    const top = cells.findIndex((row) => row[column]?.role === 'line' || row[column]?.role === 'spread');
    const row = cells[Math.max(top < 0 ? cells.length - 1 : top - 1, 0)];
    if (row?.[column])
      row[column] = { glyph, series: null, role: 'mark', ...(color === undefined ? {} : { color }) };
  }
}

/** One row of labels, each after a tick at its column; a label that would touch the one before is left out. */
function placeLabels(
  labels: readonly { readonly column: number; readonly text: string }[],
  width: number,
  ascii: boolean,
): string {
  const tick = ascii ? '|' : '╵';
  let line = '';
  for (const { column, text } of labels) {
    const fits = column >= line.length + (line === '' ? 0 : 1) && column + 1 + text.length <= width;
    if (fits) line = line.padEnd(column) + tick + text;
  }
  return line.padEnd(width);
}

export interface ChartSeries extends SlotValues {
  readonly label: string;
  /** One of the 16 named colours. */
  readonly color?: string;
  /** Two lines never differ by colour alone; default by place: solid, dashed, dotted. */
  readonly style?: LineStyle;
  readonly dim?: boolean;
}

export interface ChartFrameOptions {
  readonly series: readonly ChartSeries[];
  /** All columns, with the gutter. */
  readonly width: number;
  /** All rows, with the one of the `xLabels`. */
  readonly height: number;
  readonly format: (value: number) => string;
  readonly xLabels?: readonly { readonly index: number; readonly text: string }[];
  /** Slot at which a vertical line stands. */
  readonly cursor?: number | null;
  /** Glyphs just above the line at their slot. */
  readonly marks?: readonly { readonly index: number; readonly glyph: string; readonly color?: string }[];
  /** Columns of the value labels: fixed, so that the plot does not jump; only a label that is longer widens it. */
  readonly gutter?: number;
  /** Values that the scale must hold, 0 say. */
  readonly include?: readonly number[];
  /** Show the range of the values that share a column; default: in plots of six rows and more. */
  readonly spread?: boolean;
  readonly ascii?: boolean;
}

/** A cell with its own colour, for marks; the others have that of their series. */
interface DrawnCell extends ChartCell {
  readonly color?: string;
}

/** `1,352`, `0.0412` and a space. */
const CHART_GUTTER = 8;
/** A plot narrower than this gets the gutter's room instead. */
const MIN_PLOT = 8;
const STYLES: readonly LineStyle[] = ['solid', 'dashed', 'dotted'];

/** The style of the series at `place` unless it names one. */
function lineStyle(series: Pick<ChartSeries, 'style'>, place: number): LineStyle {
  return series.style ?? STYLES[place % STYLES.length] ?? 'solid';
}

/** How many columns of `width` are left for the plot itself. */
export function chartPlotWidth(width: number, gutter: number = CHART_GUTTER): number {
  const plot = width - gutter - 1;
  return Math.max(plot >= MIN_PLOT ? plot : width, 0);
}

/** What a chart shows, cell by cell: `height` rows of `width` cells. All series share the slots. */
export function chartFrame(options: ChartFrameOptions): readonly (readonly DrawnCell[])[] {
  const { series, width, height, xLabels, marks = [], ascii = false } = options;
  const labelRows = xLabels !== undefined && height >= 3 ? 1 : 0;
  const plotHeight = height - labelRows;
  if (plotHeight < 1 || width < 1) return [];

  const scale = scaleOf(options, plotHeight);
  const longest = Math.max(0, ...[...scale.labels.values()].map((label) => label.length));
  const gutter = Math.max(options.gutter ?? CHART_GUTTER, longest + 1);
  const plotWidth = chartPlotWidth(width, gutter);
  const spread = options.spread ?? plotHeight >= 6;
  const slots = Math.max(0, ...series.map(({ values }) => values.length));
  const lines = series.map((one, place) => {
    const columns = toColumns({ ...one, values: pad(one.values, slots) }, plotWidth);
    return {
      columns: spread ? columns : toPeaks(columns),
      symbols: lineSymbols(lineStyle(one, place), ascii),
    };
  });
  const cells: DrawnCell[][] = plotCells(
    lines,
    scale,
    plotWidth,
    plotHeight,
    spread ? (ascii ? ':' : '·') : null,
  );
  const place = <T extends { readonly index: number }>(one: T) => ({
    ...one,
    column: columnOf(one.index, slots, plotWidth),
  });
  if (typeof options.cursor === 'number')
    placeCursor(cells, columnOf(options.cursor, slots, plotWidth), ascii);
  placeMarks(cells, marks.map(place));

  const withGutter = plotWidth < width;
  const rows: (readonly DrawnCell[])[] = cells.map((row, y) =>
    withGutter ? [...axis(scale.labels.get(plotHeight - 1 - y), gutter, row[0], ascii), ...row] : row,
  );
  if (labelRows > 0) {
    const labels = placeLabels((xLabels ?? []).map(place), plotWidth, ascii);
    rows.push(plain(' '.repeat(withGutter ? gutter + 1 : 0) + labels));
  }
  return rows;
}

/** Series shorter than the longest end where they end: the rest is a gap, not a stretch. */
function pad(values: readonly (number | null)[], slots: number): readonly (number | null)[] {
  if (values.length === slots) return values;
  return [...values, ...Array.from({ length: slots - values.length }, () => null)];
}

function scaleOf({ series, include = [], format }: ChartFrameOptions, plotHeight: number): ChartScale {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  // One column holds the extremes of all values, cleaned as the plot cleans them.
  for (const one of series) {
    const [all] = toColumns(one, 1);
    if (!all) continue;
    min = Math.min(min, all.min, ...include);
    max = Math.max(max, all.max, ...include);
  }
  return min > max ? { low: 0, high: 1, labels: new Map() } : chartScale(min, max, plotHeight, format);
}

function axis(label: string | undefined, gutter: number, first: DrawnCell | undefined, ascii: boolean) {
  const [joint = '┼', tick = '┤', , , flat] = lineSymbols('solid', ascii);
  const bar = label === undefined ? (ascii ? '|' : '│') : tick;
  const meets = label !== undefined && first?.glyph === flat;
  return plain(`${(label ?? '').padStart(gutter - 1)} ${meets ? joint : bar}`);
}

function plain(text: string): readonly DrawnCell[] {
  return [...text].map((glyph): DrawnCell => ({ glyph, series: null, role: 'empty' }));
}

interface LineChartProps extends ChartFrameOptions {
  /** No colours; default: as everything around it. */
  readonly dim?: boolean;
}

/** Lines over a common axis, drawn with asciichart; fills exactly `width` × `height`. */
export function LineChart({ dim: dimmed, ...options }: LineChartProps): ReactElement {
  const { width, height, series } = options;
  const theme = useTheme();
  const around = useDim();
  const dim = dimmed ?? around;
  const rows = chartFrame({ ascii: theme.ascii, ...options });
  return (
    <Box flexDirection="column" width={width} height={height} flexShrink={0} overflow="hidden">
      {placed(rows, (cells) => (
        <Text wrap="truncate">
          {placed(spansOf(cells), (span) => (
            <Text {...lookOf(span.cell, series, dim)}>{span.text}</Text>
          ))}
        </Text>
      ))}
    </Box>
  );
}

interface Span {
  readonly cell: DrawnCell;
  readonly text: string;
}

/** Neighbours that look the same become one piece of text; a space looks like anything. */
function spansOf(cells: readonly DrawnCell[]): readonly Span[] {
  const spans: { cell: DrawnCell; text: string }[] = [];
  for (const cell of cells) {
    const last = spans.at(-1);
    if (last && (cell.glyph === ' ' || looksLike(last.cell, cell))) last.text += cell.glyph;
    else spans.push({ cell, text: cell.glyph });
  }
  return spans;
}

function looksLike(one: DrawnCell, other: DrawnCell): boolean {
  return one.series === other.series && one.role === other.role && one.color === other.color;
}

function lookOf(cell: DrawnCell, series: readonly ChartSeries[], dim: boolean): Partial<TextProps> {
  const own = cell.series === null ? undefined : series[cell.series];
  const color = dim ? undefined : (cell.color ?? own?.color);
  const faint = dim || own?.dim === true || cell.role === 'spread' || cell.role === 'cursor';
  return {
    ...(color === undefined ? {} : { color }),
    dimColor: faint,
    bold: cell.role === 'mark' && !dim,
  };
}
