import { Text, useIsScreenReaderEnabled } from 'ink';
import { Table } from 'ink-table';
import { createContext, type PropsWithChildren, type ReactElement, useContext, useRef } from 'react';
import { useRoom } from './pane-context.tsx';
import {
  cellLine,
  faint,
  fitColumns,
  fitLine,
  type Line,
  LineList,
  Spans,
  type TableColumn,
  tableOf,
} from './text.tsx';
import { forTerminal } from './theme.ts';

/** Rows that a box adds to its table: the two lines of its border. */
export const BOX_ROWS = 2;
/** A border and a blank on either side of a cell: between two columns, and around all of them. */
const BETWEEN = 3;
const AROUND = 4;

type Places = Record<string, string>;

/** ink-table draws a line between two rows, which would double the height. */
class CompactTable extends Table<Places> {
  override separator = () => null;
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
  const drawn = useRef<{ readonly content: string; readonly table: ReactElement }>(null);
  if (isSpoken) return <LineList lines={tableOf({ columns: all, rows, width }, isSpoken).lines} />;
  const columns = fitColumns(all, rows, width - AROUND, { widest: widest.current, gap: BETWEEN });
  const lines = new Map<string, Line>();
  // ink-table gets the places of cells as their texts: it keys a row by these, so that new figures make no new row.
  const placesOf = (row: number, cellOf: (column: (typeof columns)[number]) => Line): Places =>
    Object.fromEntries(
      columns.map((column, at) => {
        const place = `${row}.${at}`.padEnd(column.width);
        lines.set(place.trim(), fitLine(cellOf(column), column.width, column.align));
        return [String(at), place];
      }),
    );
  const headings = placesOf(0, ({ heading }) => [faint(heading)]);
  const data = rows.map((row, place) => placesOf(place + 1, ({ cell }) => cellLine(cell(row))));
  // A pane is drawn several times a block: a table of the same content is left as it is.
  const content = JSON.stringify([...lines]);
  if (drawn.current?.content !== content) {
    const table = (
      <CellsContext value={lines}>
        <CompactTable
          {...{ data, headings, header: Cell, cell: Cell, skeleton: Border }}
          columns={Object.keys(headings)}
        />
      </CellsContext>
    );
    drawn.current = { content, table };
  }
  return drawn.current.table;
}

const CellsContext = createContext<ReadonlyMap<string, Line>>(new Map());

function Cell({ children }: PropsWithChildren) {
  const line = useContext(CellsContext).get(String(children).trim()) ?? [];
  return (
    <Text wrap="truncate">
      {' '}
      <Spans line={line} />{' '}
    </Text>
  );
}

const Border = ({ children }: PropsWithChildren) => <Text dimColor>{forTerminal(String(children))}</Text>;
