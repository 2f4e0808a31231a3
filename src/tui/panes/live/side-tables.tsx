import { memo } from 'react';
import type { ActionView, MarketView } from '../../../client/views/dashboard.ts';
import type { HorizonView, SnapshotView } from '../../../client/views/gas.ts';
import { LANES } from '../../../core/advice.ts';
import {
  formatCount,
  formatDuration,
  formatGwei,
  formatLikelihood,
  formatPercent,
  UNKNOWN,
} from '../../../core/units.ts';
import { useWidest } from '../../ui/fact-list.tsx';
import { columnsWithin, columnWidths, headingLine, rowLine, type TableColumn } from '../../ui/table.ts';
import { type Line, LineList } from '../../ui/text.tsx';
import { useTheme } from '../../ui/theme.ts';
import { LANE_TITLES, workUnit } from './lane-table.tsx';

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

interface WaitFigure {
  readonly name: string;
  readonly of: (horizon: HorizonView) => string;
}

const WAIT_FIGURES: readonly WaitFigure[] = [
  { name: 'price', of: ({ price }) => (price === null ? UNKNOWN : formatGwei(price)) },
  {
    name: 'mean saving',
    of: ({ savingRatio }) => (savingRatio === null ? UNKNOWN : formatPercent(savingRatio)),
  },
  {
    name: 'likely',
    of: ({ probability }) => (probability === null ? UNKNOWN : formatLikelihood(probability)),
  },
];

/** Rows of the table of waits with its heading. */
export const WAIT_ROWS = WAIT_FIGURES.length + 1;
const NARROW = 70;
const LEAST_WAIT = 7;

/** Columns that the table of waits takes on a wide screen, with a gap after it. */
export function waitWidth(waits: readonly HorizonView[]): number {
  const room = waits.map((wait) => Math.max(LEAST_WAIT, ...WAIT_FIGURES.map(({ of }) => of(wait).length)));
  return room.reduce((sum, width) => sum + width + 2, 22);
}

/** The waits of which something is stated: a price alone would read as a promise. */
export function knownWaits(horizons: readonly HorizonView[]): readonly HorizonView[] {
  return horizons.filter(({ probability }) => probability !== null);
}

/** Why nothing is stated of the other waits, which are the longer ones, in one line. */
export function unknownWaits(horizons: readonly HorizonView[]): readonly string[] {
  const unknown = horizons.filter(({ probability }) => probability === null);
  const times = [...new Set([unknown.at(0), unknown.at(-1)])].flatMap((horizon) =>
    horizon === undefined ? [] : [formatDuration(horizon.horizonSec)],
  );
  const why = unknown[0]?.reason ?? 'not measured yet';
  return times.length === 0 ? [] : [`waits of ${times.join(' to ')} – ${why}`];
}

interface WaitTableProps {
  readonly waits: readonly HorizonView[];
  /** The wait that is advised, seconds. */
  readonly advisedSec: number | null;
  readonly width: number;
  /** Columns of the whole screen. */
  readonly screen: number;
}

/** What each wait is worth, the advised one in bold: the headline is one of these columns. */
export const WaitTable = memo(function WaitTable({ waits, advisedSec, width, screen }: WaitTableProps) {
  const columns: readonly TableColumn<WaitFigure>[] = [
    {
      id: 'name',
      heading: screen < NARROW ? 'wait up to' : 'if you wait up to',
      align: 'left',
      least: 11,
      rank: 0,
      cell: ({ name }) => [{ text: name, faint: true }],
    },
    ...waits.map((wait, place): TableColumn<WaitFigure> => {
      const isAdvised = wait.horizonSec === advisedSec;
      return {
        id: String(wait.horizonSec),
        heading: formatDuration(wait.horizonSec),
        align: 'right',
        least: LEAST_WAIT,
        rank: isAdvised ? 0 : place + 1,
        cell: ({ of }) => [{ text: of(wait), bold: isAdvised }],
      };
    }),
  ];
  return <SideTable columns={columns} rows={WAIT_FIGURES} width={width} />;
});

interface UsualWorkProps {
  readonly actions: MarketView['actions'];
  readonly snapshot: SnapshotView;
  readonly symbol: string;
  readonly width: number;
}

/** What usual work costs now, lane by lane. */
export const UsualWork = memo(function UsualWork(props: UsualWorkProps) {
  const { actions, snapshot, symbol, width } = props;
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
  return <SideTable columns={columns} rows={actions} width={width} />;
});
