import type { Look, RuleFacts, Transition } from './auto-tx-rule.ts';
import type { AutoTxState, AutoTxStatus, Inclusion, Obstacle } from './auto-tx-state.ts';
import { fail, goneWords, isWaiting, note, sent, to } from './auto-tx-transition.ts';
import { usedWords } from './nonce-checks.ts';

/**
 * A process may be held up between its decision to send and the sending. It gives up well before this long, so that
 * whoever finds the transaction with nobody after it can tell that it is not just about to leave.
 */
export const UNSURE_MS = 20_000;

/** What a look at the chain does to an auto-tx. The same look again does nothing more to one that was sent. */
export function look(state: AutoTxState, seen: Look, facts: RuleFacts): Transition | null {
  if (state.status === 'SUBMITTED') return lookAtSubmitted(state, seen, facts);
  // A node may give out again what it had once, whatever was decided here since; and whoever signed it may send it
  // from the wallet, too.
  const mayCome = state.mayBeOut || isWaiting(state);
  if (mayCome && (seen.inclusion !== null || (seen.isKnown && isWaiting(state)))) {
    const back: AutoTxState = {
      ...state,
      status: 'SUBMITTED',
      submittedAt: state.submittedAt ?? facts.now,
      sentAt: facts.now,
      mayBeOut: true,
      returnsTo: unwanted(state.status),
      unseen: 0,
      hold: null,
      failure: null,
    };
    const since = state.mayBeOut ? SINCE[state.status] : 'not sent from here';
    const where = seen.inclusion === null ? 'a node has it' : 'the chain has it';
    const news = note('SEEN', `${where}, though it was ${since}`);
    const next = lookAtSubmitted(back, seen, facts);
    return to(next.state, news, ...next.notes);
  }
  if (state.mayBeOut) return settleNonce(state, seen, facts);
  return isWaiting(state) ? settleUnsent(state, seen, facts) : null;
}

const SINCE: Readonly<Record<AutoTxState['status'], string>> = {
  DRAFT: 'not signed',
  PENDING: 'thought to be dropped',
  DISABLED: 'thought to be dropped and disabled since',
  CANCELLED: 'cancelled after it had been sent',
  EXPIRED: 'given up after it had been sent',
  SUBMITTED: 'sent',
  EXECUTED: 'mined',
  FAILED: 'given up',
};

const unwanted = (status: AutoTxStatus): AutoTxState['returnsTo'] =>
  status === 'DISABLED' || status === 'CANCELLED' || status === 'EXPIRED' || status === 'FAILED'
    ? status
    : null;

/** Never sent: it fails once another transaction has had its nonce for as many blocks as make it final. */
function settleUnsent(state: AutoTxState, seen: Look, facts: RuleFacts): Transition {
  if (seen.nextNonce > facts.nonce) return taken(state, seen, facts, used(facts.nonce, seen));
  return to({ ...state, takenSince: null });
}

/**
 * Not submitted any more, though a node may have it: once another transaction has its nonce for good, it fails where
 * it still waits, and is watched no more where it had ended.
 */
function settleNonce(state: AutoTxState, seen: Look, facts: RuleFacts): Transition {
  if (seen.nextNonce <= facts.nonce) return to({ ...state, takenSince: null });
  if (isWaiting(state)) return taken(state, seen, facts);
  const takenSince = state.takenSince ?? seen.head;
  if (seen.head - takenSince + 1 < facts.confirmations) return to({ ...state, takenSince });
  const words = `${takenWords(facts.nonce, seen)}: this one can no longer be mined`;
  return to({ ...state, takenSince, mayBeOut: false }, note('NONCE_TAKEN', words, seen.head));
}

function lookAtSubmitted(state: AutoTxState, seen: Look, facts: RuleFacts): Transition {
  if (seen.inclusion !== null) return mined(state, seen.inclusion, seen.head, facts);
  const gone = state.inclusion;
  // A node that is behind that block cannot tell; what a reorg takes back comes as the event `rewind`.
  if (gone !== null && seen.head < gone.blockNumber) return to(state);
  const lost = gone === null ? [] : [note('REORGED', goneWords(gone.blockNumber), seen.head)];
  const next = lookForOpen({ ...state, inclusion: null }, seen, facts);
  return to(next.state, ...lost, ...next.notes);
}

/** It is in no block. */
function lookForOpen(state: AutoTxState, seen: Look, facts: RuleFacts): Transition {
  if (seen.nextNonce > facts.nonce) return taken(state, seen, facts);
  if (seen.isKnown) return sent({ ...state, unseen: 0, takenSince: null }, facts);
  // A reorg can lead to a lower head: it begins again there. Block 0 has no transactions.
  const begins = state.unseen === 0 || seen.head < state.unseen;
  const unseen = begins ? Math.max(seen.head, 1) : state.unseen;
  if (!isGone(state, seen.head, facts)) return to({ ...state, unseen, takenSince: null });
  return drop(state, seen.head);
}

