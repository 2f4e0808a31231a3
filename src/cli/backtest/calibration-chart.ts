import type { CalibrationGroup } from '../../core/backtest/calibration.ts';

/** Promises of one kind, drawn with one character. */
export interface CalibrationSeries {
  readonly symbol: string;
  readonly name: string;
  readonly groups: readonly CalibrationGroup[];
}

/** Of fewer promises a share says too little to be drawn. */
const LEAST_DRAWN = 20;
const ROWS = 10;
const COLUMNS = 50;
const SEVERAL = '*';
const DIAGONAL = '.';
const LABEL_WIDTH = 6;

/**
 * Stated probability (to the right) against the share kept (upwards), both from the same lowest value to 100 %: promises
 * on the dotted diagonal were kept as often as stated, above it more often. Empty where there is nothing to draw.
 */
export function calibrationChart(series: readonly CalibrationSeries[]): string[] {
  const drawn = series
    .map((each) => ({ ...each, groups: each.groups.filter(({ size }) => size >= LEAST_DRAWN) }))
    .filter(({ groups }) => groups.length > 0);
  if (drawn.length === 0) return [];
  const low = lowest(drawn);
  const place = (share: number, cells: number) => Math.round(((share - low) / (1 - low)) * cells);
  const cells = Array.from({ length: ROWS + 1 }, () => new Array<string>(COLUMNS + 1).fill(' '));
  for (let column = 0; column <= COLUMNS; column += COLUMNS / ROWS / 2) {
    put(cells, column, Math.round((column / COLUMNS) * ROWS), DIAGONAL);
  }
  for (const { symbol, groups } of drawn) {
    for (const { stated, kept } of groups) put(cells, place(stated, COLUMNS), place(kept, ROWS), symbol);
  }
  const percentAt = (share: number) => `${Math.round(share * 100)} %`;
  const lines = cells.map((row, index) => {
    const share = low + ((1 - low) * index) / ROWS;
    const label = index % 2 === 0 ? percentAt(share) : '';
    return `${label.padStart(LABEL_WIDTH)} ┤${row.join('').trimEnd()}`;
  });
  const axis = `${' '.repeat(LABEL_WIDTH)} └${'─'.repeat(COLUMNS + 1)}`;
  const ends = [percentAt(low), percentAt((1 + low) / 2), percentAt(1)];
  const gap = COLUMNS / 2 - 5;
  const marks = `${' '.repeat(LABEL_WIDTH)} ${ends[0]?.padEnd(gap)}${ends[1]?.padStart(8)}${ends[2]?.padStart(gap + 4)}`;
  const legend = drawn.map(({ symbol, name }) => `${symbol} ${name}`).join('  ');
  return [...lines.toReversed(), axis, marks, `${' '.repeat(LABEL_WIDTH + 2)}${legend}`];
}

/** The lowest share drawn, down to the next 10 %; at most 50 %. */
function lowest(series: readonly CalibrationSeries[]): number {
  const shares = series.flatMap(({ groups }) => groups.flatMap(({ stated, kept }) => [stated, kept]));
  return Math.min(Math.floor(Math.min(...shares) * 10) / 10, 0.5);
}

function put(cells: string[][], column: number, row: number, symbol: string): void {
  const line = cells[row];
  const there = line?.[column];
  if (line === undefined || there === undefined) return;
  line[column] = there === ' ' || there === DIAGONAL || there === symbol ? symbol : SEVERAL;
}
