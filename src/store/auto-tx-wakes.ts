import type { KeptAutoTx } from '../core/auto-txs/kept-auto-tx.ts';
import type { AutoTxRow } from './schema.ts';

export type WakeColumns = Pick<AutoTxRow, 'wake_lane' | 'wake_price' | 'wake_base' | 'cap'>;

/** Nothing wakes it. */
export const ASLEEP: WakeColumns = { wake_lane: null, wake_price: null, wake_base: null, cap: null };

/** At which prices one that waits is to be looked at. */
export function wakeColumns({ order, signed, state }: KeptAutoTx): WakeColumns {
  const cap = signed?.maxFeePerGas ?? signed?.gasPrice ?? null;
  if (state.status !== 'PENDING' || signed === null || cap === null) return ASLEEP;
  const columns = { ...ASLEEP, cap: Number(cap) };
  if (!order.isStrict) return { ...columns, wake_lane: order.lane, wake_price: Number(order.target) };
  // It pays its cap at most: whatever the base fee is, where that is within the target.
  const base = cap <= order.target ? cap : order.target - (signed.maxPriorityFeePerGas ?? order.target + 1n);
  return base < 0n ? ASLEEP : { ...columns, wake_base: Number(base) };
}
