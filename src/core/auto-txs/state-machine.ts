import type { LaneName } from '../advice.ts';
import type { Hex } from '../block.ts';
import { type ChainProfile, isDevelopmentChain } from '../chains.ts';
import { HOUR_MS, MINUTE_MS } from '../time.ts';
import { exactGwei, formatCount, priceBeside } from '../units.ts';

export type AutoTxStatus =
  | 'DRAFT'
  | 'PENDING'
  | 'DISABLED'
  | 'SUBMITTED'
  | 'EXECUTED'
  | 'CANCELLED'
  | 'EXPIRED'
  | 'FAILED';

export interface Obstacle {
  /** Machine-readable code: `nonce_used`, `insufficient_balance`. */
  readonly code: string;
  /** One line for people that says what to do. */
  readonly message: string;
}

export interface Inclusion {
  readonly blockNumber: number;
  readonly blockHash: Hex;
  readonly outcome: 'success' | 'reverted';
  readonly gasUsed: bigint;
  readonly effectiveGasPrice: bigint;
  /** Fees beside gas: blobs, and a rollup's posting fee. */
  readonly otherFees: bigint;
  readonly minedAt: number;
}

/** The state of an auto-tx. Times in ms since epoch, wall clock. */
export interface AutoTxState {
  readonly status: AutoTxStatus;
  readonly attempts: number;
  readonly submittedAt: number | null;
  /** Since when a node is known to have it in this attempt; `null`: unknown. */
  readonly sentAt: number | null;
  /** A node may have its bytes, so it may be mined whatever happens here. */
  readonly mayBeOut: boolean;
  readonly inclusion: Inclusion | null;
  /** Its status before a node or block turned out to have it after all, to return to; `null`: it waits for its price. */
  readonly returnsTo: AutoTxStatus | null;
  /** Head at which another transaction was first seen with its nonce. */
  readonly takenSince: number | null;
  /** Since when no node shows it; `null` when the last look found it. A mark, not a state: relays hide their pools. */
  readonly unseenSince: number | null;
  /** How often it was sent again in this attempt, and not before when it is the next time; `null`: it was never unseen. */
  readonly resends: number;
  readonly resendAt: number | null;
  readonly executedAt: number | null;
  readonly failure: Obstacle | null;
  /** The obstacle met when its target was reached, the time of the next try (ms), and how often it was met. */
  readonly hold: (Obstacle & { readonly retryAt: number; readonly times: number }) | null;
}

export const NEW_DRAFT: AutoTxState = {
  status: 'DRAFT',
  attempts: 0,
  submittedAt: null,
  sentAt: null,
  mayBeOut: false,
  inclusion: null,
  returnsTo: null,
  takenSince: null,
  unseenSince: null,
  resends: 0,
  resendAt: null,
  executedAt: null,
  failure: null,
  hold: null,
};

export const NEW_PENDING: AutoTxState = { ...NEW_DRAFT, status: 'PENDING' };

/** Final states, except when a node had the bytes before the cancellation. */
const FINAL: ReadonlySet<AutoTxStatus> = new Set(['EXECUTED', 'CANCELLED', 'EXPIRED', 'FAILED']);

export const isFinal = (status: AutoTxStatus): boolean => FINAL.has(status);

/** The nonce must be requested before the receipt: had the transaction itself used it, the receipt is there. */
export interface Observation {
  readonly head: number;
  readonly inclusion: Inclusion | null;
  readonly isKnown: boolean;
  /** The sender's next nonce: the number of its transactions on the chain. */
  readonly nextNonce: number;
}

export interface Reached {
  readonly head: number;
  /** The price compared with the target, wei per gas. */
  readonly price: bigint;
  readonly target: bigint;
  /** The lane with that price; `null`: the transaction's own price. */
  readonly lane: LaneName | null;
}

