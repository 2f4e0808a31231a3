import type { AutoTxCreation, AutoTxUpdate } from '../../contract/auto-txs.ts';
import type { GasSpeed } from '../../contract/choices.ts';
import type { AutoTxOrder } from '../../core/auto-txs/kept-auto-tx.ts';

const LANE: Readonly<Record<GasSpeed, AutoTxOrder['lane']>> = {
  SLOW: 'slow',
  AVERAGE: 'average',
  FAST: 'fast',
};

/** When a new auto-tx is to be sent. */
export function orderOf(creation: AutoTxCreation): AutoTxOrder {
  return {
    target: weiOf(creation.targetGasPriceGwei),
    lane: LANE[creation.gasSpeed],
    isStrict: creation.strictTargetPrice,
    expiresAt: timeOf(creation.expiresAt),
  };
}

/** The order with what an update says of it. */
export function orderAfter(order: AutoTxOrder, update: AutoTxUpdate): AutoTxOrder {
  const { targetGasPriceGwei, gasSpeed, strictTargetPrice, expiresAt } = update;
  return {
    target: targetGasPriceGwei === undefined ? order.target : weiOf(targetGasPriceGwei),
    lane: gasSpeed === undefined ? order.lane : LANE[gasSpeed],
    isStrict: strictTargetPrice ?? order.isStrict,
    expiresAt: expiresAt === undefined ? order.expiresAt : timeOf(expiresAt),
  };
}

/** Exact up to 10^6 gwei with 9 decimals: what a double is off by is less than half a wei. */
const weiOf = (gwei: number) => BigInt(Math.round(gwei * 1e9));

const timeOf = (iso: string | null) => (iso === null ? null : Date.parse(iso));
