import { useIsScreenReaderEnabled } from 'ink';
import { memo } from 'react';
import { dataFeeOf, gasOfWork } from '../../../client/threshold-basis.ts';
import type { ActionView } from '../../../client/views/dashboard.ts';
import type { LaneView, SnapshotView } from '../../../client/views/gas.ts';
import { lacksTips } from '../../../client/views/gas-texts.ts';
import { LANE_TITLES, LANES, type LaneName } from '../../../core/advice.ts';
import { hasDataFee } from '../../../core/chains.ts';
import {
  coinDigits,
  formatCount,
  formatDuration,
  formatGwei,
  formatLikelihood,
  formatPercent,
  formatUsd,
  gweiString,
  usdOf,
} from '../../../core/units.ts';
import { cost, USUAL_ACTIONS } from '../../../core/usual-work.ts';
import { BoxedTable, known, leftColumn, rightColumn, type TableColumn } from '../../ui/table.tsx';
import { bold, colored, LineList, plain } from '../../ui/text.tsx';

type LaneRow = LaneView & { readonly name: LaneName };

const laneRows = ({ lanes }: SnapshotView) => LANES.map((name): LaneRow => ({ ...lanes[name], name }));

function laneColumns({
  snapshot,
  isOutdated,
  actions,
  symbol,
}: LaneTableProps): readonly TableColumn<LaneRow>[] {
  const { unit, costText, hasUsd } = costsOf(snapshot, symbol);
  const noTips = lacksTips(snapshot);
  const worth = (title: string, work: string, least: number, rank: number) => {
    const action = actions.find(({ name }) => name === work);
    const gas = gasOfWork(work, action, snapshot.chainId);
    const [heading, width] = hasUsd ? [title, least] : [`${title} ${unit}`, 10];
    return rightColumn<LaneRow>(heading, width, rank, ({ name }) =>
      known(gas, (each) => costText(name, { ...action, gas: each }, hasUsd)),
    );
  };
  return [
    leftColumn('gwei', 7, 0, ({ name }) => [colored(LANE_TITLES[name], name)]),
    rightColumn(noTips ? 'base only' : 'price', 6, 0, ({ price }) => [bold(formatGwei(price))]),
    rightColumn('max fee', 7, 1, ({ maxFeePerGas }) => known(maxFeePerGas, formatGwei)),
    rightColumn('tip', 6, 3, ({ maxPriorityFeePerGas }) => known(maxPriorityFeePerGas, formatGwei)),
    rightColumn('half, 95 % in', 13, 2, ({ waitSec }) =>
      known(noTips ? null : waitSec, ({ p50, p95 }) => `${formatDuration(p50)}, ${formatDuration(p95)}`),
    ),
    worth('transfer', 'ETH transfer', 8, 4),
    worth('swap', 'Swap', 6, 5),
    rightColumn('likely', 6, 6, ({ probability }) =>
      known(isOutdated ? null : probability, formatLikelihood),
    ),
    rightColumn('within', 9, 7, ({ withinBlocks }) => known(withinBlocks, (count) => `${count} blocks`)),
  ];
}

interface LaneTableProps {
  readonly snapshot: SnapshotView;
  /** Nothing is stated of the next block. */
  readonly isOutdated: boolean;
  readonly actions: readonly ActionView[];
  readonly symbol: string;
}

export const LaneTable = memo(function LaneTable(props: LaneTableProps) {
  const isSpoken = useIsScreenReaderEnabled();
  return (
    <>
      {isSpoken ? <LineList lines={[[plain('Prices in gwei.')]]} /> : null}
      <BoxedTable columns={laneColumns(props)} rows={laneRows(props.snapshot)} />
    </>
  );
});

/** What is copied of the prices, each in gwei to the wei: that of the lane that advice compares with, and all. */
export function copiedTexts(snapshot: SnapshotView) {
  const value = (wei: bigint | null) => (wei === null ? '' : gweiString(wei));
  const rows = laneRows(snapshot).map(({ name, price, maxFeePerGas, maxPriorityFeePerGas }) => [
    LANE_TITLES[name],
    ...[price, maxFeePerGas, maxPriorityFeePerGas].map(value),
  ]);
  const lanes = [['lane', 'price gwei', 'max fee gwei', 'tip gwei'], ...rows]
    .map((row) => row.join('\t'))
    .join('\n');
  return { averagePrice: value(snapshot.lanes.average.price), lanes };
}