export type AutoTxEvent =
  | { readonly type: 'sign' }
  | { readonly type: 'change'; readonly message: string }
  | { readonly type: 'enable' }
  /** The owner disables it, or an obstacle that a person must remove. */
  | { readonly type: 'disable'; readonly obstacle?: Obstacle }
  | { readonly type: 'cancel' }
  | { readonly type: 'expire' }
  /** The target is reached, but an obstacle stops the send for now. */
  | { readonly type: 'hold'; readonly obstacle: Obstacle; readonly retryAt: number }
  /** The obstacle is gone before it is tried again. */
  | { readonly type: 'release'; readonly message: string }
  /** It can never be sent: the pre-flight or every node refused it. */
  | { readonly type: 'refuse'; readonly obstacle: Obstacle }
  /** The decision to send. It is durable before anything is sent. */
  | { readonly type: 'submit'; readonly reached?: Reached }
  | { readonly type: 'sent'; readonly node?: string | null }
  /** The decision to send the same bytes again, as no node shows them; durable, so that the pauses outlast the process. */
  | { readonly type: 'resend' }
  /** A check stops that for now. */
  | { readonly type: 'postpone' }
  /** Every node refused it. */
  | { readonly type: 'decline'; readonly obstacle: Obstacle; readonly retryAt: number }
  | { readonly type: 'observe'; readonly observation: Observation }
  /** The blocks above `to` are no longer part of the chain. */
  | { readonly type: 'rewind'; readonly to: number }
  /** The chain restarted: no earlier block is part of it, and nodes have no earlier transaction. */
  | { readonly type: 'restart' };

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
  'UNSEEN',
  'RESENT',
  'EXECUTED',
  'CANCELLED',
  'EXPIRED',
  'FAILED',
] as const;
type NoteKind = (typeof NOTE_KINDS)[number];

export interface TimelineNote {
  readonly kind: NoteKind;
  readonly blockNumber: number | null;
  readonly message: string;
}

export interface RuleFacts {
  readonly nonce: number;
  /** Confirmations, including the transaction's block, that make its outcome final. */
  readonly confirmations: number;
  readonly now: number;
}

export interface Transition {
  readonly state: AutoTxState;
  readonly notes: readonly TimelineNote[];
}

/** `null` when the state does not allow the event. Every change of state but of counters has a note. */
export function stepAutoTx(state: AutoTxState, event: AutoTxEvent, facts: RuleFacts): Transition | null {
  const { status } = state;
  switch (event.type) {
    case 'sign':
      return status === 'DRAFT' ? to({ ...state, status: 'PENDING' }, note('SIGNED', 'signed')) : null;
    case 'change':
      return isChangeable(state)
        ? to({ ...withoutWatch(state), hold: null }, note('CHANGED', event.message))
        : null;
    case 'enable':
      return status === 'DISABLED'
        ? to({ ...state, status: 'PENDING', hold: null }, note('ENABLED', 'enabled; it waits for its target'))
        : null;
    case 'disable':
      return status === 'PENDING' || (event.obstacle !== undefined && isUndelivered(state))
        ? disable(state, event.obstacle ?? null, facts)
        : null;
    case 'cancel':
      return isChangeable(state) ? end(state, 'CANCELLED', cancelWords(state)) : null;
    case 'expire':
      return isWaiting(state) ? end(state, 'EXPIRED', expiryWords(state)) : null;
    case 'hold':
      return status === 'PENDING' ? hold(state, event, 'HELD') : null;
    case 'release':
      return status === 'PENDING' && state.hold !== null
        ? to({ ...state, hold: null }, note('CHANGED', event.message))
        : null;
    case 'refuse':
      return refuse(state, event.obstacle);
    case 'submit':
      return status === 'PENDING' ? submit(state, event.reached, facts) : null;
    case 'sent':
      return status === 'SUBMITTED' ? sent(state, facts, event.node ?? null) : null;
    case 'resend':
      return mayBeResent(state) ? resend(state, facts) : null;
    case 'postpone':
      return mayBeResent(state) ? to({ ...state, resendAt: facts.now + pauseAfter(0) }) : null;
    case 'decline':
      if (isUndelivered(state)) return hold({ ...state, ...UNSENT, status: 'PENDING' }, event, 'DECLINED');
      // A node took it before, and may have it.
      return mayBeResent(state) ? to(state, note('DECLINED', event.obstacle.message)) : null;
    case 'observe':
      return observe(state, event.observation, facts);
    case 'rewind':
      return rewind(state, event.to);
    case 'restart':
      return restart(state, facts);
  }
}

