import asciichart from 'asciichart';
import type { ChartColumn } from './line-chart-columns.ts';
import type { ChartScale } from './line-chart-scale.ts';

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

export interface ChartLine {
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