/** A smaller amount in coins has too many zeros: 0.00000001. */
const READABLE_WEI = 10n ** 10n;

type Priced = Pick<ActionView, 'gas'> & Partial<Pick<ActionView, 'dataFee' | 'dataFeeReason'>>;
export type WorkRow = Priced &
  Pick<ActionView, 'name' | 'gasNext'> & {
    /** Which go first where room is short: 0 an action, 1 a new account or holder that makes it much dearer, 2 the others. */
    readonly rank: 0 | 1 | 2;
  };
const MUCH_DEARER = 2;

/** A line for each action, and one below it where a new account, holder, owner or token is dearer. */
export function workRows(actions: readonly ActionView[], isSpoken: boolean): readonly WorkRow[] {
  return actions.flatMap(({ newHolder, ...action }) => {
    const row = { ...action, rank: 0 } as const;
    if (newHolder === null) return [row];
    const name = isSpoken ? `${action.name} ${newHolder.name}` : `  ${newHolder.name}`;
    const most = ({ gas, gasNext }: Pick<ActionView, 'gas' | 'gasNext'>) => Math.max(gas, gasNext ?? 0);
    const rank = most(newHolder) >= MUCH_DEARER * most(action) ? 1 : 2;
    return [row, { ...row, ...newHolder, name, rank }];
  });
}

/** Costs of actions: in dollars, or in the native coin, or gwei when gas costs so little that coins would be all zeros. */
function costsOf({ lanes, nativeUsd, chainId }: SnapshotView, symbol: string) {
  const least = Math.min(...USUAL_ACTIONS.map(({ gas }) => gas.osaka));
  const amounts = LANES.map((lane) => cost(least, lanes[lane].price));
  const isTiny = amounts.some((wei) => wei > 0n && wei < READABLE_WEI);
  const inCoin = isTiny ? formatGwei : coinDigits;
  return {
    unit: isTiny ? 'gwei' : symbol,
    hasUsd: nativeUsd !== null,
    /** With its data fee, or without it and marked when the fee is unknown. */
    costText: (lane: LaneName, action: Priced, isUsd: boolean) => {
      const dataFee = dataFeeOf(action, chainId);
      const wei = cost(action.gas, lanes[lane].price) + (dataFee ?? 0n);
      return `${isUsd ? formatUsd(usdOf(wei, nativeUsd ?? 0)) : inCoin(wei)}${dataFee === null ? ' + L1' : ''}`;
    },
  };
}

/** Present costs of usual actions, lane by lane: in dollars if the coin's price is known, and in the coin. */
export function workColumns(snapshot: SnapshotView, symbol: string): readonly TableColumn<WorkRow>[] {
  const { chainId, lanes } = snapshot;
  const { unit, costText, hasUsd } = costsOf(snapshot, symbol);
  const columns = LANES.flatMap((lane): readonly TableColumn<WorkRow>[] => {
    const coins = (action: WorkRow) => costText(lane, action, false);
    // Another unit has its own column width.
    const id = `${lane} ${unit}`;
    if (!hasUsd) return [rightColumn(id, 11, 1, coins, { id })];
    return [
      rightColumn(lane, 8, 1, (action) => costText(lane, action, true)),
      // In narrow tables the average lane's price in coins stays longest.
      rightColumn(unit, 10, lane === 'average' ? 2 : 3, coins, { id }),
    ];
  });
  const part = rightColumn<WorkRow>('L1 part', 7, 5, (action) =>
    known(dataFeeOf(action, chainId), (fee) =>
      formatPercent(Number(fee) / Math.max(Number(fee + cost(action.gas, lanes.average.price)), 1)),
    ),
  );
  return [
    // Its name on the wire is that of Ethereum's coin.
    leftColumn('usual work', 14, 0, ({ name }) => name.replace(/^ETH(?= transfer$)/, symbol)),
    rightColumn('gas', 7, 4, ({ gas }) => formatCount(gas)),
    // By the rules of the fork that is scheduled.
    rightColumn('then', 7, 4, ({ gasNext }) => known(gasNext, formatCount)),
    ...columns,
    ...(hasDataFee(chainId) ? [part] : []),
  ];
}
