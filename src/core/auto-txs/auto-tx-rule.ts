import type { AutoTxState, Inclusion, Obstacle } from './auto-tx-state.ts';

/** Looks in a row at which no node knows what one had, before it counts as dropped. */
const UNSEEN_LOOKS = 2;
/** A process that decided to send may have been held up before it did; it gives up well before this. */
export const UNSURE_MS = 20_000;

/** What the chain says of a transaction at one head. */
export interface Look {
  /** The head's number. */
  readonly head: number;
  /** Where it is in the chain. */
  readonly inclusion: Inclusion | null;
  /** Whether a node has it, waiting or mined. */
  readonly isKnown: boolean;
  /** How many transactions of the sender the chain has: the next nonce. */
  readonly nextNonce: number;
}

export type AutoTxEvent =
  /** A draft got its signature. */
  | { readonly type: 'sign' }
  | { readonly type: 'enable' }
  | { readonly type: 'disable' }
  | { readonly type: 'cancel' }
  | { readonly type: 'expire' }
  /** The target is reached, but something is in the way for now. */
  | { readonly type: 'hold'; readonly obstacle: Obstacle; readonly retryAt: number }
  /** It can never be sent: the pre-flight or every node says so. */
  | { readonly type: 'refuse'; readonly obstacle: Obstacle }
  /** The decision to send. Write it down for good before anything is sent. */
  | { readonly type: 'submit' }
  /** A node took it, or has it already. */
  | { readonly type: 'sent' }
  /** Every node was asked and refused it, and none has it. */
  | { readonly type: 'decline'; readonly obstacle: Obstacle; readonly retryAt: number }
  | { readonly type: 'look'; readonly look: Look }
  /** The blocks above `to` are no longer part of the chain. */
  | { readonly type: 'rewind'; readonly to: number };

/** What happened, for the timeline. */
export const NOTE_KINDS = [
  'CREATED',
  'SIGNED',
  'CHANGED',
  'ENABLED',
  'DISABLED',
  'HELD',
  'SUBMITTED',
  'SENT',
  'DECLINED',
  'SEEN',
  'MINED',
  'REORGED',
  'NONCE_TAKEN',
  'DROPPED',
  'EXECUTED',
  'CANCELLED',
  'EXPIRED',
  'FAILED',
] as const;
export type NoteKind = (typeof NOTE_KINDS)[number];

export interface Note {
  readonly kind: NoteKind;
  readonly blockNumber: number | null;
  /** One line for people. */
  readonly message: string;
}

export interface RuleFacts {
  readonly nonce: number;
  /** Blocks that must have it, its own included, before what became of it is final. */
  readonly confirmations: number;
  /** Ms since epoch. */
  readonly now: number;
}

export interface Transition {
  readonly state: AutoTxState;
  readonly notes: readonly Note[];
}

/**
 * What `event` does to an auto-tx; `null`: it may not happen in this state. Everything that decides what becomes of one
 * is here and nowhere else. Nothing changes without a note, but for what is only counted.
 */
export function stepAutoTx(state: AutoTxState, event: AutoTxEvent, facts: RuleFacts): Transition | null {
  const { status } = state;
  switch (event.type) {
    case 'sign':
      return status === 'DRAFT' ? to({ ...state, status: 'PENDING' }, note('SIGNED', 'it was signed')) : null;
    case 'enable':
      return status === 'DISABLED'
        ? to({ ...state, status: 'PENDING', hold: null }, note('ENABLED', 'it waits for its target again'))
        : null;
    case 'disable':
      return status === 'PENDING'
        ? to({ ...state, status: 'DISABLED', hold: null }, note('DISABLED', 'it is not sent while disabled'))
        : null;
    case 'cancel':
      return isWaiting(state) || status === 'DRAFT'
        ? to({ ...state, status: 'CANCELLED', hold: null }, note('CANCELLED', cancelWords(state)))
        : null;
    case 'expire':
      return isWaiting(state)
        ? to({ ...state, status: 'EXPIRED', hold: null }, note('EXPIRED', expiryWords(state)))
        : null;
    case 'hold':
      return status === 'PENDING' ? hold(state, event, 'HELD') : null;
    case 'refuse':
      return status === 'PENDING' || status === 'SUBMITTED' ? fail(state, event.obstacle) : null;
    case 'submit':
      return status === 'PENDING' ? submit(state, facts) : null;
    case 'sent':
      return status === 'SUBMITTED' ? sent(state, facts) : null;
    case 'decline':
      return status === 'SUBMITTED'
        ? hold({ ...state, status: 'PENDING', sentAt: null, unseen: 0, takenSince: null }, event, 'DECLINED')
        : null;
    case 'look':
      return look(state, event.look, facts);
    case 'rewind':
      return rewind(state, event.to);
  }
}

