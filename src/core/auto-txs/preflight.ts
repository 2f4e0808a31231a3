import { chainProfile, describeChain } from '../chains.ts';
import {
  authorizationWithoutEffect,
  callDeadline,
  delegationWords,
  isTakenBack,
} from '../transactions/describe-call.ts';
import { formatDuration, utcMinute } from '../units.ts';
import {
  blocks,
  type Check,
  type Found,
  HOLDS,
  isHoldUnknown,
  needs,
  passes,
  unknown,
  waits,
  warns,
} from './check.ts';
import { type GasFacts, gasCheck } from './gas-check.ts';
import type { AutoTxOrder } from './order.ts';
import {
  balanceCheck,
  blobCapCheck,
  capCheck,
  costCheck,
  type PriceFacts,
  reachableCheck,
} from './price-checks.ts';
import { type AutoTxState, type AutoTxStatus, type Obstacle, usedWords } from './state-machine.ts';
import type { StoredAutoTx } from './stored-auto-tx.ts';

/** A live auto-tx, as others of its sender see it. */
interface LiveAutoTx<Status extends string = string> {
  readonly id: string;
  readonly nonce: number;
  /** `PENDING` also where it was submitted, but no node is known to have it. */
  readonly status: Status;
}

/** The facts of a pre-flight; `null`: unknown. Times in ms since epoch. */
export interface PreflightFacts extends PriceFacts {
  readonly order: AutoTxOrder;
  /** Its signed bytes are encrypted with a key that the service does not have. */
  readonly isKeyMissing?: boolean;
  /** It is not broadcast before the user enables it. */
  readonly isDisabled?: boolean;
  readonly chainId: number;
  /** `null`: the service does not say which chain it is for, and `chainId` is assumed. */
  readonly chainName: string | null;
  /** The sender's next nonce: the number of its transactions on the chain. */
  readonly nextNonce: number | null;
  /** The same, including the node's pool. */
  readonly pendingNonce: number | null;
  readonly now: number;
  /** Those of the same sender with a lower nonce, which are sent first. */
  readonly waitingBelow: readonly LiveAutoTx[];
  /** An auto-tx of the same sender with the same nonce. */
  readonly rivalId?: string | undefined;
  readonly gas: GasFacts;
}

export const EXPIRY_MOST_MS = 366 * 86_400_000;

/** A backup without its key, or a process with another one. */
export const KEY_GONE: Obstacle = {
  code: 'key_gone',
  message:
    'its signed bytes are encrypted with a key that is not here: it is broadcast once that is back; if it is lost, cancel it and schedule it again',
};

const keyCheck = needs(KEY_GONE.code, KEY_GONE.message);

/** The checks of one whose key is not here, and of which no decision says so yet. */
export function withKeyCheck(checks: readonly Check[]): readonly Check[] {
  const others = checks.filter(({ name }) => name !== 'key');
  const after = others.findIndex(({ name }) => name === 'signature') + 1;
  return others.toSpliced(after, 0, { name: 'key', ...keyCheck });
}

/** All checks of a transaction before it is sent, each with a line for people. Names and order are part of the contract. */
export function preflight(facts: PreflightFacts): Check[] {
  const { transaction, chainId } = facts;
  const found: Record<string, Found | null> = {
    chain: chainCheck(facts),
    signature: passes(`signed by ${transaction.from}`),
    key: facts.isKeyMissing ? keyCheck : null,
    delegation: delegationCheck(facts),
    nonce: nonceCheck(facts),
    'nonce-gap': nonceGapCheck(facts),
    balance: balanceCheck(facts),
    cap: capCheck(facts.order, transaction, facts.nextBaseFee),
    'blob-cap': transaction.blobCount === 0 ? null : blobCapCheck(facts),
    'intrinsic-gas': gasCheck(facts),
    expiry: expiryCheck(facts),
    deadline: deadlineCheck(facts),
  };
  const waitsFor = [...HOLDS].find(([name]) => found[name]?.result === 'wait')?.[1] ?? null;
  const hold = facts.isDisabled ? 'you to enable it' : waitsFor;
  const made = Object.entries(found).flatMap(([name, each]) => (each === null ? [] : [{ name, ...each }]));
  found.reachable = facts.isTargetPresent ? null : reachableCheck(facts, hold, !isHoldUnknown(made));
  found.cost = costCheck(facts);
  const isForAnotherChain = transaction.chainId !== null && transaction.chainId !== chainId;
  return Object.entries(found).flatMap(([name, each]) => {
    if (each === null) return [];
    // This chain's account and prices say nothing of it.
    const isSkipped = isForAnotherChain && !ANYWHERE.has(name);
    return [{ name, ...(isSkipped ? unknown('not checked: it is for another chain') : each) }];
  });
}