/** It is with nobody any more, and its nonce is free. */
function drop(state: AutoTxState, head: number): Transition {
  const { returnsTo, sentAt } = state;
  const gone = sentAt === null ? 'no node has it' : 'the nodes no longer have it and its nonce is free';
  const next = returnsTo === null ? 'it waits for its target again' : 'it is not sent again';
  return to(
    {
      ...state,
      status: returnsTo ?? 'PENDING',
      sentAt: null,
      returnsTo: null,
      unseen: 0,
      takenSince: null,
      failure: returnsTo === 'FAILED' ? LOST : null,
    },
    note('DROPPED', `${gone}; ${next}`, head),
  );
}

/**
 * Whether it is with nobody; never by the first look that does not find it. One that a node had is gone when a later
 * head does not find it either. One that no node is known to have had is gone when the time is over in which its
 * process would have sent it; until then it is left to whoever can give it out again.
 */
function isGone({ sentAt, submittedAt, unseen }: AutoTxState, head: number, { now }: RuleFacts): boolean {
  if (unseen === 0) return false;
  // The distance, either way: with a clock that was set back since, it would otherwise wait for as long as that.
  if (sentAt === null) return Math.abs(now - (submittedAt ?? 0)) >= UNSURE_MS;
  return head > unseen;
}

function mined(state: AutoTxState, inclusion: Inclusion, head: number, facts: RuleFacts): Transition {
  const { blockNumber } = inclusion;
  const isNews = state.inclusion?.blockHash !== inclusion.blockHash;
  const reverted = inclusion.outcome === 'reverted';
  const words = `block ${blockNumber} has it${reverted ? ', and its call reverted' : ''}`;
  const news = isNews ? [note('MINED', words, blockNumber)] : [];
  const next: AutoTxState = {
    ...state,
    inclusion,
    sentAt: state.sentAt ?? facts.now,
    takenSince: null,
    unseen: 0,
  };
  if (head - blockNumber + 1 < facts.confirmations) return to(next, ...news);
  if (reverted) {
    const failed = fail(next, REVERTED, blockNumber);
    return to({ ...failed.state, executedAt: facts.now }, ...news, ...failed.notes);
  }
  const { confirmations } = facts;
  const final = confirmations === 1 ? 'it is final' : `it is final: ${confirmations} blocks confirm it`;
  return to(
    { ...next, status: 'EXECUTED', mayBeOut: false, executedAt: facts.now },
    ...news,
    note('EXECUTED', final, blockNumber),
  );
}

const REVERTED: Obstacle = {
  code: 'reverted',
  message: 'the chain took it and the call reverted: its gas is paid and its nonce used',
};

const LOST: Obstacle = {
  code: 'dropped',
  message: 'it had failed before a node or a block had it all the same, and they no longer have it',
};

const replaced = (nonce: number, { takenBy }: Look): Obstacle => ({
  code: 'replaced',
  message: takenBy
    ? `replaced by ${takenBy.hash} in block ${takenBy.blockNumber}, which has nonce ${nonce}: this one can never be mined`
    : `another transaction of the sender has nonce ${nonce}: this one can never be mined`,
});

const used = (nonce: number, { takenBy, nextNonce }: Look): Obstacle => ({
  code: 'nonce_used',
  message: takenBy
    ? `nonce ${nonce} is used by ${takenBy.hash} in block ${takenBy.blockNumber}: this one can never be mined; sign it again with nonce ${nextNonce}`
    : usedWords(nonce, nextNonce),
});

const takenWords = (nonce: number, { takenBy }: Look) =>
  takenBy
    ? `${takenBy.hash} in block ${takenBy.blockNumber} has nonce ${nonce}`
    : `another transaction has nonce ${nonce}`;

function taken(
  state: AutoTxState,
  seen: Look,
  facts: RuleFacts,
  failure = replaced(facts.nonce, seen),
): Transition {
  const takenSince = state.takenSince ?? seen.head;
  const news =
    state.takenSince === null ? [note('NONCE_TAKEN', takenWords(facts.nonce, seen), seen.head)] : [];
  const next: AutoTxState = { ...state, takenSince, unseen: 0 };
  if (seen.head - takenSince + 1 < facts.confirmations) return to(next, ...news);
  const failed = fail(next, failure, seen.head);
  return to(failed.state, ...news, ...failed.notes);
}
