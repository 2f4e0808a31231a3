import { callDeadline, delegationWords, isTakenBack } from '../transactions/describe-call.ts';
import type { SignedTransaction } from '../transactions/signed-transaction.ts';
import { formatCount, formatDuration, utcMinute } from '../units.ts';
import { balanceCheck, blobCapCheck, capCheck, chainWords, costCheck, reachableCheck } from './costs.ts';
import type { AutoTxOrder, Check } from './kept-auto-tx.ts';
import { nonceCheck, nonceGapCheck } from './nonces.ts';
import type { Obstacle } from './state-machine.ts';

/** An auto-tx of the same sender with a lower nonce, which goes out first. */
export interface WaitingBelow {
  readonly id: string;
  readonly nonce: number;
  /** `PENDING`, `DISABLED` or `SUBMITTED`. */
  readonly status: string;
}

/** The facts of a pre-flight; `null`: unknown. Wei as `bigint`, per gas where it is a price. */
export interface PreflightFacts {
  readonly transaction: SignedTransaction;
  readonly order: AutoTxOrder;
  /** The target is only the present price: no target was chosen. */
  readonly isTargetPresent?: boolean;
  /** Why nothing can be sent from here: see `cannotBroadcastReason` of target.ts; `null`: something can. */
  readonly cannotBroadcastReason?: string | null;
  /** The chain that it is to be sent on. */
  readonly chainId: number;
  readonly chainName: string;
  readonly nativeSymbol: string;
  /** Dollars for one native coin. */
  readonly nativeUsd: number | null;
  /** The sender's next nonce: how many of its transactions the chain has. */
  readonly nextNonce: number | null;
  /** The same with those in the node's pool. */
  readonly pendingNonce: number | null;
  readonly balance: bigint | null;
  readonly nextBaseFee: bigint | null;
  /** `null` also where the chain has no blobs. */
  readonly nextBlobBaseFee: bigint | null;
  /** Of the lane that the order names. */
  readonly lanePrice: bigint | null;
  /** Ms since epoch. */
  readonly now: number;
  readonly waitingBelow: readonly WaitingBelow[];
}

/** A check with what it means for sending. */
interface Finding extends Check {
  /** Why it is not sent now, for programs; `null`: this check stops nothing. */
  readonly code: string | null;
  /** Waiting does not help. */
  readonly permanent: boolean;
}

/** A finding without its name. */
export type Found = Omit<Finding, 'name'>;

/** A line that stops nothing, whatever it says. */
export const told = (ok: boolean | null, message: string): Found => ({
  ok,
  message,
  code: null,
  permanent: false,
});

/** A problem that may pass. */
export const stops = (code: string, message: string): Found => ({
  ok: false,
  message,
  code,
  permanent: false,
});

/** A problem that stays. */
export const never = (code: string, message: string): Found => ({
  ok: false,
  message,
  code,
  permanent: true,
});

/** How far ahead an auto-tx may expire. */
export const EXPIRY_MOST_MS = 366 * 86_400_000;

/**
 * All checks of a transaction before it is sent, each with a line that a person understands. The names and
 * their order are the contract's: chain, signature, delegation (of type 4), nonce, nonce-gap, balance, cap, blob-cap (of
 * blob transactions), intrinsic-gas, expiry, deadline (of calls that have one), reachable, cost.
 */
export const preflight = (facts: PreflightFacts): Check[] =>
  findings(facts).map(({ name, ok, message }) => ({ name, ok, message }));

function findings(facts: PreflightFacts): Finding[] {
  const { transaction, chainId } = facts;
  const all = Object.entries<Found | null>({
    chain: chainCheck(facts),
    signature: told(true, `signed by ${transaction.from}`),
    [DELEGATION]: delegationCheck(facts),
    nonce: nonceCheck(facts),
    'nonce-gap': nonceGapCheck(facts),
    balance: balanceCheck(facts),
    cap: capCheck(facts),
    'blob-cap': transaction.blobCount === 0 ? null : blobCapCheck(facts),
    'intrinsic-gas': gasCheck(facts),
    expiry: expiryCheck(facts),
    deadline: deadlineCheck(facts),
    reachable: reachableCheck(facts),
    cost: costCheck(facts),
  }).flatMap(([name, found]) => (found === null ? [] : [{ name, ...found }]));
  const isForAnotherChain = transaction.chainId !== null && transaction.chainId !== chainId;
  return isForAnotherChain ? all.map(unasked) : all;
}