/** Checks that are valid on any chain. */
const ANYWHERE: ReadonlySet<string> = new Set([
  'chain',
  'signature',
  'key',
  'delegation',
  'expiry',
  'deadline',
]);

function nonceCheck({ transaction: { nonce }, nextNonce, pendingNonce, rivalId }: PreflightFacts): Found {
  if (nextNonce === null) return unknown(`whether nonce ${nonce} is free is unknown`);
  if (nonce < nextNonce) return blocks('nonce_used', usedWords(nonce, nextNonce));
  if (pendingNonce !== null && nonce < pendingNonce) {
    // Perhaps from this very transaction, sent by a wallet.
    const message = `a transaction with nonce ${nonce} is in the node's pool already: only one of the two can be mined, so this one is not broadcast`;
    return needs('nonce_pending', message);
  }
  if (rivalId !== undefined) {
    const message = `auto-tx ${rivalId} of the same sender has nonce ${nonce}, too, and only one of them can be mined: cancel that one first, or sign with another nonce`;
    return blocks('same_nonce', message);
  }
  return passes(
    nonce === nextNonce
      ? `nonce ${nonce} is the sender's next`
      : `nonce ${nonce} is free; the sender's next is ${nextNonce}`,
  );
}

/** Checks that all lower nonces are used or pending. */
function nonceGapCheck({ transaction, nextNonce, pendingNonce, waitingBelow }: PreflightFacts): Found {
  const { nonce } = transaction;
  if (nextNonce === null) return unknown(`whether nonces below ${nonce} are missing is unknown`);
  let next = Math.max(nextNonce, pendingNonce ?? nextNonce);
  const below = waitingBelow
    .filter((each) => each.nonce >= next && each.nonce < nonce)
    .toSorted((one, other) => one.nonce - other.nonce);
  const missing: string[] = [];
  for (const known of [...below.map((each) => each.nonce), nonce]) {
    if (known > next) missing.push(known === next + 1 ? `${next}` : `${next} to ${known - 1}`);
    next = Math.max(next, known + 1);
  }
  const waiting = below.filter(({ status }) => status !== 'SUBMITTED');
  if (missing.length > 0) {
    const also = waiting.length === 1 ? 'comes' : 'come';
    const rest = waiting.length === 0 ? '' : `; ${waitingWords(waiting)} also ${also} before it`;
    const isOne = missing.length === 1 && !missing[0]?.includes(' ');
    const words = isOne
      ? `nonce ${missing[0]} is missing: send a transaction with that nonce first`
      : `nonces ${listWords(missing)} are missing: send transactions with those first`;
    return needs('nonce_gap', `${words}${rest}`);
  }
  const disabled = waiting.filter(({ status }) => status === 'DISABLED');
  if (disabled.length > 0) {
    return needs('nonce_order', `it waits for ${waitingWords(disabled)}, which is disabled`);
  }
  if (waiting.length > 0) return waits('nonce_order', `it is broadcast after ${waitingWords(waiting)}`);
  return passes('no nonce below it is missing');
}

const LISTED_MOST = 3;

