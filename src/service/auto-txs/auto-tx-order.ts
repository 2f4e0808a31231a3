import type { AutoTxCreation, AutoTxUpdate } from '../../contract/auto-txs.ts';
import { LANE_OF_SPEED } from '../../contract/choices.ts';
import type { AutoTxOrder } from '../../core/auto-txs/kept-auto-tx.ts';
import { weiOfGwei } from '../../core/wei-of-gwei.ts';

/** When a new auto-tx is to be sent. */
export function orderOf(creation: AutoTxCreation): AutoTxOrder {
  return {
    target: weiOfGwei(creation.targetGasPriceGwei),
    lane: LANE_OF_SPEED[creation.gasSpeed],
    isStrict: creation.strictTargetPrice,
    expiresAt: timeOf(creation.expiresAt),
  };
}

/** The order with what an update says of it. */
export function orderAfter(order: AutoTxOrder, update: AutoTxUpdate): AutoTxOrder {
  const { targetGasPriceGwei, gasSpeed, strictTargetPrice, expiresAt } = update;
  return {
    target: targetGasPriceGwei === undefined ? order.target : weiOfGwei(targetGasPriceGwei),
    lane: gasSpeed === undefined ? order.lane : LANE_OF_SPEED[gasSpeed],
    isStrict: strictTargetPrice ?? order.isStrict,
    expiresAt: expiresAt === undefined ? order.expiresAt : timeOf(expiresAt),
  };
}

const timeOf = (iso: string | null) => (iso === null ? null : Date.parse(iso));
