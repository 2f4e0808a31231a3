import { displayWidth, fitLine, type Line, lineWidth, type Span } from './text.tsx';
import type { Theme } from './theme.ts';

/** A column of a table drawn as lines. */
export interface TableColumn<Row> {
  readonly id: string;
  readonly heading: string;
  readonly align: 'left' | 'right';
  /** Narrowest width, so that the usual values come and go without moving anything. */
  readonly least: number;
  /** Columns with a higher number are left out first where there is no room. */
  readonly rank: number;
  readonly cell: (row: Row) => string | Line;
}

const GAP = 2;

/** What each column needs for `rows`. */
export function columnWidths<Row>(
  columns: readonly TableColumn<Row>[],
  rows: readonly Row[],
  theme: Theme,
): ReadonlyMap<string, number> {
  return new Map(
    columns.map(({ id, heading, least, cell }) => [
      id,
      rows.reduce(
        (widest, row) => Math.max(widest, lineWidth(cellLine(cell(row), theme))),
        Math.max(least, displayWidth(theme.text(heading))),
      ),
    ]),
  );
}

/** The columns that fit into `width`, in their order; the most important one always. */
export function columnsWithin<Row>(
  columns: readonly TableColumn<Row>[],
  widths: ReadonlyMap<string, number>,
  width: number,
): readonly TableColumn<Row>[] {
  const kept = new Set<string>();
  let used = -GAP;
  for (const { id, least } of [...columns].sort((one, other) => one.rank - other.rank)) {
    used += (widths.get(id) ?? least) + GAP;
    if (used > width && kept.size > 0) break;
    kept.add(id);
  }
  return columns.filter(({ id }) => kept.has(id));
}

export function headingLine<Row>(
  columns: readonly TableColumn<Row>[],
  widths: ReadonlyMap<string, number>,
  theme: Theme,
): Line {
  return joinCells(columns, widths, theme, ({ heading }) => [{ text: theme.text(heading), faint: true }]);
}

export function rowLine<Row>(
  columns: readonly TableColumn<Row>[],
  widths: ReadonlyMap<string, number>,
  theme: Theme,
  row: Row,
): Line {
  return joinCells(columns, widths, theme, ({ cell }) => cellLine(cell(row), theme));
}

function joinCells<Row>(
  columns: readonly TableColumn<Row>[],
  widths: ReadonlyMap<string, number>,
  { glyph }: Theme,
  cellOf: (column: TableColumn<Row>) => Line,
): Line {
  return columns.flatMap((column, place): readonly Span[] => {
    const cell = fitLine(cellOf(column), widths.get(column.id) ?? column.least, column.align, glyph.ellipsis);
    return place === 0 ? cell : [{ text: ' '.repeat(GAP) }, ...cell];
  });
}

/** Translated before it is measured: a sign in ASCII may be wider. */
function cellLine(cell: string | Line, theme: Theme): Line {
  const line = typeof cell === 'string' ? [{ text: cell }] : cell;
  return line.map((span) => ({ ...span, text: theme.text(span.text) }));
}
