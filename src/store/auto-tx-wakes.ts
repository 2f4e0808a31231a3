import type { KeptAutoTx } from '../core/auto-txs/kept-auto-tx.ts';
import { wakesOf } from '../core/auto-txs/target.ts';
import type { AutoTxRow } from './auto-tx-schema.ts';
import { integer } from './block-row.ts';

export type WakeColumns = Pick<AutoTxRow, 'wake_lane' | 'wake_price' | 'wake_base' | 'cap'>;

const ASLEEP: WakeColumns = { wake_lane: null, wake_price: null, wake_base: null, cap: null };

/** At which prices one that waits is to be looked at; nothing wakes the others. */
export function wakeColumns({ order, signed, state }: KeptAutoTx): WakeColumns {
  if (state.status !== 'PENDING' || signed === null) return ASLEEP;
  const { wakeLane, wakePrice, wakeBase, cap } = wakesOf(order, signed);
  return {
    wake_lane: wakeLane,
    wake_price: wakePrice === null ? null : integer(wakePrice),
    wake_base: wakeBase === null ? null : integer(wakeBase),
    cap: integer(cap),
  };
}