/** No nonce conflict, and the last observation found it. */
const UNWATCHED = { takenSince: null, unseenSince: null } as const;
/** Whether a node has it is unknown: it was just decided to send it, or its block is gone. */
const UNHEARD = { ...UNWATCHED, sentAt: null, resends: 0, resendAt: null } as const;
/** Of no attempt. */
const UNSENT = { ...UNHEARD, returnsTo: null } as const;

const isUndelivered = ({ status, sentAt, inclusion }: AutoTxState) =>
  status === 'SUBMITTED' && sentAt === null && inclusion === null;

/** The pauses before it is sent again while no node shows it; the last one repeats. */
export const RESEND_PAUSES_MS: readonly number[] = [1, 2, 5, 15, 60].map((minutes) => minutes * MINUTE_MS);
const LONGEST_PAUSE_MS = HOUR_MS;

const pauseAfter = (resends: number) => RESEND_PAUSES_MS[resends] ?? LONGEST_PAUSE_MS;

/** Of what came back by itself, its owner or an end had decided before that it is not sent. */
const mayBeResent = ({ status, inclusion, unseenSince, returnsTo }: AutoTxState) =>
  status === 'SUBMITTED' && inclusion === null && unseenSince !== null && returnsTo === null;

/** Whether it is time to send it again, at `now` (ms since epoch): at once where no node is known to have taken it. */
export function isResendDue(state: AutoTxState, now: number): boolean {
  const { sentAt, resendAt } = state;
  if (!mayBeResent(state)) return false;
  if (resendAt === null) return sentAt === null;
  // Further ahead than any pause: the clock was set back.
  return resendAt <= now || resendAt > now + LONGEST_PAUSE_MS;
}

/** The first one of what no node is known to have taken belongs to its first send. */
function resend(state: AutoTxState, { now }: RuleFacts): Transition {
  const isFirst = state.resendAt === null;
  const resends = isFirst ? 0 : state.resends + 1;
  const notes = isFirst ? [note('UNSEEN', `${UNHEARD_WORDS}: it is sent again`)] : [];
  return to({ ...state, resends, resendAt: now + pauseAfter(resends) }, ...notes);
}

/** A nonce conflict of what no node ever had is watched only while it waits: a change or an end resets the watch. */
const withoutWatch = (state: AutoTxState): AutoTxState =>
  state.mayBeOut ? state : { ...state, takenSince: null };

const end = (state: AutoTxState, status: 'CANCELLED' | 'EXPIRED', message: string): Transition =>
  to({ ...withoutWatch(state), status, hold: null }, note(status, message));

const MAY_BE_MINED = 'a node may have it, so it may be mined until another transaction uses its nonce';

const cancelWords = ({ mayBeOut }: AutoTxState) =>
  mayBeOut ? `it is not broadcast again, but was before: ${MAY_BE_MINED}` : 'it will not be broadcast';

function expiryWords({ mayBeOut, hold }: AutoTxState): string {
  if (mayBeOut) return `it expired; it was broadcast before: ${MAY_BE_MINED}`;
  if (hold === null) return 'it expired before its target was reached';
  return `it expired; its target had been reached, but ${hold.message}`;
}

/** The same obstacle again adds no note. */
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

