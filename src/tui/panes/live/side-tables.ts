import type { ActionView } from '../../../client/views/dashboard.ts';
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
import { leftColumn, rightColumn, type TableColumn, useTable } from '../../ui/table.ts';
import type { Line } from '../../ui/text.tsx';
import { LANE_TITLES, workUnit } from './lane-table.tsx';

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

const NARROW = 70;
const LEAST_WAIT = 7;

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

/** What a wait is worth, in words. */
export function waitWords({ horizonSec, price, savingRatio, probability, reason }: HorizonView): string {
  const words = [
    price === null ? UNKNOWN : `${formatGwei(price)} gwei`,
    ...(savingRatio === null ? [] : [`saves ${formatPercent(savingRatio)}`]),
    ...(probability === null ? [] : [`${formatLikelihood(probability)} likely`]),
  ];
  const worth = probability === null ? (reason ?? 'not known') : words.join(', ');
  return `If you wait up to ${formatDuration(horizonSec)}: ${worth}`;
}

/** What each wait is worth, the one advised (seconds) in bold: the headline is one of these columns. */
export function useWaitTable(waits: readonly HorizonView[], advisedSec: number | null, width: number) {
  const columns: readonly TableColumn<WaitFigure>[] = [
    leftColumn(width < NARROW ? 'wait up to' : 'if you wait up to', 11, 0, ({ name }) => [
      { text: name, faint: true },
    ]),
    ...waits.map((wait, place): TableColumn<WaitFigure> => {
      const isAdvised = wait.horizonSec === advisedSec;
      return rightColumn(formatDuration(wait.horizonSec), LEAST_WAIT, isAdvised ? 0 : place + 1, ({ of }) => [
        { text: of(wait), bold: isAdvised },
      ]);
    }),
  ];
  return useLines(columns, waits.length === 0 ? [] : WAIT_FIGURES, width);
}

/** What usual work costs now, lane by lane. */
export function useWorkTable(
  actions: readonly ActionView[],
  snapshot: SnapshotView,
  symbol: string,
  width: number,
): readonly Line[] {
  const isUsd = snapshot.nativeUsd !== null;
  const { name: unit, cost } = workUnit(snapshot, symbol);
  const columns: readonly TableColumn<ActionView>[] = [
    leftColumn(isUsd ? 'usual work' : `in ${unit}`, 14, 0, ({ name }) => name),
    rightColumn('gas', 7, 2, ({ gas }) => formatCount(gas)),
    ...LANES.map((lane) => {
      const cell = ({ gas }: ActionView) => cost(gas, snapshot.lanes[lane].price);
      // Another unit is as wide as it is, not as the one before it.
      return rightColumn(LANE_TITLES[lane].toLowerCase(), isUsd ? 7 : 11, 1, cell, { id: `${lane} ${unit}` });
    }),
  ];
  return useLines(columns, actions, width);
}

/** The lines of a table with its heading; none without rows. */
function useLines<Row>(
  columns: readonly TableColumn<Row>[],
  rows: readonly Row[],
  width: number,
): readonly Line[] {
  const { heading, lines } = useTable({ columns, rows, width, margin: 1 });
  return rows.length === 0 ? [] : [heading, ...lines];
}
