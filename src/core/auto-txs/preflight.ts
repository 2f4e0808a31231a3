import type { DataFees } from '../data-fee.ts';
import { callDeadline, delegationWords, isTakenBack } from '../transactions/describe-call.ts';
import type { SignedTransaction } from '../transactions/signed-transaction.ts';
import { formatCount, formatDuration, utcMinute } from '../units.ts';
import {
  balanceCheck,
  blobCapCheck,
  capCheck,
  chainWords,
  costCheck,
  reachableCheck,
  UNREACHABLE_TARGET,
} from './costs.ts';
import {
  type AutoTxOrder,
  blocks,
  type Check,
  type Found,
  type KeptAutoTx,
  needs,
  passes,
  unknown,
  waits,
  warns,
} from './kept-auto-tx.ts';
import { type AutoTxState, type Obstacle, usedWords } from './state-machine.ts';

/** An auto-tx of the same sender with a lower nonce, which is sent first. */
interface WaitingBelow {
  readonly id: string;
  readonly nonce: number;
  /** `PENDING`, `DISABLED` or `SUBMITTED`. */
  readonly status: string;
}

/** The facts of a pre-flight; `null`: unknown. Wei as `bigint`; prices per gas. */
export interface PreflightFacts {
  readonly transaction: SignedTransaction;
  readonly order: AutoTxOrder;
  /** The target is the present price, because the user chose none. */
  readonly isTargetPresent?: boolean;
  /** Why this source cannot broadcast, see `cannotBroadcastReason` of target.ts; `null` when it can. */
  readonly cannotBroadcastReason?: string | null;
  readonly chainId: number;
  readonly chainName: string;
  readonly nativeSymbol: string;
  /** Dollars for one native coin. */
  readonly nativeUsd: number | null;
  /** The sender's next nonce: the number of its transactions on the chain. */
  readonly nextNonce: number | null;
  /** The same, including the node's pool. */
  readonly pendingNonce: number | null;
  readonly balance: bigint | null;
  readonly nextBaseFee: bigint | null;
  /** `null` also on chains without blobs. */
  readonly nextBlobBaseFee: bigint | null;
  readonly lanePrice: bigint | null;
  /** Ms since epoch. */
  readonly now: number;
  readonly waitingBelow: readonly WaitingBelow[];
  /** What the chain takes beside gas; left out: nothing. */
  readonly dataFees?: Pick<DataFees, 'parameters' | 'reason'>;
}

export const EXPIRY_MOST_MS = 366 * 86_400_000;

/** What holds back a transaction whose target is reached. Its cap is a part of the target. */
const HOLDS: readonly (readonly [check: string, words: string])[] = [
  ['nonce', 'the one with its nonce in the pool'],
  ['nonce-gap', 'the nonces below it'],
  ['balance', 'the balance'],
  ['blob-cap', 'the blob base fee'],
];

