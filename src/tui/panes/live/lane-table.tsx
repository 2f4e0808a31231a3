import { Text } from 'ink';
import { Table } from 'ink-table';
import { memo, type ReactNode, useMemo } from 'react';
import type { SnapshotView } from '../../../client/views/gas.ts';
import { useWidest } from '../../ui/fact-list.tsx';
import { displayWidth, fitLeft, fitRight, Words } from '../../ui/text.tsx';
import { type ColorName, type Theme, useTheme } from '../../ui/theme.ts';
import {
  fittingColumns,
  knownColumns,
  LANE_TITLES,
  type LaneColumn,
  type LaneColumnId,
  type LaneRow,
  laneColumns,
  laneRows,
} from './lane-columns.ts';

type Cells = Partial<Record<LaneColumnId, string>>;

/** ink-table draws a line between any two rows, which would double the height of three lanes. */
class CompactTable extends Table<Cells> {
  override separator = () => null;
}

interface LaneTableProps {
  readonly snapshot: SnapshotView;
  readonly symbol: string;
  readonly width: number;
}

/** What to pay, lane by lane: always six lines high. */
export const LaneTable = memo(function LaneTable({ snapshot, symbol, width }: LaneTableProps) {
  const theme = useTheme();
  const all = useMemo(() => laneColumns(snapshot, symbol), [snapshot, symbol]);
  const rows = useMemo(() => laneRows(snapshot, all), [snapshot, all]);
  const widest = useWidest(new Map(all.map((column) => [column.id, columnWidth(column, rows)])));
  const columns = fittingColumns(knownColumns(all, rows), widest, width);
  const fitted = ({ id, align }: LaneColumn, text: string) => {
    const room = widest.get(id) ?? 0;
    return align === 'left' ? fitLeft(text, room) : fitRight(text, room);
  };
  // ink-table measures by string length: cells come to it already as wide as their column.
  const cellsOf = (text: (column: LaneColumn) => string): Cells =>
    Object.fromEntries(columns.map((column) => [column.id, theme.text(fitted(column, text(column)))]));
  return (
    <CompactTable
      data={rows.map(({ cells }) => cellsOf(({ id }) => cells.get(id) ?? ''))}
      columns={columns.map(({ id }) => id)}
      headings={cellsOf(({ heading }) => heading)}
      header={Heading}
      cell={LaneCell}
      skeleton={theme.ascii ? AsciiLine : Line}
    />
  );
});

function columnWidth({ id, heading, least }: LaneColumn, rows: readonly LaneRow[]): number {
  return Math.max(
    least,
    displayWidth(heading),
    ...rows.map(({ cells }) => displayWidth(cells.get(id) ?? '')),
  );
}

interface PartProps {
  readonly children?: ReactNode;
}

const Heading = memo(function Heading({ children }: PartProps) {
  return <Words faint>{children}</Words>;
});

const LANE_COLORS: Readonly<Record<string, ColorName>> = {
  [LANE_TITLES.slow]: 'slow',
  [LANE_TITLES.average]: 'average',
  [LANE_TITLES.fast]: 'fast',
};

const LaneCell = memo(function LaneCell(props: PartProps & { readonly column: number }) {
  const { children, column } = props;
  // ink-table tells a cell its column and its text, not its row.
  if (column === 0) return <Words color={LANE_COLORS[String(children).trim()]}>{children}</Words>;
  return <Words bold={column === 1}>{children}</Words>;
});

const Line = memo(function Line({ children }: PartProps) {
  return <Text dimColor>{children}</Text>;
});

const AsciiLine = memo(function AsciiLine({ children }: PartProps) {
  const theme = useTheme();
  return <Text dimColor>{asciiLine(String(children), theme)}</Text>;
});

function asciiLine(text: string, { glyph }: Theme): string {
  return text
    .replace(/[┌┐└┘┬┴┼]/g, glyph.crossTop)
    .replaceAll('─', glyph.line)
    .replaceAll('│', glyph.vertical);
}
