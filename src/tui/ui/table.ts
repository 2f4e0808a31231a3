import { useIsScreenReaderEnabled } from 'ink';
import { useRef } from 'react';
import { UNKNOWN } from '../../core/units.ts';
import { useRoom } from './pane-context.tsx';
import {
  bold,
  displayWidth,
  EMPTY_LINE,
  faint,
  fitLine,
  type Line,
  lineWidth,
  plain,
  type Span,
  spokenLine,
} from './text.tsx';

type Cell<Row> = (row: Row) => string | Line;

export interface TableColumn<Row> {
  readonly heading: string;
  readonly align: 'left' | 'right';
  /** Minimum width, so that usual values come and go without moving anything. */
  readonly least: number;
  /** Columns with a higher rank are dropped first; those of rank 0 always have values. */
  readonly rank: number;
  readonly cell: Cell<Row>;
  /** Maximum width when there is room; absent: the whole width or nothing. */
  readonly most?: number;
  /** Identifies the column and its unit. Default: the heading. */
  readonly id?: string;
}

const column =
  (align: 'left' | 'right') =>
  <Row>(
    heading: string,
    least: number,
    rank: number,
    cell: Cell<Row>,
    more: Pick<TableColumn<Row>, 'most' | 'id'> = {},
  ): TableColumn<Row> => ({ ...{ heading, align, least, rank, cell }, ...more });

export const leftColumn = column('left');
export const rightColumn = column('right');

export const known = <T, Shown extends string | Line>(
  value: T | null | undefined,
  cell: (value: T) => Shown,
) => (value == null ? UNKNOWN : cell(value));

const GAP = 2;
const isUnknown = (cell: string | Line) => cell === UNKNOWN || cell === '';
const idOf = ({ id, heading }: Pick<TableColumn<never>, 'id' | 'heading'>) => id ?? heading;

export type FittedColumn<Row> = TableColumn<Row> & { readonly width: number };

/** The columns that fit, low ranks first; growing ones get the rest. With `widest` they never jump back and forth. */
export function fitColumns<Row>(
  all: readonly TableColumn<Row>[],
  rows: readonly Row[],
  room: number,
  { widest = new Map<string, number>(), gap = GAP },
): readonly FittedColumn<Row>[] {
  for (const column of all) {
    const { heading, least, cell } = column;
    const cells = rows.map((row) => lineWidth(cellLine(cell(row))));
    const before = widest.get(idOf(column)) ?? 0;
    widest.set(idOf(column), Math.max(least, displayWidth(heading), before, ...cells));
  }
  const ranked = all
    .filter(({ rank, cell }) => rank === 0 || rows.length === 0 || rows.some((row) => !isUnknown(cell(row))))
    .toSorted((one, other) => one.rank - other.rank);
  const widths = new Map<TableColumn<Row>, number>();
  let left = room + gap;
  for (const column of ranked) {
    const own = column.most === undefined ? (widest.get(idOf(column)) ?? 0) : column.least;
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
  widest?: Map<string, number>,
): { readonly heading: Line; readonly lines: readonly Line[] } {
  const { columns: all, rows, width, margin = 3, cursor = null, rowName = '' } = options;
  if (isSpoken) {
    const lines = rows.map((row, place) => {
      const parts = [place === cursor ? 'Marked:' : '', rowName, spokenRow(all, row)];
      return [plain(parts.filter((part) => part !== '').join(' '))];
    });
    return { heading: EMPTY_LINE, lines };
  }
  const columns = fitColumns(all, rows, width - margin - 1, widest === undefined ? {} : { widest });
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