/** `5`, `5 and 6`, `5, 6 and 9 to 12`, `5, 7, 9 and more`. */
function listWords(parts: readonly string[]): string {
  const listed = parts.length > LISTED_MOST ? [...parts.slice(0, LISTED_MOST), 'more'] : parts;
  const first = listed.slice(0, -1).join(', ');
  const last = listed.at(-1) ?? '';
  return first === '' ? last : `${first} and ${last}`;
}

/** `auto-tx 4f (nonce 5)`, `auto-txs 4f (nonce 5) and 9a (nonce 6)`. */
const waitingWords = (waiting: readonly LiveAutoTx[]) =>
  `${waiting.length === 1 ? 'auto-tx' : 'auto-txs'} ${listWords(waiting.map(({ id, nonce }) => `${id} (nonce ${nonce})`))}`;

/** A sender's live auto-txs for its checks, by nonce as given. */
export const liveForChecks = (live: readonly StoredAutoTx[]): readonly LiveAutoTx<AutoTxStatus>[] =>
  live.flatMap(({ id, signed, state }) =>
    signed === null ? [] : [{ id, nonce: signed.nonce, status: isUnsent(state) ? 'PENDING' : state.status }],
  );

/** To be sent, but no node is known to have it: a pool would hold a later nonce back. */
const isUnsent = ({ status, sentAt, unseenSince, inclusion }: AutoTxState): boolean =>
  status === 'SUBMITTED' && inclusion === null && (sentAt === null || unseenSince !== null);

function chainCheck({ transaction, chainId, chainName }: PreflightFacts): Found {
  if (chainName === null) return unknown('unknown: the service does not say which chain it is for');
  const here = describeChain({ id: chainId, name: chainName });
  if (transaction.chainId === null) {
    const message =
      'it names no chain (it was signed without EIP-155): anyone who sees it can send it on every other chain, too, and many nodes refuse it; sign it again with a chain id';
    return warns('any_chain', message);
  }
  if (transaction.chainId === chainId) return passes(`signed for ${here}`);
  const there = describeChain(chainProfile(transaction.chainId));
  return blocks('wrong_chain', `it is signed for ${there}, but this is ${here}`);
}

function expiryCheck({ order: { expiresAt }, now }: PreflightFacts): Found {
  if (expiresAt === null) return passes('it does not expire');
  const left = expiresAt - now;
  if (left <= 0) return blocks('expired', `it expired at ${utcMinute(expiresAt)}`);
  if (left > EXPIRY_MOST_MS) {
    return blocks('expiry_too_far', `it may expire in ${EXPIRY_MOST_MS / 86_400_000} days at most`);
  }
  return passes(`it expires at ${utcMinute(expiresAt)}, in ${formatDuration(left / 1_000)}`);
}

/**
 * Decides just before sending; the caller has checked the target. An unknown fact holds it back, except the next block's
 * fees, which the node judges. `nonce_used` also results when its own bytes were mined: the caller looks for them first.
 */
export function verdict(
  facts: PreflightFacts,
  checks: readonly Check[] = preflight(facts),
): { readonly kind: 'go' } | { readonly kind: 'hold' | 'refuse'; readonly obstacle: Obstacle } {
  const { transaction, nextNonce, balance } = facts;
  const expired = checks.find(({ code }) => code === 'expired');
  const isRule = ({ name }: Check) => name === 'intrinsic-gas';
  const blocked = checks.filter((check) => check.result === 'block' && check !== expired);
  const final = blocked.find((check) => !isRule(check));
  if (final !== undefined) return { kind: 'refuse', obstacle: obstacleOf(final) };
  // It was enough when it was signed. Rules change with a fork, and a reorg takes that back: they end nothing.
  const rule = blocked.find(isRule);
  const isTaken = checks.some(({ name, result }) => name === 'nonce' && result === 'wait');
  if (rule !== undefined && !isTaken) return { kind: 'hold', obstacle: obstacleOf(rule) };
  if (expired !== undefined) return { kind: 'hold', obstacle: obstacleOf(expired) };
  if (nextNonce === null || balance === null) {
    const message = `no node tells the nonce and the balance of ${transaction.from}`;
    return { kind: 'hold', obstacle: { code: 'sender_unknown', message } };
  }
  const first = checks.find(({ name, result }) => result === 'wait' && name !== 'reachable');
  return first === undefined ? { kind: 'go' } : { kind: 'hold', obstacle: obstacleOf(first) };
}