/** Checks that hold on any chain. */
const ANYWHERE: ReadonlySet<string> = new Set(['chain', 'signature', 'delegation', 'expiry', 'deadline']);

/** This chain's account and prices do not apply to a transaction for another one. */
const unasked = (finding: Finding): Finding =>
  ANYWHERE.has(finding.name)
    ? finding
    : { name: finding.name, ...told(null, 'not asked: it is for another chain') };

function chainCheck({ transaction, chainId, chainName }: PreflightFacts): Found {
  const here = chainWords(chainId, chainName);
  if (transaction.chainId === null) {
    const message =
      'it names no chain (it was signed without EIP-155): whoever sees it can send it on every other chain, too, and many nodes refuse it; sign it again with a chain id';
    return told(false, message);
  }
  if (transaction.chainId === chainId) return told(true, `signed for ${here}`);
  return never('wrong_chain', `it is signed for ${chainWords(transaction.chainId)}, but this is ${here}`);
}

function expiryCheck({ order: { expiresAt }, now }: PreflightFacts): Found {
  if (expiresAt === null) return told(true, 'it waits until its target is reached, however long that takes');
  const left = expiresAt - now;
  if (left <= 0) return stops('expired', `its time was over at ${utcMinute(expiresAt)}`);
  if (left > EXPIRY_MOST_MS) return told(false, `it may wait ${EXPIRY_MOST_MS / 86_400_000} days at most`);
  const message = `it waits until ${utcMinute(expiresAt)} at most, ${formatDuration(left / 1_000)} from now`;
  return told(true, message);
}

/** The decision on a transaction whose target is reached. */
export type Verdict =
  | { readonly kind: 'go' }
  /** An obstacle that may pass. */
  | { readonly kind: 'hold'; readonly obstacle: Obstacle }
  /** It can never be mined. */
  | { readonly kind: 'refuse'; readonly obstacle: Obstacle };

/**
 * For the moment before it is sent; whether the target is reached is checked elsewhere. An unknown fact holds it back, except
 * the fees of the next block: a node judges those itself.
 *
 * `nonce_used` is also the result for its own bytes once they are mined: the caller looks for them on the chain first where a
 * node may have them, or a wallet may have sent them.
 */
export function verdict(facts: PreflightFacts): Verdict {
  const { transaction, nextNonce, balance } = facts;
  const stopping = findings(facts).filter((finding) => finding.code !== null);
  const permanent = stopping.find((finding) => finding.permanent);
  if (permanent !== undefined) return { kind: 'refuse', obstacle: obstacleOf(permanent) };
  const expiry = stopping.find(({ name }) => name === 'expiry');
  if (expiry !== undefined) return { kind: 'hold', obstacle: obstacleOf(expiry) };
  if (nextNonce === null || balance === null) {
    const message = `no node says what ${transaction.from} has sent and has`;
    return { kind: 'hold', obstacle: { code: 'sender_unknown', message } };
  }
  const [first] = stopping;
  return first === undefined ? { kind: 'go' } : { kind: 'hold', obstacle: obstacleOf(first) };
}

const obstacleOf = ({ name, code, message }: Finding): Obstacle => ({ code: code ?? name, message });

/** A reason to refuse a new auto-tx: no waiting could help. */
export interface CreationProblem {
  readonly code: string;
  /** The field of the request that it is about. */
  readonly path: 'signedTransaction' | 'expiresAt';
  readonly message: string;
}

/** Empty: it is taken, whatever the other checks say. */
export function creationProblems(facts: PreflightFacts): readonly CreationProblem[] {
  return findings(facts).flatMap((finding): CreationProblem[] => {
    const { name, ok, message, permanent } = finding;
    if (name === 'expiry') return ok === false ? [{ code: name, path: 'expiresAt', message }] : [];
    // A call past its deadline is taken, and fails when its target is reached.
    if (!permanent || name === 'deadline') return [];
    return [{ ...obstacleOf(finding), path: 'signedTransaction' }];
  });
}

