import { Text } from 'ink';
import { Table } from 'ink-table';
import { memo, type ReactNode, useMemo } from 'react';
import { type LaneView, lacksTips, type SnapshotView } from '../../../client/views/gas.ts';
import { LANES, type LaneName } from '../../../core/advice.ts';
import { cost, USUAL_ACTIONS } from '../../../core/market-stats.ts';
import {
  formatDuration,
  formatGwei,
  formatLikelihood,
  formatUsd,
  gweiString,
  UNKNOWN,
  usdOf,
} from '../../../core/units.ts';
import { coinUnit } from '../../coin-unit.ts';
import { useWidest } from '../../ui/fact-list.tsx';
import { displayWidth, fitLeft, fitRight, Words } from '../../ui/text.tsx';
import { type ColorName, type Theme, useTheme } from '../../ui/theme.ts';

export const LANE_TITLES: Readonly<Record<LaneName, string>> = {
  slow: 'Slow',
  average: 'Average',
  fast: 'Fast',
};

const TRANSFER_GAS = USUAL_ACTIONS.find(({ name }) => name === 'ETH transfer')?.gas ?? 21_000;
const SWAP_GAS = USUAL_ACTIONS.find(({ name }) => name === 'Swap')?.gas ?? 184_000;

type LaneColumnId = 'lane' | 'price' | 'cap' | 'tip' | 'wait' | 'send' | 'swap' | 'sure' | 'in';

interface LaneColumn {
  readonly id: LaneColumnId;
  readonly heading: string;
  /** Narrowest width, so that the usual numbers come and go without moving anything. */
  readonly least: number;
  readonly align: 'left' | 'right';
  /** Columns with a higher number are left out first where there is no room. */
  readonly rank: number;
  readonly cell: (lane: LaneView, name: LaneName) => string;
}

interface WorkUnit {
  /** As headings name it. */
  readonly name: string;
  /** What `gas` at `price` costs, without the unit's name. */
  readonly cost: (gas: number, price: bigint) => string;
}

/**
 * What work is priced in: dollars where the coin's price is known, else the coin, or gwei where gas costs so little
 * that coins would be all zeros.
 */
export function workUnit({ nativeUsd, lanes }: SnapshotView, symbol: string): WorkUnit {
  if (nativeUsd !== null) {
    return { name: '$', cost: (gas, price) => formatUsd(usdOf(cost(gas, price), nativeUsd)) };
  }
  const coin = coinUnit(
    LANES.map((lane) => cost(TRANSFER_GAS, lanes[lane].price)),
    symbol,
  );
  return { name: coin.name, cost: (gas, price) => coin.text(cost(gas, price)) };
}

/** The columns of the lanes table, left to right. */
export function laneColumns(snapshot: SnapshotView, symbol: string): readonly LaneColumn[] {
  const { nativeUsd } = snapshot;
  const unit = workUnit(snapshot, symbol);
  const noTips = lacksTips(snapshot);
  const named = nativeUsd === null ? ` ${unit.name}` : '';
  const price = (wei: bigint | null) => (wei === null ? UNKNOWN : formatGwei(wei));
  const costs = nativeUsd === null ? 10 : 6;
  return [
    { id: 'lane', heading: 'gwei', least: 7, align: 'left', rank: 0, cell: (_, name) => LANE_TITLES[name] },
    {
      id: 'price',
      heading: noTips ? 'base only' : 'price',
      least: 6,
      align: 'right',
      rank: 0,
      cell: (lane) => price(lane.price),
    },
    {
      id: 'cap',
      heading: 'max fee',
      least: 7,
      align: 'right',
      rank: 1,
      cell: (lane) => price(lane.maxFeePerGas),
    },
    {
      id: 'tip',
      heading: 'tip',
      least: 6,
      align: 'right',
      rank: 3,
      cell: (lane) => price(lane.maxPriorityFeePerGas),
    },
    {
      id: 'wait',
      heading: 'usually, at most',
      least: 13,
      align: 'right',
      rank: 2,
      cell: noTips ? () => UNKNOWN : waitCell,
    },
    {
      id: 'send',
      heading: `transfer${named}`,
      least: Math.max(costs, 8),
      align: 'right',
      rank: 4,
      cell: (lane) => unit.cost(TRANSFER_GAS, lane.price),
    },
    {
      id: 'swap',
      heading: `swap${named}`,
      least: costs,
      align: 'right',
      rank: 5,
      cell: (lane) => unit.cost(SWAP_GAS, lane.price),
    },
    {
      id: 'sure',
      heading: 'likely',
      least: 6,
      align: 'right',
      rank: 6,
      // Old prices promise nothing.
      cell: ({ probability }) =>
        snapshot.stale === true || probability === null ? UNKNOWN : formatLikelihood(probability),
    },
    {
      id: 'in',
      heading: 'within',
      least: 9,
      align: 'right',
      rank: 7,
      cell: ({ withinBlocks }) => (withinBlocks === null ? UNKNOWN : `${withinBlocks} blocks`),
    },
  ];
}

function waitCell({ waitSec }: LaneView): string {
  if (waitSec === null) return UNKNOWN;
  return `${formatDuration(waitSec.p50)}, ${formatDuration(waitSec.p95)}`;
}

interface LaneRow {
  readonly name: LaneName;
  readonly cells: ReadonlyMap<LaneColumnId, string>;
}

function laneRows(snapshot: SnapshotView, columns: readonly LaneColumn[]): readonly LaneRow[] {
  return LANES.map((name) => ({
    name,
    cells: new Map(columns.map(({ id, cell }) => [id, cell(snapshot.lanes[name], name)])),
  }));
}

/** Columns without a single value say nothing and are left out: a foreign service may know less than ours. */
function knownColumns(columns: readonly LaneColumn[], rows: readonly LaneRow[]): readonly LaneColumn[] {
  return columns.filter(({ id }) => rows.some(({ cells }) => cells.get(id) !== UNKNOWN));
}

/** The columns that fit into `width` with their borders (one left of each, one at the end) and padding. */
function fittingColumns(
  columns: readonly LaneColumn[],
  widths: ReadonlyMap<string, number>,
  width: number,
): readonly LaneColumn[] {
  let used = 1;
  let fits = true;
  const kept = new Set<LaneColumnId>();
  for (const { id, least } of [...columns].sort((one, other) => one.rank - other.rank)) {
    used += (widths.get(id) ?? least) + 3;
    fits &&= used <= width;
    if (fits) kept.add(id);
  }
  return columns.filter(({ id }) => kept.has(id));
}

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

/** The lanes for pasting elsewhere: exact gwei, one lane per line, values apart by tabs. */
export function lanesText(snapshot: SnapshotView): string {
  const value = (wei: bigint | null) => (wei === null ? '' : gweiString(wei));
  const rows = LANES.map((name) => {
    const lane = snapshot.lanes[name];
    return [LANE_TITLES[name], value(lane.price), value(lane.maxFeePerGas), value(lane.maxPriorityFeePerGas)];
  });
  return [['lane', 'price gwei', 'max fee gwei', 'tip gwei'], ...rows]
    .map((row) => row.join('\t'))
    .join('\n');
}
