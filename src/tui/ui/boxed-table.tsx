import { type BoxProps, useIsScreenReaderEnabled } from 'ink';
import { Table } from 'ink-table';
import { createContext, type ReactElement, useContext, useMemo, useRef } from 'react';
import { useRoom } from './pane-context.tsx';
import {
  cellLine,
  faint,
  fitColumns,
  fitLine,
  type Line,
  LineList,
  plain,
  type TableColumn,
  tableOf,
} from './text.tsx';

/** Rows that a box adds to its table: the two lines of its border. */
export const BOX_ROWS = 2;
/** A border and a blank on either side of a cell: between two columns, and around all of them. */
const BETWEEN = 3;
const AROUND = 4;

/** By column: a placeholder (`2.1`: row 2, column 1) as wide as its cell; `Rows` puts the cell in its place. */
type Places = Record<string, string>;

/** ink-table says what stands where. A row is drawn as one line: Ink would lay out and draw each cell and border by itself. */
class CompactTable extends Table<Places> {
  /** It draws a line between two rows, which would double the height. */
  override separator = () => null;

  override render() {
    return <Rows rows={rowsOf(super.render())} />;
  }
}

type Drawn = ReactElement<Pick<BoxProps, 'flexDirection'> & { readonly children: string | Parts }>;
type Parts = readonly (Drawn | readonly Drawn[] | null)[];

/** The texts of each row of a drawn table: of its cells, and of the borders around them. */
function rowsOf({ props: { children, flexDirection } }: Drawn): readonly (readonly string[])[] {
  const parts = [children].flat(2).filter((part) => part !== null && typeof part !== 'string');
  return flexDirection === 'row' ? [parts.map(({ props }) => String(props.children))] : parts.flatMap(rowsOf);
}

const CellsContext = createContext<ReadonlyMap<string, Line>>(new Map());

function Rows({ rows }: { readonly rows: ReturnType<typeof rowsOf> }) {
  const cells = useContext(CellsContext);
  const partOf = (text: string): Line => {
    const cell = cells.get(text.trim());
    // No placeholder, so a piece of the border.
    return cell === undefined ? [faint(text)] : [plain(' '), ...cell, plain(' ')];
  };
  return <LineList lines={rows.map((row) => row.flatMap(partOf))} />;
}

interface BoxedTableProps<Row> {
  readonly columns: readonly TableColumn<Row>[];
  readonly rows: readonly Row[];
}

/** A table with a border; sentences for a screen reader. Its columns keep their maximum width while it is on screen. */
export function BoxedTable<Row>({ columns: all, rows }: BoxedTableProps<Row>) {
  const { columns: width } = useRoom();
  const isSpoken = useIsScreenReaderEnabled();
  const widest = useRef(new Map<string, number>());
  const columns = isSpoken
    ? []
    : fitColumns(all, rows, width - AROUND, { widest: widest.current, gap: BETWEEN });
  const widths = columns.map((column) => column.width).join(' ');
  // As long as all keeps its place, new figures make no new table.
  const table = useMemo(() => {
    const placesOf = (row: number): Places =>
      Object.fromEntries(widths.split(' ').map((own, at) => [at, `${row}.${at}`.padEnd(Number(own))]));
    const data = Array.from({ length: rows.length }, (_, place) => placesOf(place + 1));
    return <CompactTable data={data} headings={placesOf(0)} columns={Object.keys(placesOf(0))} />;
  }, [rows.length, widths]);
  if (isSpoken) return <LineList lines={tableOf({ columns: all, rows, width }, isSpoken).lines} />;
  const cells = columns.flatMap(({ heading, cell, width: own, align }, at) =>
    [[faint(heading)], ...rows.map((row) => cellLine(cell(row)))].map(
      (line, row) => [`${row}.${at}`, fitLine(line, own, align)] as const,
    ),
  );
  return <CellsContext value={new Map(cells)}>{table}</CellsContext>;
}
