import type { PricedAutoTx } from '../../../client/views/describe-auto-txs.ts';
import type { SnapshotView } from '../../../client/views/gas.ts';
import { formatDuration, formatLikelihood } from '../../../core/units.ts';
import { useReach } from '../../data/queries.ts';

/** Further ahead nothing is stated. */
const LONGEST_SEC = 86_400;

/**
 * How likely the price falls to the target in time, in words: `reached 81 % likely before it expires`. `leftSec`: until
 * it expires; `null`: never. `null`: it is reached already, or the service does not say.
 */
export function useTargetReach(
  order: PricedAutoTx,
  isThere: boolean,
  leftSec: number | null,
  snapshot: SnapshotView,
): string | null {
  const { target } = order;
  // What is above its own cap is not paid, whatever the target.
  const cap = order.maxFeePerGas ?? order.gasPrice;
  const price = target === null || cap === null || target < cap ? target : cap;
  // Whole minutes: a question whose deadline comes nearer each second would be another one each second.
  const withinSec = Math.min(Math.ceil((leftSec ?? LONGEST_SEC) / 60) * 60, LONGEST_SEC);
  const isAsked = price !== null && price > 0n && !isThere && withinSec > 0;
  const { data: reach } = useReach(isAsked ? price : null, withinSec, snapshot);
  if (!isAsked || reach == null) return null;
  const within =
    leftSec === null || leftSec > LONGEST_SEC ? `within ${formatDuration(withinSec)}` : 'before it expires';
  if (reach.probability !== null) return `reached ${formatLikelihood(reach.probability)} likely ${within}`;
  return reach.reason === null ? null : `how likely it is reached ${within} is not known: ${reach.reason}`;
}
