import type { ChartCell } from './line-chart-cells.ts';

interface OverlayCell extends ChartCell {
  readonly color?: string;
}

/** A vertical line through the empty cells of a column; what is drawn stays readable. */
export function placeCursor(cells: OverlayCell[][], column: number, ascii: boolean): void {
  for (const row of cells) {
    const cell = row[column];
    if (cell?.role === 'empty' || cell?.role === 'spread') {
      row[column] = { glyph: ascii ? '!' : '┃', series: null, role: 'cursor' };
    }
  }
}

/** Each mark stands just above the highest line of its column, or on it where there is no room above. */
export function placeMarks(
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
export function placeLabels(
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