const isWaiting = ({ status }: AutoTxState) => status === 'PENDING' || status === 'DISABLED';

const note = (kind: NoteKind, message: string, blockNumber: number | null = null): Note => ({
  kind,
  blockNumber,
  message,
});

const to = (state: AutoTxState, ...notes: readonly Note[]): Transition => ({ state, notes });

const MAY_BE_MINED = 'it had been sent before and may still be mined until another transaction has its nonce';

const cancelWords = ({ mayBeOut }: AutoTxState) =>
  mayBeOut ? `it is not sent again; ${MAY_BE_MINED}` : 'it is never sent';

const expiryWords = ({ mayBeOut }: AutoTxState) =>
  mayBeOut ? `its time is over; ${MAY_BE_MINED}` : 'its time was over before its target was reached';

/** The same obstacle again is no news. */
function hold(
  state: AutoTxState,
  { obstacle, retryAt }: { readonly obstacle: Obstacle; readonly retryAt: number },
  kind: NoteKind,
): Transition {
  const isSame = state.hold?.code === obstacle.code;
  const times = isSame ? (state.hold?.times ?? 0) + 1 : 1;
  const next = { ...state, hold: { ...obstacle, retryAt, times } };
  return isSame && kind === 'HELD' ? to(next) : to(next, note(kind, obstacle.message));
}

const fail = (state: AutoTxState, failure: Obstacle, blockNumber: number | null = null): Transition =>
  to(
    { ...state, status: 'FAILED', failure, hold: null, mayBeOut: false },
    note('FAILED', failure.message, blockNumber),
  );

function submit(state: AutoTxState, { now }: RuleFacts): Transition {
  return to(
    {
      ...state,
      status: 'SUBMITTED',
      attempts: state.attempts + 1,
      submittedAt: now,
      sentAt: null,
      mayBeOut: true,
      unseen: 0,
      takenSince: null,
      hold: null,
    },
    note('SUBMITTED', 'its target is reached; it is being sent'),
  );
}

function sent(state: AutoTxState, { now }: RuleFacts): Transition {
  if (state.sentAt !== null) return to(state);
  return to({ ...state, sentAt: now, unseen: 0 }, note('SENT', 'a node has it'));
}