/** It stays watched when a node may have it: a node outside the pool may have its bytes. */
function refuse(state: AutoTxState, obstacle: Obstacle): Transition | null {
  if (state.status !== 'PENDING' && !isUndelivered(state) && !mayBeResent(state)) return null;
  // Its own bytes may have used the nonce: only the chain can tell.
  if (state.mayBeOut && obstacle.code === 'nonce_used') return null;
  const failed = fail(state, obstacle);
  return to({ ...failed.state, mayBeOut: state.mayBeOut }, ...failed.notes);
}

function submit(state: AutoTxState, reached: Reached | undefined, { now }: RuleFacts): Transition {
  const attempts = state.attempts + 1;
  let words = 'target reached: it is broadcast';
  if (reached !== undefined) {
    const { lane, price, target } = reached;
    const whose = lane === null ? 'its own price' : `the ${lane} lane`;
    words = `target reached: ${whose} is ${priceBeside(price, target)} gwei, target ${exactGwei(target)}; it is broadcast`;
  }
  return to(
    { ...state, ...UNSENT, status: 'SUBMITTED', attempts, submittedAt: now, mayBeOut: true, hold: null },
    note('SUBMITTED', words, reached?.head ?? null),
  );
}

function disable(state: AutoTxState, obstacle: Obstacle | null, { now }: RuleFacts): Transition {
  return to(
    { ...state, status: 'DISABLED', hold: obstacle && { ...obstacle, retryAt: now, times: 1 } },
    note('DISABLED', obstacle?.message ?? 'not broadcast while it is disabled'),
  );
}

const RESTARTED: Obstacle = {
  code: 'chain_restarted',
  message: 'the chain began anew: enable it to broadcast it on the new one',
};

/** Final states stay. The others were meant for the old chain: they are disabled until their owner enables them. */
function restart(state: AutoTxState, facts: RuleFacts): Transition | null {
  if (state.status === 'DRAFT') return null;
  if (isFinal(state.status)) {
    const isWatched = state.mayBeOut || state.takenSince !== null;
    return isWatched ? to({ ...state, ...UNWATCHED, mayBeOut: false }) : null;
  }
  return disable({ ...state, ...UNSENT, mayBeOut: false, inclusion: null }, RESTARTED, facts);
}

function rewind(state: AutoTxState, number: number): Transition | null {
  const { inclusion, takenSince } = state;
  // A transaction with enough confirmations is final, even if its block is orphaned.
  if (inclusion !== null && isFinal(state.status)) return null;
  if (inclusion !== null && inclusion.blockNumber > number) {
    return to(
      { ...state, ...UNHEARD, status: 'SUBMITTED', mayBeOut: true, inclusion: null },
      note('REORGED', goneWords(inclusion.blockNumber), number),
    );
  }
  if (takenSince === null || takenSince <= number) return null;
  // A reorg may have removed the other transaction with its nonce, so this one may be mined after all.
  const watched = { ...state, takenSince: null, mayBeOut: state.mayBeOut || !isWaiting(state) };
  if (state.status !== 'FAILED') return to(watched);
  const words = 'the block that used its nonce is no longer part of the chain';
  return to(watched, note('REORGED', `${words}: it may be mined after all`, number));
}

/** A process gives up to send well before this, and nodes have told each other. */
export const UNSURE_MS = 20_000;

/** Applies an observation of the chain. Repeating it changes nothing more. */
function observe(state: AutoTxState, seen: Observation, facts: RuleFacts): Transition | null {
  if (state.status === 'SUBMITTED') return observeSubmitted(state, seen, facts);
  // A node may rebroadcast it after any decision made here, and its owner may send it from a wallet.
  const mayCome = state.mayBeOut || isWaiting(state);
  if (mayCome && (seen.inclusion !== null || (seen.isKnown && isWaiting(state)))) {
    const back: AutoTxState = {
      ...state,
      status: 'SUBMITTED',
      submittedAt: state.submittedAt ?? facts.now,
      sentAt: facts.now,
      mayBeOut: true,
      returnsTo: state.status === 'PENDING' ? null : state.status,
      unseenSince: null,
      resends: 0,
      resendAt: null,
      hold: null,
      failure: null,
    };
    const why = state.mayBeOut ? `its status was ${state.status}` : 'it was not sent from here';
    const where = seen.inclusion === null ? 'a node has it' : 'a block has it';
    const news = note('SEEN', `${where}, though ${why}`);
    const next = observeSubmitted(back, seen, facts);
    return to(next.state, news, ...next.notes);
  }
  if (!mayCome) return null;
  if (seen.nextNonce <= facts.nonce) return to({ ...state, takenSince: null });
  return taken(state, seen, facts);
}

