import type { AutoTxState } from '../../core/auto-txs/auto-tx-state.ts';
import type { KeptAutoTx } from '../../core/auto-txs/kept-auto-tx.ts';
import { capObstacle } from '../../core/auto-txs/money-checks.ts';
import { isReached } from '../../core/auto-txs/target.ts';
import type { Present } from './gas-answers.ts';

/**
 * What keeps a pending one from being sent now: what was noted when it was tried, or what the head says and nobody writes down,
 * as each block may say otherwise. `null`: nothing but its target.
 */
export function presentHold(
  { state, order, signed }: KeptAutoTx,
  present: Present | null,
): AutoTxState['hold'] {
  if (state.hold !== null || state.status !== 'PENDING' || signed === null) return state.hold;
  if (present === null || present.stale) return null;
  const { head, advice, profile } = present;
  const retryAt = Math.round((head.timestamp + profile.feeRule.blockTimeSec) * 1_000);
  if (state.takenSince !== null) {
    const message = `another transaction of the sender has nonce ${signed.nonce}: this one fails once that is final`;
    return { code: 'nonce_used', message, retryAt, times: 1 };
  }
  const { nextBaseFee, lanes } = advice;
  if (!isReached(order, signed, { nextBaseFee, lanePrice: lanes[order.lane].price })) return null;
  const obstacle = capObstacle({
    transaction: { ...signed, blobCount: 0 },
    nextBaseFee,
    nextBlobBaseFee: null,
  });
  return obstacle && { ...obstacle, retryAt, times: 1 };
}
