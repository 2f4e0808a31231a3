import { Text, useIsScreenReaderEnabled } from 'ink';
import { Table } from 'ink-table';
import { memo, type ReactNode, useRef } from 'react';
import { type ActionView, dataFeeOf } from '../../../client/views/dashboard.ts';
import { type LaneView, lacksTips, type SnapshotView } from '../../../client/views/gas.ts';
import { LANE_TITLES, LANES, type LaneName } from '../../../core/advice.ts';
import { hasDataFee } from '../../../core/chains.ts';
import { cost, USUAL_ACTIONS } from '../../../core/market-stats.ts';
import {
  formatCount,
  formatDuration,
  formatGwei,
  formatLikelihood,
  formatNative,
  formatPercent,
  formatUsd,
  gweiString,
  usdOf,
} from '../../../core/units.ts';
import { useRoom } from '../../ui/pane-context.tsx';
import {
  type FittedColumn,
  fitColumns,
  fitText,
  known,
  LineList,
  leftColumn,
  plain,
  rightColumn,
  type TableColumn,
  tableOf,
  Words,
} from '../../ui/text.tsx';
import { type ColorName, forTerminal } from '../../ui/theme.ts';

const TRANSFER = 'ETH transfer';
const SWAP = 'Swap';

type LaneRow = LaneView & { readonly name: LaneName };

const laneRows = ({ lanes }: SnapshotView) => LANES.map((name): LaneRow => ({ ...lanes[name], name }));

function laneColumns({ snapshot, actions, symbol }: LaneTableProps): readonly TableColumn<LaneRow>[] {
  const { nativeUsd, stale } = snapshot;
  const { unit, costText, inUsd, inCoin } = costsOf(snapshot, symbol);
  const worth = (action: string, lane: LaneName) => {
    const known = [...actions, ...USUAL_ACTIONS].find(({ name }) => name === action) ?? { gas: 0 };
    return costText(lane, known, nativeUsd === null ? inCoin : inUsd);
  };
  const noTips = lacksTips(snapshot);
  const named = nativeUsd === null ? ` ${unit}` : '';
  const costs = nativeUsd === null ? 10 : 6;
  return [
    leftColumn('gwei', 7, 0, ({ name }) => LANE_TITLES[name]),
    rightColumn(noTips ? 'base only' : 'price', 6, 0, ({ price }) => formatGwei(price)),
    rightColumn('max fee', 7, 1, ({ maxFeePerGas }) => known(maxFeePerGas, formatGwei)),
    rightColumn('tip', 6, 3, ({ maxPriorityFeePerGas }) => known(maxPriorityFeePerGas, formatGwei)),
    rightColumn('usually, at most', 13, 2, ({ waitSec }) =>
      known(noTips ? null : waitSec, ({ p50, p95 }) => `${formatDuration(p50)}, ${formatDuration(p95)}`),
    ),
    rightColumn(`transfer${named}`, Math.max(costs, 8), 4, ({ name }) => worth(TRANSFER, name)),
    rightColumn(`swap${named}`, costs, 5, ({ name }) => worth(SWAP, name)),
    rightColumn('likely', 6, 6, ({ probability }) =>
      known(stale === true ? null : probability, formatLikelihood),
    ),
    rightColumn('within', 9, 7, ({ withinBlocks }) => known(withinBlocks, (count) => `${count} blocks`)),
  ];
}

type Cells = Record<string, string>;

/** ink-table draws a line between rows, which would double the height of three lanes. */
class CompactTable extends Table<Cells> {
  override separator = () => null;
}

/** Width around the columns: left border and padding; three columns between two. */
const BORDERS = 4;
const GAP = 3;

interface LaneTableProps {
  readonly snapshot: SnapshotView;
  readonly actions: readonly ActionView[];
  readonly symbol: string;
}

export const LaneTable = memo(function LaneTable(props: LaneTableProps) {
  const { columns: width } = useRoom();
  const isSpoken = useIsScreenReaderEnabled();
  const widest = useRef(new Map<string, number>());
  const rows = laneRows(props.snapshot);
  const all = laneColumns(props);
  if (isSpoken) {
    const { lines } = tableOf({ columns: all, rows, width }, isSpoken);
    return <LineList lines={[[plain('Prices in gwei.')], ...lines]} />;
  }
  const columns = fitColumns(all, rows, width - BORDERS, { widest: widest.current, gap: GAP });
  // ink-table measures by string length: cells are padded to their column's width.
  const cellsOf = (text: (column: FittedColumn<LaneRow>) => string): Cells =>
    Object.fromEntries(
      columns.map((column) => [
        column.heading,
        fitText(forTerminal(text(column)), column.width, column.align),
      ]),
    );
  return (
    <CompactTable
      data={rows.map((row) => cellsOf(({ cell }) => String(cell(row))))}
      columns={columns.map(({ heading }) => heading)}
      headings={cellsOf(({ heading }) => heading)}
      header={Heading}
      cell={LaneCell}
      skeleton={Border}
    />
  );
});

