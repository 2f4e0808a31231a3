import { type BoxProps, useIsScreenReaderEnabled } from 'ink';
import { Table } from 'ink-table';
import { type ReactElement, useMemo, useRef } from 'react';
import { describeShare } from '../../client/views/distance.ts';
import { cleanText } from '../../core/text.ts';
import { UNKNOWN } from '../../core/units.ts';
import { useRoom } from './pane-context.tsx';
import {
  bold,
  colored,
  EMPTY_LINE,
  faint,
  fitLine,
  type Line,
  LineList,
  lineWidth,
  plain,
  type Span,
  shownWidth,
  spokenLine,
} from './text.tsx';

export interface TableColumn<Row> {
  readonly heading: string;
  readonly align: 'left' | 'right';
  /** Minimum width, so that usual values come and go without moving anything. */
  readonly least: number;
  /** Columns with a higher rank are dropped first. */
  readonly rank: number;
  /** Has its place before any row has a value, as rows get one when their state changes. Default: those of rank 0. */
  readonly stays?: boolean;
  readonly cell: (row: Row) => string | Line;
  /** Maximum width when there is room; absent: the whole width or nothing. */
  readonly most?: number;
  /** Identifies the column and its unit. Default: the heading. */
  readonly id?: string;
}

const column =
  (align: 'left' | 'right') =>
  <Row,>(
    heading: string,
    least: number,
    rank: number,
    cell: TableColumn<Row>['cell'],
    more: Pick<TableColumn<Row>, 'most' | 'id' | 'stays'> = {},
  ): TableColumn<Row> => ({ ...{ heading, align, least, rank, cell }, ...more });

export const leftColumn = column('left');
export const rightColumn = column('right');

export const known = <T, Shown extends string | Line>(
  value: T | null | undefined,
  cell: (value: T) => Shown,
) => (value == null ? UNKNOWN : cell(value));

/** A long note is measured for every frame: cut at the edge first. */
export const noteCell = (note: string | null, width: number) => cleanText(note ?? '', width * 4);

export const distanceCell = (distance: { readonly ratio: number; readonly isThere: boolean }) =>
  distance.isThere
    ? [colored('● reached', 'good')]
    : `${distance.ratio < 0 ? '↓' : '↑'} ${describeShare(distance.ratio)}`;

const GAP = 2;
/** A column that decides is not cut to less. */
const LEAST_CUT = 8;
const isUnknown = (cell: string | Line) => cell === UNKNOWN || cell === '';
const idOf = ({ id, heading }: Pick<TableColumn<never>, 'id' | 'heading'>) => id ?? heading;

/**
 * The columns that fit, low ranks first; growing ones get the rest. By `widest`, the maximum width of each column that has
 * had a value, they never jump back and forth: one whose values are gone keeps its place.
 */
function fitColumns<Row>(
  all: readonly TableColumn<Row>[],
  rows: readonly Row[],
  room: number,
  widest: Map<string, number>,
  gap = GAP,
): readonly (TableColumn<Row> & { readonly width: number })[] {
  for (const column of all) {
    const { heading, least, rank, cell, stays = rank === 0 } = column;
    const cells = rows.map(cell);
    if (!stays && cells.every(isUnknown)) continue;
    const widths = cells.map((each) => lineWidth(cellLine(each)));
    const before = widest.get(idOf(column)) ?? 0;
    widest.set(idOf(column), Math.max(least, shownWidth(heading), before, ...widths));
  }
  const ranked = all
    .filter((column) => rows.length === 0 || widest.has(idOf(column)))
    .toSorted((one, other) => one.rank - other.rank);
  const widths = new Map<TableColumn<Row>, number>();
  let left = room + gap;
  for (const column of ranked) {
    const wanted = column.most === undefined ? (widest.get(idOf(column)) ?? column.least) : column.least;
    // What decides is rather cut than missing.
    const own = column.rank === 0 && left - gap >= LEAST_CUT ? Math.min(wanted, left - gap) : wanted;
    if (own + gap > left && widths.size > 0) continue;
    widths.set(column, own);
    left -= own + gap;
  }
  for (const column of ranked) {
    const { most } = column;
    const own = widths.get(column);
    if (own === undefined || most === undefined) continue;
    const wanted = most === Number.POSITIVE_INFINITY ? most : Math.min(widest.get(idOf(column)) ?? own, most);
    const more = Math.max(Math.min(wanted - own, left), 0);
    widths.set(column, own + more);
    left -= more;
  }
  return all.flatMap((column) => {
    const width = widths.get(column);
    return width === undefined ? [] : [{ ...column, width }];
  });
}

interface TableOptions<Row> {
  readonly columns: readonly TableColumn<Row>[];
  readonly rows: readonly Row[];
  readonly width: number;
  readonly margin?: number;
  readonly cursor?: number | null;
  readonly rowName?: string;
}

