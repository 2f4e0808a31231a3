import type { LaneName } from '../advice.ts';
import type { Hex } from '../block.ts';
import { gweiString } from '../units.ts';
import { look } from './auto-tx-look.ts';
import type { AutoTxState, Inclusion, Obstacle } from './auto-tx-state.ts';
import { fail, goneWords, isWaiting, note, sent, to } from './auto-tx-transition.ts';

/**
 * What the chain says of a transaction at one head. The next nonce must have been asked for first: whatever has used the
 * nonce by then is in the chain when it is asked for the receipt.
 */
export interface Look {
  /** The head's number. */
  readonly head: number;
  /** Where it is in the chain. */
  readonly inclusion: Inclusion | null;
  /** Whether a node has it, waiting or mined. */
  readonly isKnown: boolean;
  /** How many transactions of the sender the chain has: the next nonce. */
  readonly nextNonce: number;
  /** The transaction that has its nonce, where that was found. */
  readonly takenBy?: { readonly hash: Hex; readonly blockNumber: number } | null;
}

/** What a decision to send was made by. */
export interface Reached {
  /** The head's number. */
  readonly head: number;
  /** What was compared with the target, wei per gas. */
  readonly price: bigint;
  readonly target: bigint;
  /** Whose price it is: what the transaction itself pays, or its lane. */
  readonly lane: LaneName | null;
}

export type AutoTxEvent =
  /** A draft got its signature. */
  | { readonly type: 'sign' }
  /** Its owner asks for something else of it: what was in the way may not be any more. */
  | { readonly type: 'change'; readonly message: string }
  | { readonly type: 'enable' }
  | { readonly type: 'disable' }
  | { readonly type: 'cancel' }
  | { readonly type: 'expire' }
  /** The target is reached, but something is in the way for now. */
  | { readonly type: 'hold'; readonly obstacle: Obstacle; readonly retryAt: number }
  /** It can never be sent: the pre-flight or every node says so. */
  | { readonly type: 'refuse'; readonly obstacle: Obstacle }
  /** The decision to send. Write it down for good before anything is sent. */
  | { readonly type: 'submit'; readonly reached?: Reached }
  /** A node took it, or has it already. */
  | { readonly type: 'sent'; readonly node?: string | null }
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
    case 'change':
      return isWaiting(state) || status === 'DRAFT'
        ? to({ ...asUnlooked(state), hold: null }, note('CHANGED', event.message))
        : null;
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
        ? to({ ...asUnlooked(state), status: 'CANCELLED', hold: null }, note('CANCELLED', cancelWords(state)))
        : null;
    case 'expire':
      return isWaiting(state)
        ? to({ ...asUnlooked(state), status: 'EXPIRED', hold: null }, note('EXPIRED', expiryWords(state)))
        : null;
    case 'hold':
      return status === 'PENDING' ? hold(state, event, 'HELD') : null;
    case 'refuse':
      return refuse(state, event.obstacle);
    case 'submit':
      return status === 'PENDING' ? submit(state, event.reached ?? null, facts) : null;
    case 'sent':
      return status === 'SUBMITTED' ? sent(state, facts, event.node ?? null) : null;
    case 'decline':
      return isWithNobody(state)
        ? hold({ ...state, status: 'PENDING', unseen: 0, takenSince: null }, event, 'DECLINED')
        : null;
    case 'look':
      return look(state, event.look, facts);
    case 'rewind':
      return rewind(state, event.to);
  }
}

/** It was decided to send it, and neither a node nor a block is known to have it. */
const isWithNobody = ({ status, sentAt, inclusion }: AutoTxState) =>
  status === 'SUBMITTED' && sentAt === null && inclusion === null;

/**
 * One that no node ever had is watched for somebody else's use of its nonce only while it waits with that nonce: a
 * change or an end begins anew.
 */
const asUnlooked = (state: AutoTxState): AutoTxState =>
  state.mayBeOut ? state : { ...state, takenSince: null };

const MAY_BE_MINED = 'it may be with a node and can be mined until another transaction has its nonce';

const cancelWords = ({ mayBeOut }: AutoTxState) =>
  mayBeOut ? `it is not sent again, but was before: ${MAY_BE_MINED}` : 'it is never sent';

function expiryWords({ mayBeOut, hold }: AutoTxState): string {
  if (mayBeOut) return `its time is over; it was sent before: ${MAY_BE_MINED}`;
  if (hold === null) return 'its time was over before its target was reached';
  return `its time was over; its target had been reached, but ${hold.message}`;
}

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

/** What may be out is watched all the same, in case a node that is not asked has it. */
function refuse(state: AutoTxState, obstacle: Obstacle): Transition | null {
  if (state.status !== 'PENDING' && !isWithNobody(state)) return null;
  // Its own bytes may be what used it: only a look at the chain tells.
  if (state.mayBeOut && obstacle.code === 'nonce_used') return null;
  const failed = fail(state, obstacle);
  return to({ ...failed.state, mayBeOut: state.mayBeOut }, ...failed.notes);
}

function submit(state: AutoTxState, reached: Reached | null, { now }: RuleFacts): Transition {
  return to(
    {
      ...state,
      status: 'SUBMITTED',
      attempts: state.attempts + 1,
      submittedAt: now,
      sentAt: null,
      mayBeOut: true,
      returnsTo: null,
      unseen: 0,
      takenSince: null,
      hold: null,
    },
    note('SUBMITTED', submitWords(reached), reached?.head ?? null),
  );
}

function submitWords(reached: Reached | null): string {
  if (reached === null) return 'its target is reached; it is being sent';
  const { lane, price, target } = reached;
  const whose = lane === null ? 'what it pays itself' : `the price of the ${lane} lane`;
  return `${whose} came to ${gweiString(price)} gwei (target ${gweiString(target)}): it is being sent`;
}

function rewind(state: AutoTxState, number: number): Transition | null {
  const { inclusion, takenSince } = state;
  if (inclusion !== null && inclusion.blockNumber > number) {
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
      note('REORGED', goneWords(inclusion.blockNumber), number),
    );
  }
  if (takenSince === null || takenSince <= number) return null;
  // What had its nonce may be gone with its block, so that this one may be mined after all.
  const isUnsent = isWaiting(state) && !state.mayBeOut;
  const open: AutoTxState = { ...state, takenSince: null, mayBeOut: !isUnsent };
  if (state.status !== 'FAILED') return to(open);
  const words = 'the block in which another transaction had its nonce is no longer part of the chain';
  return to(open, note('REORGED', `${words}: it may be mined after all`, number));
}
