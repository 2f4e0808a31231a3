import type { ActionView } from '../../client/views/dashboard.ts';
import type { SnapshotView } from '../../client/views/gas.ts';
import { LANES, type LaneName } from '../../core/advice.ts';
import { cost, USUAL_ACTIONS } from '../../core/market-stats.ts';
import { formatCount, formatUsd, usdOf } from '../../core/units.ts';
import { type CoinUnit, coinUnit } from '../coin-unit.ts';
import { leftColumn, rightColumn, type TableColumn } from '../ui/table.ts';

/** The coin that fees are paid in, or gwei where gas costs so little that coins would be all zeros. */
export function feeUnit({ lanes }: SnapshotView, symbol: string): CoinUnit {
  const least = Math.min(...USUAL_ACTIONS.map(({ gas }) => gas));
  return coinUnit(
    LANES.map((lane) => cost(least, lanes[lane].price)),
    symbol,
  );
}

/** What usual work costs now, lane by lane: in dollars where the coin's price is known, and in the coin. */
export function workColumns(
  snapshot: SnapshotView,
  symbol: string,
  heading = 'usual work',
): readonly TableColumn<ActionView>[] {
  const { lanes, nativeUsd } = snapshot;
  const unit = feeUnit(snapshot, symbol);
  const costOf = (lane: LaneName, { gas }: ActionView) => cost(gas, lanes[lane].price);
  const columns = LANES.flatMap((lane): readonly TableColumn<ActionView>[] => {
    const inCoin = (action: ActionView) => unit.text(costOf(lane, action));
    // Another unit is as wide as it is, not as the one before it.
    const id = `${lane} ${unit.name}`;
    if (nativeUsd === null) return [rightColumn(`${lane} ${unit.name}`, 11, 1, inCoin, { id })];
    return [
      rightColumn(lane, 8, 1, (action) => formatUsd(usdOf(costOf(lane, action), nativeUsd))),
      // The average lane is the one whose price in coins is looked at first.
      rightColumn(unit.name, 10, lane === 'average' ? 2 : 3, inCoin, { id }),
    ];
  });
  const gas = rightColumn<ActionView>('gas', 7, 4, (action) => formatCount(action.gas));
  return [leftColumn(heading, 14, 0, ({ name }) => name), gas, ...columns];
}
