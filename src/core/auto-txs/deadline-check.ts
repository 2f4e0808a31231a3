import { callDeadline } from '../transactions/call-deadline.ts';
import { formatDuration } from '../units.ts';
import { utcMinute } from '../utc-minute.ts';
import type { Obstacle } from './auto-tx-state.ts';
import type { Check } from './kept-auto-tx.ts';
import type { PreflightFacts } from './preflight-facts.ts';

type Facts = Pick<PreflightFacts, 'transaction' | 'order' | 'now'>;

/** Whether what it calls is good for as long as it may wait; none of a call without a deadline. */
export function deadlineCheck(facts: Facts): readonly Check[] {
  const { transaction, order, now } = facts;
  const name = 'deadline';
  const deadline = callDeadline(transaction.data, transaction.to);
  if (deadline === null) return [];
  if (deadline.kind === 'far') {
    const message =
      'the deadline of what it calls is written in milliseconds, where seconds belong: it is as good as none';
    return [{ name, ok: true, message }];
  }
  const past = deadlineObstacle(facts);
  if (past !== null) return [{ name, ok: false, message: past.message }];
  const { at } = deadline;
  const until = `what it calls is good until ${utcMinute(at)}, ${formatDuration((at - now) / 1_000)} from now`;
  if (order.expiresAt !== null && order.expiresAt <= at) {
    return [{ name, ok: true, message: `${until}, and it waits no longer than that` }];
  }
  const message = `${until}, and it may have to wait longer: whether its target is reached by then could not be told; it is not sent after that`;
  return [{ name, ok: null, message }];
}

/** Its call is over, so that it would revert and cost its gas for nothing; `null`: it is not, or has no end. */
export function deadlineObstacle({ transaction, now }: Omit<Facts, 'order'>): Obstacle | null {
  const deadline = callDeadline(transaction.data, transaction.to);
  if (deadline?.kind !== 'by' || deadline.at >= now) return null;
  const message = `what it calls was good until ${utcMinute(deadline.at)}: mined later it only costs gas; sign it again with a later deadline`;
  return { code: 'deadline_past', message };
}
