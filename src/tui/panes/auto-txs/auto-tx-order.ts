import type { AutoTxView } from '../../../client/views/auto-txs.ts';
import { distanceToTarget, statusOf } from '../../../client/views/describe-auto-txs.ts';
import type { SnapshotView } from '../../../client/views/gas.ts';

/** What needs attention first. */
const RANKS = new Map<string | null, number>([
  ['SUBMITTED', 0],
  ['PENDING', 1],
  // A service's own words: who knows.
  [null, 2],
  ['DISABLED', 3],
  ['DRAFT', 4],
]);
const OVER = 5;

/**
 * The auto-txs as they are listed: on their way (the longest first), waiting (the nearest to their price first), disabled,
 * drafts, and what is over, newest first.
 */
export function ordered(autoTxs: readonly AutoTxView[], snapshot: SnapshotView): readonly AutoTxView[] {
  return autoTxs
    .map((autoTx) => ({ autoTx, ...placeOf(autoTx, snapshot) }))
    .sort((one, other) => one.rank - other.rank || one.value - other.value)
    .map(({ autoTx }) => autoTx);
}

function placeOf(autoTx: AutoTxView, snapshot: SnapshotView): { rank: number; value: number } {
  const rank = RANKS.get(statusOf(autoTx)) ?? OVER;
  switch (rank) {
    case 0:
      return { rank, value: autoTx.submittedAt ?? autoTx.createdAt ?? 0 };
    case 1:
      return { rank, value: -(distanceToTarget(autoTx, snapshot)?.ratio ?? -Number.MAX_VALUE) };
    case OVER:
      return { rank, value: -(endOf(autoTx) ?? 0) };
    default:
      return { rank, value: -(autoTx.createdAt ?? 0) };
  }
}

/** When it was over, ms. */
export function endOf({ executedAt, updatedAt }: AutoTxView): number | null {
  return executedAt ?? updatedAt;
}