interface PartProps {
  readonly children?: ReactNode;
}

function Heading({ children }: PartProps) {
  return <Words faint>{children}</Words>;
}

const LANE_COLORS = new Map<string, ColorName>(LANES.map((lane) => [LANE_TITLES[lane], lane]));

function LaneCell({ children, column }: PartProps & { readonly column: number }) {
  // ink-table passes a cell its column and text, not its row.
  if (column === 0) return <Words color={LANE_COLORS.get(String(children).trim())}>{children}</Words>;
  return <Words bold={column === 1}>{children}</Words>;
}

function Border({ children }: PartProps) {
  return <Text dimColor>{forTerminal(String(children))}</Text>;
}

export function lanesText(snapshot: SnapshotView): string {
  const value = (wei: bigint | null) => (wei === null ? '' : gweiString(wei));
  const rows = laneRows(snapshot).map(({ name, price, maxFeePerGas, maxPriorityFeePerGas }) => [
    ...[LANE_TITLES[name], value(price), value(maxFeePerGas), value(maxPriorityFeePerGas)],
  ]);
  return [['lane', 'price gwei', 'max fee gwei', 'tip gwei'], ...rows]
    .map((row) => row.join('\t'))
    .join('\n');
}

/** A smaller amount in coins has too many zeros: 0.00000001. */
const READABLE_WEI = 10n ** 10n;

/** Costs of actions: in dollars, or in the native coin, or gwei when gas costs so little that coins would be all zeros. */
function costsOf({ lanes, nativeUsd, chainId }: SnapshotView, symbol: string) {
  const least = Math.min(...USUAL_ACTIONS.map(({ gas }) => gas));
  const amounts = LANES.map((lane) => cost(least, lanes[lane].price));
  const isTiny = amounts.some((wei) => wei > 0n && wei < READABLE_WEI);
  const gasCost = (lane: LaneName, gas: number) => cost(gas, lanes[lane].price);
  return {
    unit: isTiny ? 'gwei' : symbol,
    inCoin: (wei: bigint) => (isTiny ? formatGwei(wei) : formatNative(wei, symbol).replace(` ${symbol}`, '')),
    inUsd: (wei: bigint) => formatUsd(usdOf(wei, nativeUsd ?? 0)),
    gasCost,
    /** With its data fee, or without it and marked when the fee is unknown. */
    costText: (lane: LaneName, action: Priced, text: (wei: bigint) => string) => {
      const dataFee = dataFeeOf(action, chainId);
      const wei = gasCost(lane, action.gas);
      return dataFee === null ? `${text(wei)} + L1` : text(wei + dataFee);
    },
  };
}

type Priced = Pick<ActionView, 'gas'> & Partial<Pick<ActionView, 'dataFee' | 'dataFeeReason'>>;

/** Present costs of usual actions, lane by lane: in dollars if the coin's price is known, and in the coin. */
export function workColumns(snapshot: SnapshotView, symbol: string): readonly TableColumn<ActionView>[] {
  const { nativeUsd, chainId } = snapshot;
  const { unit, costText, inUsd, inCoin, gasCost } = costsOf(snapshot, symbol);
  const columns = LANES.flatMap((lane): readonly TableColumn<ActionView>[] => {
    const coins = (action: ActionView) => costText(lane, action, inCoin);
    // Another unit has its own column width.
    const id = `${lane} ${unit}`;
    if (nativeUsd === null) return [rightColumn(id, 11, 1, coins, { id })];
    return [
      rightColumn(lane, 8, 1, (action) => costText(lane, action, inUsd)),
      // In narrow tables the average lane's price in coins stays longest.
      rightColumn(unit, 10, lane === 'average' ? 2 : 3, coins, { id }),
    ];
  });
  const part = rightColumn<ActionView>('L1 part', 7, 5, (action) =>
    known(dataFeeOf(action, chainId), (fee) =>
      formatPercent(Number(fee) / Math.max(Number(fee + gasCost('average', action.gas)), 1)),
    ),
  );
  return [
    leftColumn('usual work', 14, 0, ({ name }) => name),
    rightColumn('gas', 7, 4, ({ gas }) => formatCount(gas)),
    ...[...columns, ...(hasDataFee(chainId) ? [part] : [])],
  ];
}
