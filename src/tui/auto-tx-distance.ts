import type { AutoTxView } from '../client/views/auto-txs.ts';
import type { SnapshotView } from '../client/views/gas.ts';
import { paysAt } from '../core/auto-txs/target.ts';
import { laneOf } from './alert-words.ts';
import { statusOf } from './auto-tx-words.ts';

export interface AutoTxDistance {
  /** What is compared with the target, wei per gas: the lane's price, or if strict what it would pay itself. */
  readonly price: bigint;
  /** By what share the price must change to reach the target; negative: it must fall. */
  readonly ratio: number;
  readonly isReached: boolean;
  /** The target is reached, but its own cap is below the next base fee. */
  readonly isCapped: boolean;
}

/** What says when it is sent, and what it bids. */
export type PricedAutoTx = Pick<
  AutoTxView,
  'target' | 'gasSpeed' | 'isStrict' | 'gasPrice' | 'maxFeePerGas' | 'maxPriorityFeePerGas'
>;

/** How far the price is from the target; `null`: that cannot be known. */
export function distanceToTarget(autoTx: PricedAutoTx, snapshot: SnapshotView): AutoTxDistance | null {
  const { target } = autoTx;
  const price = comparedPrice(autoTx, snapshot);
  if (target === null || price === null) return null;
  const ratio = price === 0n ? Number.POSITIVE_INFINITY : Number(target - price) / Number(price);
  const cap = autoTx.maxFeePerGas ?? autoTx.gasPrice;
  const isReached = price <= target;
  const isCapped = cap !== null && snapshot.nextBaseFee !== null && cap < snapshot.nextBaseFee;
  return { price, ratio, isReached, isCapped };
}

function comparedPrice(autoTx: PricedAutoTx, { lanes, nextBaseFee }: SnapshotView): bigint | null {
  if (autoTx.isStrict !== true) {
    const lane = laneOf(autoTx.gasSpeed);
    return lane === null ? null : lanes[lane].price;
  }
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas } = autoTx;
  if (gasPrice !== null && maxFeePerGas === null) return gasPrice;
  if (maxFeePerGas === null || maxPriorityFeePerGas === null || nextBaseFee === null) return null;
  return paysAt(autoTx, nextBaseFee);
}

/** Whether the service has found that its target can never be reached. */
export function isUnreachable({ checks }: AutoTxView): boolean {
  return checks.some(({ name, ok }) => name === 'reachable' && ok === false);
}

/** The chance that it is sent in time, 0 to 1; `null`: nobody can say, or it can never be, which says it all. */
export function chanceOf(autoTx: AutoTxView): number | null {
  return isUnreachable(autoTx) ? null : autoTx.reachProbability;
}

/** From so close to its target on a price may reach it with the next blocks: a base fee changes by an eighth at most. */
const NEAR = 0.125;

/** Whether it is on its way, or may be with the next blocks. */
export function isNear(autoTx: AutoTxView, snapshot: SnapshotView): boolean {
  const status = statusOf(autoTx);
  if (status !== 'PENDING') return status === 'SUBMITTED';
  const distance = distanceToTarget(autoTx, snapshot);
  return distance !== null && (distance.isReached || Math.abs(distance.ratio) <= NEAR);
}