function observeSubmitted(state: AutoTxState, seen: Observation, facts: RuleFacts): Transition {
  if (seen.inclusion !== null) return mined(state, seen.inclusion, seen.head, facts);
  const gone = state.inclusion;
  // A node behind that block cannot tell; a reorg arrives as the event `rewind`.
  if (gone !== null && seen.head < gone.blockNumber) return to(state);
  const lost = gone === null ? [] : [note('REORGED', goneWords(gone.blockNumber), seen.head)];
  const next = observePending(gone === null ? state : { ...state, ...UNHEARD, inclusion: null }, seen, facts);
  return to(next.state, ...lost, ...next.notes);
}

function observePending(state: AutoTxState, seen: Observation, facts: RuleFacts): Transition {
  if (seen.nextNonce > facts.nonce) return taken(state, seen, facts);
  if (seen.isKnown) return sent({ ...state, ...UNWATCHED }, facts);
  return unseen({ ...state, takenSince: null }, seen, facts);
}

/** One observation never decides: another node may be asked the next time. Either direction counts: a clock may be set back. */
function unseen(state: AutoTxState, { head }: Observation, { now }: RuleFacts): Transition {
  const { unseenSince, returnsTo, resends, resendAt } = state;
  if (unseenSince === null) {
    const next = resendAt === null ? null : now + pauseAfter(resends);
    return to({ ...state, unseenSince: now, resendAt: next });
  }
  if (Math.abs(now - unseenSince) < UNSURE_MS) return to(state);
  if (returnsTo !== null) {
    return to(
      { ...state, ...UNSENT, status: returnsTo, failure: returnsTo === 'FAILED' ? LOST : null },
      note('UNSEEN', 'no node shows it any more and its nonce is free; it is not broadcast again', head),
    );
  }
  // Told once in each attempt, however often nodes disagree.
  if (resendAt !== null) return to(state);
  const what =
    state.sentAt === null
      ? UNHEARD_WORDS
      : 'sent; this node does not show it, as relays that hide their pool';
  return to(
    { ...state, resendAt: unseenSince + pauseAfter(0) },
    note('UNSEEN', `${what}; ${PAUSES_WORDS}`, head),
  );
}

const UNHEARD_WORDS = 'whether a node has it is unknown, and none shows it';
const PAUSES_WORDS =
  'while its target is reached and its checks pass it is sent again after 1, 2, 5, 15 and 60 minutes, then every hour';

function mined(state: AutoTxState, inclusion: Inclusion, head: number, facts: RuleFacts): Transition {
  const { blockNumber } = inclusion;
  const isNews = state.inclusion?.blockHash !== inclusion.blockHash;
  const reverted = inclusion.outcome === 'reverted';
  const words = `mined in block ${formatCount(blockNumber)}${reverted ? ', and its call reverted' : ''}`;
  const news = isNews ? [note('MINED', words, blockNumber)] : [];
  const next: AutoTxState = { ...state, ...UNWATCHED, inclusion, sentAt: state.sentAt ?? facts.now };
  if (head - blockNumber + 1 < facts.confirmations) return to(next, ...news);
  if (reverted) {
    const failed = fail(next, REVERTED, blockNumber);
    return to({ ...failed.state, executedAt: facts.now }, ...news, ...failed.notes);
  }
  const { confirmations } = facts;
  const final = confirmations === 1 ? 'final' : `final after ${confirmations} confirmations`;
  return to(
    { ...next, status: 'EXECUTED', mayBeOut: false, executedAt: facts.now },
    ...news,
    note('EXECUTED', final, blockNumber),
  );
}