function look(state: AutoTxState, seen: Look, facts: RuleFacts): Transition | null {
  if (state.status === 'SUBMITTED') return lookAtSubmitted(state, seen, facts);
  if (!state.mayBeOut) return null;
  // Bytes that were out once come back, whatever was decided since.
  if (seen.inclusion !== null || (seen.isKnown && isWaiting(state))) {
    const back: AutoTxState = { ...state, status: 'SUBMITTED', sentAt: facts.now, unseen: 0, hold: null };
    const news = note('SEEN', `a node has it, though it was ${SINCE[state.status]}`);
    const next = lookAtSubmitted(back, seen, facts);
    return to(next.state, news, ...next.notes);
  }
  return settleNonce(state, seen, facts);
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

/** Of one that is not waited for any more: once its nonce is another's for good, nothing can come of it. */
function settleNonce(state: AutoTxState, seen: Look, facts: RuleFacts): Transition {
  if (seen.nextNonce <= facts.nonce) return to({ ...state, takenSince: null });
  const takenSince = state.takenSince ?? seen.head;
  if (seen.head - takenSince + 1 < facts.confirmations) return to({ ...state, takenSince });
  if (isWaiting(state)) return fail({ ...state, takenSince }, replaced(facts.nonce), seen.head);
  return to({ ...state, takenSince, mayBeOut: false });
}

function lookAtSubmitted(state: AutoTxState, seen: Look, facts: RuleFacts): Transition {
  if (seen.inclusion !== null) return mined(state, seen.inclusion, seen.head, facts);
  const gone = state.inclusion;
  const lost =
    gone === null
      ? []
      : [
          note(
            'REORGED',
            `block ${gone.blockNumber} is no longer part of the chain; it waits to be mined again`,
          ),
        ];
  const open: AutoTxState = { ...state, inclusion: null };
  if (seen.nextNonce > facts.nonce) {
    const next = taken(open, seen, facts);
    return to(next.state, ...lost, ...next.notes);
  }
  if (seen.isKnown) {
    const next = sent({ ...open, unseen: 0, takenSince: null }, facts);
    return to(next.state, ...lost, ...next.notes);
  }
  const unseen = open.unseen + 1;
  const isSure = open.sentAt !== null || facts.now - (open.submittedAt ?? 0) >= UNSURE_MS;
  if (unseen < UNSEEN_LOOKS || !isSure) return to({ ...open, unseen, takenSince: null }, ...lost);
  const words =
    open.sentAt === null
      ? 'no node has it; it waits for its target again'
      : 'the nodes no longer have it and its nonce is free; it waits for its target again';
  return to(
    { ...open, status: 'PENDING', sentAt: null, unseen: 0, takenSince: null },
    ...lost,
    note('DROPPED', words, seen.head),
  );
}

function mined(state: AutoTxState, inclusion: Inclusion, head: number, facts: RuleFacts): Transition {
  const isNews = state.inclusion?.blockHash !== inclusion.blockHash;
  const reverted = inclusion.outcome === 'reverted';
  const news = isNews
    ? [note('MINED', reverted ? 'it is in a block, and reverted' : 'it is in a block', inclusion.blockNumber)]
    : [];
  const next: AutoTxState = {
    ...state,
    inclusion,
    sentAt: state.sentAt ?? facts.now,
    takenSince: null,
    unseen: 0,
  };
  if (head - inclusion.blockNumber + 1 < facts.confirmations) return to(next, ...news);
  if (reverted) {
    const failed = fail(next, REVERTED, inclusion.blockNumber);
    return to({ ...failed.state, executedAt: facts.now }, ...news, ...failed.notes);
  }
  return to(
    { ...next, status: 'EXECUTED', mayBeOut: false, executedAt: facts.now },
    ...news,
    note('EXECUTED', 'it is final', inclusion.blockNumber),
  );
}

const REVERTED: Obstacle = {
  code: 'reverted',
  message: 'the chain took it and the call reverted: its gas is paid and its nonce used',
};

const replaced = (nonce: number): Obstacle => ({
  code: 'replaced',
  message: `another transaction of the sender has nonce ${nonce}: this one can never be mined`,
});

function taken(state: AutoTxState, seen: Look, facts: RuleFacts): Transition {
  const takenSince = state.takenSince ?? seen.head;
  const news =
    state.takenSince === null
      ? [note('NONCE_TAKEN', `another transaction has nonce ${facts.nonce}`, seen.head)]
      : [];
  const next: AutoTxState = { ...state, takenSince, unseen: 0 };
  if (seen.head - takenSince + 1 < facts.confirmations) return to(next, ...news);
  const failed = fail(next, replaced(facts.nonce), seen.head);
  return to(failed.state, ...news, ...failed.notes);
}

function rewind(state: AutoTxState, number: number): Transition | null {
  const { inclusion, takenSince } = state;
  const isGone = inclusion !== null && inclusion.blockNumber > number;
  const isFree = takenSince !== null && takenSince > number;
  if (!isGone) return isFree && state.status !== 'FAILED' ? to({ ...state, takenSince: null }) : null;
  return to(
    {
      ...state,
      status: 'SUBMITTED',
      mayBeOut: true,
      inclusion: null,
      takenSince: null,
      unseen: 0,
      executedAt: null,
      failure: null,
    },
    note(
      'REORGED',
      `block ${inclusion.blockNumber} is no longer part of the chain; it waits to be mined again`,
      number,
    ),
  );
}
