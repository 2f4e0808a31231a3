import type { AutoTxStore } from '../../store/auto-tx-store.ts';
import type { Tallies } from '../responses/summary.ts';

/** What the auto-txs of an owner come to, with what `others` come to. */
export function autoTxTallies(store: AutoTxStore, others: Tallies): Tallies {
  return {
    ...others,
    autoTxs: async (owner) => {
      const byStatus = await store.counts(owner);
      const total = Object.values(byStatus).reduce((sum, count) => sum + count, 0);
      return { total, byStatus };
    },
    savings: async (owner) => {
      const alerts = await others.savings(owner);
      const own = await store.savingsSum(owner);
      return {
        savedWei: (BigInt(alerts.savedWei) + own.savedWei).toString(),
        savedUsd: alerts.savedUsd === null || own.savedUsd === null ? null : alerts.savedUsd + own.savedUsd,
        events: alerts.events + own.executed,
      };
    },
  };
}