export function tableOf<Row>(
  options: TableOptions<Row>,
  isSpoken: boolean,
  widest = new Map<string, number>(),
): { readonly heading: Line; readonly lines: readonly Line[] } {
  const { columns: all, rows, width, margin = 3, cursor = null, rowName = '' } = options;
  if (isSpoken) {
    const lines = rows.map((row, place) => {
      const parts = [place === cursor ? 'Marked:' : '', rowName, spokenRow(all, row)];
      return [plain(parts.filter((part) => part !== '').join(' '))];
    });
    return { heading: EMPTY_LINE, lines };
  }
  const columns = fitColumns(all, rows, width - margin - 1, widest);
  const blank: Span = plain(' '.repeat(margin));
  const joined = (first: Span, cellOf: (column: TableColumn<Row>) => Line): Line => [
    first,
    ...columns.flatMap((column, place): readonly Span[] => {
      const cell = fitLine(cellOf(column), column.width, column.align);
      return place === 0 ? cell : [plain(' '.repeat(GAP)), ...cell];
    }),
  ];
  return {
    heading: joined(blank, ({ heading }) => [faint(heading)]),
    lines: rows.map((row, place) =>
      joined(place === cursor ? bold(' ▸ ', 'accent') : blank, ({ cell }) => cellLine(cell(row))),
    ),
  };
}

/** A table whose columns keep their maximum width while it is on screen. */
export function useTable<Row>(options: Omit<TableOptions<Row>, 'width'> & { readonly width?: number }) {
  const widest = useRef(new Map<string, number>());
  const { columns } = useRoom();
  return tableOf({ width: columns, ...options }, useIsScreenReaderEnabled(), widest.current);
}

const cellLine = (cell: string | Line): Line => (typeof cell === 'string' ? [plain(cell)] : cell);

/** A row as a sentence. */
function spokenRow<Row>(columns: readonly TableColumn<Row>[], row: Row): string {
  const cells = columns.flatMap(({ heading, cell }, place) => {
    const value = cell(row);
    const text = spokenLine(cellLine(value));
    if (isUnknown(value) || text === '') return [];
    return [place === 0 || heading === '' ? text : `${heading} ${text}`];
  });
  return cells.join(', ');
}

/** Rows that a box adds to its table: the two lines of its border. */
export const BOX_ROWS = 2;
/** A border and a blank on either side of a cell: between two columns, and around all of them. */
const BETWEEN = 3;
const AROUND = 4;

/** By column: a placeholder (`2.1`: row 2, column 1) as wide as its cell, which takes its place. */
type Places = Record<string, string>;

/** ink-table says what stands where. A row is drawn as one line: Ink would lay out and draw each cell and border by itself. */
class CompactTable extends Table<Places> {
  /** It draws a line between two rows, which would double the height. */
  override separator = () => null;
}

type Drawn = ReactElement<Pick<BoxProps, 'flexDirection'> & { readonly children: string | Parts }>;
type Parts = readonly (Drawn | readonly Drawn[] | null)[];

/** The texts of each row of a drawn table: of its cells, and of the borders around them. */
function rowsOf({ props: { children, flexDirection } }: Drawn): readonly (readonly string[])[] {
  const parts = [children].flat(2).filter((part) => part !== null && typeof part !== 'string');
  return flexDirection === 'row' ? [parts.map(({ props }) => String(props.children))] : parts.flatMap(rowsOf);
}

/** A table with a border; sentences for a screen reader. Its columns keep their maximum width while it is on screen. */
export function BoxedTable<Row>({ columns: all, rows }: Pick<TableOptions<Row>, 'columns' | 'rows'>) {
  const { columns: width } = useRoom();
  const isSpoken = useIsScreenReaderEnabled();
  const widest = useRef(new Map<string, number>());
  const columns = isSpoken ? [] : fitColumns(all, rows, width - AROUND, widest.current, BETWEEN);
  const widths = columns.map((column) => column.width).join(' ');
  // As long as all keeps its place, new figures make no new table.
  const placed = useMemo(() => {
    const placesOf = (row: number): Places =>
      Object.fromEntries(widths.split(' ').map((own, at) => [at, `${row}.${at}`.padEnd(Number(own))]));
    const [headings = {}, ...data] = Array.from({ length: rows.length + 1 }, (_, row) => placesOf(row));
    return rowsOf(new CompactTable({ data, headings, columns: Object.keys(headings) }).render());
  }, [rows.length, widths]);
  if (isSpoken) return <LineList lines={tableOf({ columns: all, rows, width }, isSpoken).lines} />;
  const lines = columns.map(({ heading, cell, width: own, align }) =>
    [[faint(heading)], ...rows.map((row) => cellLine(cell(row)))].map((line) => fitLine(line, own, align)),
  );
  const partOf = (text: string): Line => {
    const [, row, at] = /^ *(\d+)\.(\d+) *$/.exec(text) ?? [];
    // No placeholder, so a piece of the border.
    if (row === undefined) return [faint(text)];
    return [plain(' '), ...(lines[Number(at)]?.[Number(row)] ?? []), plain(' ')];
  };
  return <LineList lines={placed.map((row) => row.flatMap(partOf))} />;
}
