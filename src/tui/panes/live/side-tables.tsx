import { memo } from 'react';
import type { ActionView, MarketView } from '../../../client/views/dashboard.ts';
import type { HorizonView, SnapshotView } from '../../../client/views/gas.ts';
import { LANES } from '../../../core/advice.ts';
import { formatCount, formatDuration, formatGwei, formatPercent, UNKNOWN } from '../../../core/units.ts';
import { useWidest } from '../../ui/fact-list.tsx';
import { columnsWithin, columnWidths, headingLine, rowLine, type TableColumn } from '../../ui/table.ts';
import { type Line, LineList } from '../../ui/text.tsx';
import { useTheme } from '../../ui/theme.ts';
import { LANE_TITLES, workUnit } from './lane-table.tsx';

const WIDE_SCREEN = 140;
/** The whole table with a price of 13 columns (`0.000000001` has 11), and a gap after it. */
const HORIZONS_WIDTH = 50;
const WIDE_HORIZONS_WIDTH = 56;

/** Columns that the table of horizons takes on a screen of `columns`. */
export function horizonsWidth(columns: number): number {
  return columns < WIDE_SCREEN ? HORIZONS_WIDTH : WIDE_HORIZONS_WIDTH;
}

interface SideTableProps<Row> {
  readonly columns: readonly TableColumn<Row>[];
  readonly rows: readonly Row[];
  readonly width: number;
}

/** A heading and its rows after a margin of one; columns grow but never jump back and forth, nor touch. */
function SideTable<Row>({ columns, rows, width }: SideTableProps<Row>) {
  const theme = useTheme();
  const widths = useWidest(columnWidths(columns, rows, theme));
  const shown = columnsWithin(columns, widths, width - 2);
  const lines = [
    headingLine(shown, widths, theme),
    ...rows.map((row) => rowLine(shown, widths, theme, row)),
  ].map((line): Line => [{ text: ' ' }, ...line]);
  return <LineList lines={lines} width={width} />;
}

const HORIZON_COLUMNS: readonly TableColumn<HorizonView>[] = [
  {
    id: 'wait',
    heading: 'wait up to',
    align: 'right',
    least: 10,
    rank: 0,
    cell: ({ horizonSec }) => formatDuration(horizonSec),
  },
  {
    id: 'price',
    heading: 'price',
    align: 'right',
    least: 11,
    rank: 1,
    // A price that nothing is said of reads as a promise.
    cell: ({ price, probability }) => (probability === null ? UNKNOWN : formatGwei(price)),
  },
  {
    id: 'saves',
    heading: 'saves',
    align: 'right',
    least: 7,
    rank: 3,
    cell: ({ savingRatio, probability }) =>
      savingRatio === null || probability === null ? UNKNOWN : formatPercent(savingRatio),
  },
  {
    id: 'likely',
    heading: 'likely',
    align: 'right',
    least: 7,
    rank: 2,
    cell: ({ probability }) => (probability === null ? UNKNOWN : formatPercent(probability)),
  },
];

interface HorizonsProps {
  readonly horizons: readonly HorizonView[];
  readonly width: number;
  readonly maxRows: number;
}

/** What waiting longer would bring. */
export const Horizons = memo(function Horizons({ horizons, width, maxRows }: HorizonsProps) {
  return <SideTable columns={HORIZON_COLUMNS} rows={horizons.slice(0, maxRows)} width={width} />;
});

interface UsualWorkProps {
  readonly actions: MarketView['actions'];
  readonly snapshot: SnapshotView;
  readonly symbol: string;
  readonly width: number;
  readonly maxRows: number;
}

/** What usual work costs now, lane by lane. */
export const UsualWork = memo(function UsualWork(props: UsualWorkProps) {
  const { actions, snapshot, symbol, width, maxRows } = props;
  const isUsd = snapshot.nativeUsd !== null;
  const { name: unit, cost } = workUnit(snapshot, symbol);
  const columns: readonly TableColumn<ActionView>[] = [
    {
      id: 'name',
      heading: isUsd ? 'usual work' : `in ${unit}`,
      align: 'left',
      least: 14,
      rank: 0,
      cell: ({ name }) => name,
    },
    { id: 'gas', heading: 'gas', align: 'right', least: 7, rank: 2, cell: ({ gas }) => formatCount(gas) },
    ...LANES.map(
      (lane): TableColumn<ActionView> => ({
        // Another unit is as wide as it is, not as the one before it.
        id: `${lane} ${unit}`,
        heading: LANE_TITLES[lane].toLowerCase(),
        align: 'right',
        least: isUsd ? 7 : 11,
        rank: 1,
        cell: ({ gas }) => cost(gas, snapshot.lanes[lane].price),
      }),
    ),
  ];
  return <SideTable columns={columns} rows={actions.slice(0, maxRows)} width={width} />;
});