/** EIP-7825 (since Osaka): the most gas of one transaction. */
const MOST_GAS = 16_777_216n;
/** EIP-3860 (since Shanghai): the most bytes of code that make a contract. */
const MOST_INITCODE = 49_152;
/** Ethereum and its public test networks, which have Osaka; other chains have limits of their own. */
const HAS_LIMITS: ReadonlySet<number> = new Set([1, 17_000, 560_048, 11_155_111]);

/** Whether a block can take its gas limit and what it makes a contract from. */
function gasCheck({ transaction, chainId }: PreflightFacts): Found {
  const { gasLimit, intrinsicGas, to, data } = transaction;
  const hasLimits = HAS_LIMITS.has(chainId);
  if (gasLimit < intrinsicGas) {
    const message = `its ${limitWords(gasLimit)} is below the ${count(intrinsicGas)} that it takes to begin with: no block takes it; sign it again with more`;
    return never('gas_too_low', message);
  }
  if (hasLimits && gasLimit > MOST_GAS) {
    const message = `its ${limitWords(gasLimit)} is above the ${count(MOST_GAS)} that a transaction may have (EIP-7825): no block takes it; sign it again with less`;
    return never('gas_too_high', message);
  }
  const bytes = data.length / 2 - 1;
  if (hasLimits && to === null && bytes > MOST_INITCODE) {
    const message = `it makes a contract from ${formatCount(bytes)} bytes of code, and ${formatCount(MOST_INITCODE)} are the most (EIP-3860): no block takes it; make it shorter and sign it again`;
    return never('code_too_long', message);
  }
  return told(
    true,
    `its ${limitWords(gasLimit)} covers the ${count(intrinsicGas)} that it takes to begin with`,
  );
}

const limitWords = (gasLimit: bigint) => `gas limit of ${count(gasLimit)}`;

const count = (gas: bigint) => formatCount(Number(gas));

/** Checks that the call's deadline is as late as it may wait; `null`: a call without a deadline. */
function deadlineCheck({ transaction, order, now }: PreflightFacts): Found | null {
  const deadline = callDeadline(transaction.data, transaction.to);
  if (deadline === null) return null;
  if (deadline.kind === 'far') {
    const message =
      'the deadline of what it calls is written in milliseconds, where seconds belong: it is as good as none';
    return told(true, message);
  }
  const { at } = deadline;
  // It would be mined and revert.
  if (at < now) {
    const message = `what it calls was good until ${utcMinute(at)}: mined later it only costs gas; sign it again with a later deadline`;
    return never('deadline_past', message);
  }
  const until = `what it calls is good until ${utcMinute(at)}, ${formatDuration((at - now) / 1_000)} from now`;
  if (order.expiresAt !== null && order.expiresAt <= at) {
    return told(true, `${until}, and it waits no longer than that`);
  }
  const message = `${until}, and it may have to wait longer: whether its target is reached by then could not be told; it is not sent after that`;
  return told(null, message);
}

const DELEGATION = 'delegation';

/** Names the accounts that it delegates to code (EIP-7702), and never stops a send; `null` of other types. */
function delegationCheck({
  transaction,
  chainId,
}: Pick<PreflightFacts, 'transaction' | 'chainId'>): Found | null {
  if (transaction.type !== 4) return null;
  const { authorizations } = transaction;
  const words = delegationWords({ authorizations, chainId });
  if (words === null) {
    const message = 'it hands accounts over to code (EIP-7702): which ones could not be told';
    return told(null, message);
  }
  const handedOver = authorizations.filter((each) => !isTakenBack(each));
  if (handedOver.length === 0) return told(true, `it ${words}`);
  const everywhere = handedOver.filter(({ chainId }) => chainId === 0).length;
  if (everywhere === 0) {
    return told(null, `it ${words}: make sure that you trust this code`);
  }
  const count = authorizations.length;
  const which = count === 1 ? '' : `; ${everywhere} of ${count} on every chain`;
  const message = `it ${words}${which}: whoever sees it can use it on any other chain, too; sign it for one chain`;
  return told(false, message);
}

/** Authorizations are not stored: checks that are made again without them keep the earlier finding. */
export function withKeptDelegation(checks: readonly Check[], before: readonly Check[]): Check[] {
  const kept = before.find((check) => check.name === DELEGATION);
  return checks.map((check) => (check.name === DELEGATION ? (kept ?? check) : check));
}
