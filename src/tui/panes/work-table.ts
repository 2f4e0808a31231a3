import { type ActionView, dataFeeOf } from '../../client/views/dashboard.ts';
import type { SnapshotView } from '../../client/views/gas.ts';
import { LANES, type LaneName } from '../../core/advice.ts';
import { hasDataFee } from '../../core/chains.ts';
import { cost, USUAL_ACTIONS } from '../../core/market-stats.ts';
import { formatCount, formatGwei, formatNative, formatPercent, formatUsd, usdOf } from '../../core/units.ts';
import { known, leftColumn, rightColumn, type TableColumn } from '../ui/table.ts';

/** A smaller amount in coins has too many zeros: 0.00000001. */
const READABLE_WEI = 10n ** 10n;

/** The native coin, or gwei when gas costs so little that coins would be all zeros: its name, and amounts without it. */
export function feeUnit({ lanes }: SnapshotView, symbol: string) {
  const least = Math.min(...USUAL_ACTIONS.map(({ gas }) => gas));
  const amounts = LANES.map((lane) => cost(least, lanes[lane].price));
  return amounts.some((wei) => wei > 0n && wei < READABLE_WEI)
    ? { name: 'gwei', text: formatGwei }
    : { name: symbol, text: (wei: bigint) => formatNative(wei, symbol).replace(` ${symbol}`, '') };
}

/** Present costs of usual actions, lane by lane: in dollars if the coin's price is known, and in the coin. */
export function workColumns(snapshot: SnapshotView, symbol: string): readonly TableColumn<ActionView>[] {
  const { lanes, nativeUsd, chainId } = snapshot;
  const unit = feeUnit(snapshot, symbol);
  const gasCost = (lane: LaneName, { gas }: ActionView) => cost(gas, lanes[lane].price);
  const inAll = (lane: LaneName, action: ActionView, text: (wei: bigint) => string) =>
    withDataFee(gasCost(lane, action), dataFeeOf(action, chainId), text);
  const columns = LANES.flatMap((lane): readonly TableColumn<ActionView>[] => {
    const inCoin = (action: ActionView) => inAll(lane, action, unit.text);
    // Another unit has its own column width.
    const id = `${lane} ${unit.name}`;
    if (nativeUsd === null) return [rightColumn(`${lane} ${unit.name}`, 11, 1, inCoin, { id })];
    return [
      rightColumn(lane, 8, 1, (action) => inAll(lane, action, (wei) => formatUsd(usdOf(wei, nativeUsd)))),
      // In narrow tables the average lane's price in coins stays longest.
      rightColumn(unit.name, 10, lane === 'average' ? 2 : 3, inCoin, { id }),
    ];
  });
  const gas = rightColumn<ActionView>('gas', 7, 4, (action) => formatCount(action.gas));
  const part = rightColumn<ActionView>('L1 part', 7, 5, (action) =>
    known(dataFeeOf(action, chainId), (fee) =>
      formatPercent(Number(fee) / Math.max(Number(fee + gasCost('average', action)), 1)),
    ),
  );
  return [
    leftColumn('usual work', 14, 0, ({ name }) => name),
    gas,
    ...columns,
    ...(hasDataFee(chainId) ? [part] : []),
  ];
}

/** A cost with its data fee, or without it and marked when the fee is unknown. */
export const withDataFee = (wei: bigint, dataFee: bigint | null, text: (wei: bigint) => string): string =>
  dataFee === null ? `${text(wei)} + L1` : text(wei + dataFee);