/** All checks of a transaction before it is sent, each with a line for people. Names and order are part of the contract. */
export function preflight(facts: PreflightFacts): Check[] {
  const { transaction, chainId } = facts;
  const found: Record<string, Found | null> = {
    chain: chainCheck(facts),
    signature: passes(`signed by ${transaction.from}`),
    [DELEGATION]: delegationCheck(facts),
    nonce: nonceCheck(facts),
    'nonce-gap': nonceGapCheck(facts),
    balance: balanceCheck(facts),
    cap: capCheck(facts),
    'blob-cap': transaction.blobCount === 0 ? null : blobCapCheck(facts),
    'intrinsic-gas': gasCheck(facts),
    expiry: expiryCheck(facts),
    deadline: deadlineCheck(facts),
  };
  const hold = HOLDS.find(([name]) => found[name]?.result === 'wait')?.[1] ?? null;
  found[REACHABLE] = reachableCheck(facts, hold);
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
const ANYWHERE: ReadonlySet<string> = new Set(['chain', 'signature', 'delegation', 'expiry', 'deadline']);

function nonceCheck({ transaction: { nonce }, nextNonce, pendingNonce }: PreflightFacts): Found {
  if (nextNonce === null) return unknown(`whether nonce ${nonce} is free is unknown`);
  if (nonce < nextNonce) return blocks('nonce_used', usedWords(nonce, nextNonce));
  if (pendingNonce !== null && nonce < pendingNonce) {
    // Perhaps from this very transaction, sent by a wallet.
    const message = `a transaction with nonce ${nonce} is in the node's pool already: only one of the two can be mined, so this one is not broadcast`;
    return needs('nonce_pending', message);
  }
  return passes(
    nonce === nextNonce
      ? `nonce ${nonce} is the sender's next`
      : `nonce ${nonce} is free; the sender's next is ${nextNonce}`,
  );
}

/** Checks that all lower nonces are used or pending. */
function nonceGapCheck({
  transaction: { nonce },
  nextNonce,
  pendingNonce,
  waitingBelow,
}: PreflightFacts): Found {
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
const LIST = new Intl.ListFormat('en-GB');

/** `5`, `5 and 6`, `5, 6 and 9 to 12`, `5, 7, 9 and more`. */
const listWords = (parts: readonly string[]) =>
  LIST.format(parts.length > LISTED_MOST ? [...parts.slice(0, LISTED_MOST), 'more'] : parts);

/** `auto-tx 4f (nonce 5)`, `auto-txs 4f (nonce 5) and 9a (nonce 6)`. */
const waitingWords = (waiting: readonly WaitingBelow[]) =>
  `${waiting.length === 1 ? 'auto-tx' : 'auto-txs'} ${listWords(waiting.map(({ id, nonce }) => `${id} (nonce ${nonce})`))}`;

/** The sender's live auto-txs with a nonce below `nonce`; `id`: its own when it is already stored, left out. */
export function waitingBelow(
  live: readonly KeptAutoTx[],
  { id, nonce }: { readonly id: string | null; readonly nonce: number },
): readonly WaitingBelow[] {
  return live.flatMap(({ id: other, signed, state }) =>
    other === id || signed === null || signed.nonce >= nonce
      ? []
      : [{ id: other, nonce: signed.nonce, status: isUnsent(state) ? 'PENDING' : state.status }],
  );
}

/** To be sent, but no node is known to have it: a pool would hold a later nonce back. */
const isUnsent = ({ status, sentAt, unseen, inclusion }: AutoTxState): boolean =>
  status === 'SUBMITTED' && inclusion === null && (sentAt === null || unseen > 0);

function chainCheck({ transaction, chainId, chainName }: PreflightFacts): Found {
  const here = chainWords(chainId, chainName);
  if (transaction.chainId === null) {
    const message =
      'it names no chain (it was signed without EIP-155): whoever sees it can send it on every other chain, too, and many nodes refuse it; sign it again with a chain id';
    return warns('any_chain', message);
  }
  if (transaction.chainId === chainId) return passes(`signed for ${here}`);
  return blocks('wrong_chain', `it is signed for ${chainWords(transaction.chainId)}, but this is ${here}`);
}

const EXPIRED = 'expired';

function expiryCheck({ order: { expiresAt }, now }: PreflightFacts): Found {
  if (expiresAt === null) return passes('it does not expire');
  const left = expiresAt - now;
  if (left <= 0) return blocks(EXPIRED, `it expired at ${utcMinute(expiresAt)}`);
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
): { readonly kind: 'go' } | { readonly kind: 'hold' | 'refuse'; readonly obstacle: Obstacle } {
  const { transaction, nextNonce, balance } = facts;
  const checks = preflight(facts);
  const expired = checks.find(({ code }) => code === EXPIRED);
  const blocked = checks.find((check) => check.result === 'block' && check !== expired);
  if (blocked !== undefined) return { kind: 'refuse', obstacle: obstacleOf(blocked) };
  if (expired !== undefined) return { kind: 'hold', obstacle: obstacleOf(expired) };
  if (nextNonce === null || balance === null) {
    const message = `no node tells the nonce and the balance of ${transaction.from}`;
    return { kind: 'hold', obstacle: { code: 'sender_unknown', message } };
  }
  const first = checks.find(({ name, result }) => result === 'wait' && name !== REACHABLE);
  return first === undefined ? { kind: 'go' } : { kind: 'hold', obstacle: obstacleOf(first) };
}

const obstacleOf = ({ name, code, message }: Check): Obstacle => ({ code: code ?? name, message });

/** The blocking checks, each with the request field that it concerns. */
export function problemsOf(checks: readonly Check[]) {
  return checks
    .filter(({ result }) => result === 'block')
    .map(({ name, code, message }) => ({
      message,
      path:
        name === 'expiry'
          ? 'expiresAt'
          : code === UNREACHABLE_TARGET
            ? 'targetGasPriceGwei'
            : 'signedTransaction',
    }));
}

/** EIP-7825 (since Osaka): maximum gas of one transaction. */
const MOST_GAS = 16_777_216n;
/** EIP-3860 (since Shanghai): maximum bytes of contract creation code. */
const MOST_INITCODE = 49_152;
/** Ethereum and its public test networks, which have Osaka; other chains have their own limits. */
const HAS_LIMITS: ReadonlySet<number> = new Set([1, 17_000, 560_048, 11_155_111]);

/** Checks that its gas limit and creation code fit into a block. */
function gasCheck({ transaction, chainId }: PreflightFacts): Found {
  const { gasLimit, intrinsicGas, to, data } = transaction;
  const hasLimits = HAS_LIMITS.has(chainId);
  if (gasLimit < intrinsicGas) {
    const message = `its ${limitWords(gasLimit)} is below the ${count(intrinsicGas)} of its intrinsic gas: it can never be included; sign it again with more`;
    return blocks('gas_too_low', message);
  }
  if (hasLimits && gasLimit > MOST_GAS) {
    const message = `its ${limitWords(gasLimit)} is above the ${count(MOST_GAS)} that a transaction may have (EIP-7825): it can never be included; sign it again with less`;
    return blocks('gas_too_high', message);
  }
  const bytes = data.length / 2 - 1;
  if (hasLimits && to === null && bytes > MOST_INITCODE) {
    const message = `it makes a contract from ${formatCount(bytes)} bytes of code, and ${formatCount(MOST_INITCODE)} are the most (EIP-3860): it can never be included; make it shorter and sign it again`;
    return blocks('code_too_long', message);
  }
  return passes(`its ${limitWords(gasLimit)} covers its intrinsic gas of ${count(intrinsicGas)}`);
}

const limitWords = (gasLimit: bigint) => `gas limit of ${count(gasLimit)}`;

const count = (gas: bigint) => formatCount(Number(gas));

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

const REACHABLE = 'reachable';
const DELEGATION = 'delegation';

/** Names the accounts that it delegates to code (EIP-7702); never stops a send; `null` for other types. */
function delegationCheck({ transaction, chainId }: PreflightFacts): Found | null {
  if (transaction.type !== 4) return null;
  const { authorizations } = transaction;
  const words = delegationWords({ authorizations, chainId });
  if (words === null) {
    return unknown('it delegates accounts to code (EIP-7702): which ones is unknown');
  }
  const delegated = authorizations.filter((each) => !isTakenBack(each));
  if (delegated.length === 0) return passes(`it ${words}`);
  const everywhere = delegated.filter(({ chainId }) => chainId === 0).length;
  if (everywhere === 0) return unknown(`it ${words}: make sure that you trust this code`);
  const count = authorizations.length;
  const which = count === 1 ? '' : `; ${everywhere} of ${count} on every chain`;
  const message = `it ${words}${which}: whoever sees it can use it on any other chain, too; sign it for one chain`;
  return warns('delegates_everywhere', message);
}

/** Authorizations are not stored: checks that are repeated without them keep the earlier finding. */
export function withKeptDelegation(checks: readonly Check[], before: readonly Check[]): Check[] {
  const kept = before.find((check) => check.name === DELEGATION);
  return checks.map((check) => (check.name === DELEGATION ? (kept ?? check) : check));
}