const obstacleOf = ({ name, code, message }: Check): Obstacle => ({ code: code ?? name, message });

/** Why its gas is refused by the rules of the next block, by its checks; `null`: it is not. */
export function gasObstacleOf(checks: readonly Check[]): Obstacle | null {
  const check = checks.find(({ name, result }) => name === 'intrinsic-gas' && result === 'block');
  return check === undefined ? null : obstacleOf(check);
}

/** The request field that a blocking check concerns, if that is not the signed transaction. */
const FIELDS: Readonly<Record<string, string>> = {
  expired: 'expiresAt',
  expiry_too_far: 'expiresAt',
  unreachable_target: 'targetGasPriceGwei',
};

/** The blocking checks, each with the request field that it concerns. */
export const problemsOf = (checks: readonly Check[]) =>
  checks
    .filter(({ result }) => result === 'block')
    .map(({ code, message }) => ({ message, path: FIELDS[code ?? ''] ?? 'signedTransaction' }));

/** Checks that the call's deadline is not before its expiry; `null` for a call without a deadline. */
function deadlineCheck({ transaction, order, now }: PreflightFacts): Found | null {
  const at = callDeadline(transaction.data, transaction.to);
  if (at === null) return null;
  if (at < now) {
    const message = `the deadline of its call was ${utcMinute(at)}: it would revert; sign it again with a later deadline`;
    return blocks('deadline_past', message);
  }
  const until = `the deadline of its call is ${utcMinute(at)}, in ${formatDuration((at - now) / 1_000)}`;
  if (order.expiresAt !== null && order.expiresAt <= at) return passes(`${until}; it expires before that`);
  return unknown(`${until}: it fails if its target is reached later than that`);
}

/** Names the accounts that it delegates to code (EIP-7702); never stops a send; `null` for other types. */
function delegationCheck({ transaction, chainId }: PreflightFacts): Found | null {
  if (transaction.type !== 4) return null;
  const { authorizations } = transaction;
  const words = delegationWords({ authorizations, chainId });
  if (words === null) {
    return unknown('it delegates accounts to code (EIP-7702): which ones is unknown');
  }
  const ignored = authorizationWithoutEffect(transaction, chainId);
  if (ignored !== null) {
    const { nonce, expected } = ignored;
    const message = `it ${words}: the authorization of the sender has nonce ${nonce} and no effect, because by then the sender's next is ${expected}; sign it with nonce ${expected}`;
    return warns('delegation_without_effect', message);
  }
  const delegated = authorizations.filter((each) => !isTakenBack(each));
  if (delegated.length === 0) return passes(`it ${words}`);
  const everywhere = delegated.filter(({ chainId }) => chainId === 0).length;
  if (everywhere === 0) return unknown(`it ${words}: make sure that you trust this code`);
  const count = authorizations.length;
  const which = count === 1 ? '' : `; ${everywhere} of ${count} on every chain`;
  const message = `it ${words}${which}: anyone who sees it can use it on any other chain, too; sign it for one chain`;
  return warns('delegates_everywhere', message);
}

/** Authorizations are not stored: checks that are repeated without them keep the earlier finding. */
export function withEarlierDelegation(checks: readonly Check[], before: readonly Check[]): Check[] {
  const earlier = before.find(({ name }) => name === 'delegation');
  return checks.map((check) => (check.name === 'delegation' ? (earlier ?? check) : check));
}