const REVERTED: Obstacle = {
  code: 'reverted',
  message: 'it was mined and its call reverted: its gas is paid and its nonce used',
};

const LOST: Obstacle = {
  code: 'unseen',
  message: 'it had failed, then a node or a block had it, and neither has it any more',
};

export const usedWords = (nonce: number, nextNonce: number) =>
  `nonce ${nonce} is used: the sender's next is ${nextNonce}; sign it again with nonce ${nextNonce}`;

/** Nodes forget old transactions: a missing one may have been mined all the same. */
export const takenWords = (nonce: number) => `nonce ${nonce} is used, and no node has this transaction`;

/** Once another transaction with its nonce is final, it fails, or is no longer watched where it is over already. */
function taken(state: AutoTxState, seen: Observation, { nonce, confirmations }: RuleFacts): Transition {
  const isOver = isFinal(state.status);
  const takenSince = state.takenSince ?? seen.head;
  const isNews = state.takenSince === null && !isOver;
  const news = isNews ? [note('NONCE_TAKEN', takenWords(nonce), seen.head)] : [];
  const next: AutoTxState = { ...state, takenSince, unseenSince: null };
  if (seen.head - takenSince + 1 < confirmations) return to(next, ...news);
  if (isOver) {
    const words = `${takenWords(nonce)}: it is no longer watched`;
    return to({ ...next, mayBeOut: false }, note('NONCE_TAKEN', words, seen.head));
  }
  const message = state.mayBeOut
    ? `${takenWords(nonce)}: most likely another one replaced it; look at the sender's account before you sign it again`
    : usedWords(nonce, seen.nextNonce);
  const failed = fail(next, { code: 'nonce_used', message }, seen.head);
  return to(failed.state, ...news, ...failed.notes);
}

/** Signed, and not submitted, or no node has it any more. */
export const isWaiting = ({ status }: { readonly status: string | null }) =>
  status === 'PENDING' || status === 'DISABLED';

/** A draft or a waiting one, which its owner may change. */
export const isChangeable = (state: AutoTxState) => state.status === 'DRAFT' || isWaiting(state);

const note = (kind: NoteKind, message: string, blockNumber: number | null = null): TimelineNote => ({
  kind,
  blockNumber,
  message,
});

const to = (state: AutoTxState, ...notes: readonly TimelineNote[]): Transition => ({ state, notes });

const fail = (state: AutoTxState, failure: Obstacle, blockNumber: number | null = null): Transition =>
  to(
    { ...state, status: 'FAILED', failure, hold: null, mayBeOut: false },
    note('FAILED', failure.message, blockNumber),
  );

/** A node took it, be it shown or not. */
function sent(state: AutoTxState, { now }: RuleFacts, node: string | null = null): Transition {
  if (state.sentAt === null) return to({ ...state, sentAt: now }, note('SENT', `${node ?? 'a node'} has it`));
  return state.unseenSince === null
    ? to(state)
    : to(state, note('RESENT', 'no node shows it: it was sent again'));
}

const goneWords = (blockNumber: number) =>
  `block ${blockNumber} is no longer part of the chain; it waits to be mined again`;

/** About two and a half minutes: no mainnet reorg since the Merge was deeper than seven blocks. */
const ETHEREUM = 12;
const SLOWEST_SEC = 12;
const LONGEST = 64;

/** Confirmations that make an outcome final: 12 on Ethereum, the same time elsewhere, one on development chains. */
export function confirmationsOf(chain: Pick<ChainProfile, 'id' | 'borrowsId' | 'feeRule'>): number {
  if (isDevelopmentChain(chain)) return 1;
  const sameTime = Math.round((ETHEREUM * SLOWEST_SEC) / chain.feeRule.blockTimeSec);
  return Math.min(Math.max(sameTime, ETHEREUM), LONGEST);
}
