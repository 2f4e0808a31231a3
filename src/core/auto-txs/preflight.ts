import { callDeadline } from '../transactions/call-deadline.ts';
import { delegationWords, isTakenBack } from '../transactions/delegation-words.ts';
import type { SignedTransaction } from '../transactions/signed-transaction.ts';
import { formatCount, formatDuration } from '../units.ts';
import { utcMinute } from '../utc-minute.ts';
import { capObstacle, chainWords, lackWords, moneyChecks, mostItTakes, reachableCheck } from './costs.ts';
import type { AutoTxOrder, Check } from './kept-auto-tx.ts';
import { inPoolWords, missingWords, nonceChecks, noncesBefore, usedWords, waitingWords } from './nonces.ts';
import type { Obstacle } from './state-machine.ts';

/** An auto-tx of the same sender with a lower nonce, which goes out first. */
export interface WaitingBelow {
  readonly id: string;
  readonly nonce: number;
  /** `PENDING`, `DISABLED` or `SUBMITTED`. */
  readonly status: string;
}

/** What a pre-flight is made from. What nobody knows is `null`. Wei as `bigint`, per gas where it is a price. */
export interface PreflightFacts {
  readonly transaction: SignedTransaction;
  readonly order: AutoTxOrder;
  /** Nobody chose the target: it stands for the present price, and there is none to reach. */
  readonly isTargetPresent?: boolean;
  /** Why nothing can be sent from here: see `takes-none.ts`; `null`: something can. */
  readonly takesNone?: string | null;
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

/** How far ahead an auto-tx may expire. */
export const EXPIRY_MOST_MS = 366 * 86_400_000;

/**
 * Everything that can be told of a transaction before it is sent, each a line that a person understands. The names and
 * their order are the contract's: chain, signature, delegation (of type 4), nonce, nonce-gap, balance, cap, blob-cap (of blob transactions),
 * intrinsic-gas, expiry, deadline (of calls that have one), reachable, cost. What is to be done about it is for `verdict.ts` to say.
 */
export function preflight(facts: PreflightFacts): Check[] {
  const { balance, cap, cost } = moneyChecks(facts);
  const checks = [
    chainCheck(facts),
    signatureCheck(facts),
    ...delegationCheck(facts),
    ...nonceChecks(facts),
    balance,
    ...cap,
    gasCheck(facts),
    expiryCheck(facts),
    ...deadlineCheck(facts),
    reachableCheck(facts),
    cost,
  ];
  return isForAnotherChain(facts) ? checks.map(unasked) : checks;
}

/** What holds of it on whatever chain. */
const ANYWHERE: ReadonlySet<string> = new Set(['chain', 'signature', 'delegation', 'expiry', 'deadline']);

/** This chain's account and prices say nothing of what is for another one. */
const unasked = (check: Check): Check =>
  ANYWHERE.has(check.name)
    ? check
    : { name: check.name, ok: null, message: 'not asked: it is for another chain' };

const isForAnotherChain = ({
  transaction,
  chainId,
}: Pick<PreflightFacts, 'transaction' | 'chainId'>): boolean =>
  transaction.chainId !== null && transaction.chainId !== chainId;

function chainCheck({ transaction, chainId, chainName }: PreflightFacts): Check {
  const name = 'chain';
  const here = chainWords(chainId, chainName);
  if (transaction.chainId === null) {
    const message =
      'it names no chain (it was signed without EIP-155): whoever sees it can send it on every other chain, too, and many nodes refuse it; sign it again with a chain id';
    return { name, ok: false, message };
  }
  if (transaction.chainId === chainId) return { name, ok: true, message: `signed for ${here}` };
  const message = `it is signed for ${chainWords(transaction.chainId)}, but this is ${here}`;
  return { name, ok: false, message };
}

function signatureCheck({ transaction: { from } }: PreflightFacts): Check {
  return { name: 'signature', ok: true, message: `signed by ${from}` };
}

function expiryCheck({ order: { expiresAt }, now }: PreflightFacts): Check {
  const name = 'expiry';
  if (expiresAt === null) {
    return { name, ok: true, message: 'it waits until its target is reached, however long that takes' };
  }
  const left = expiresAt - now;
  if (left <= 0) return { name, ok: false, message: `its time was over at ${utcMinute(expiresAt)}` };
  if (left > EXPIRY_MOST_MS) {
    return { name, ok: false, message: `it may wait ${EXPIRY_MOST_MS / 86_400_000} days at most` };
  }
  const message = `it waits until ${utcMinute(expiresAt)} at most, ${formatDuration(left / 1_000)} from now`;
  return { name, ok: true, message };
}

/** What is to be done with one whose target is reached. */
export type Verdict =
  | { readonly kind: 'go' }
  /** Something is in the way that may go away. */
  | { readonly kind: 'hold'; readonly obstacle: Obstacle }
  /** It can never be mined. */
  | { readonly kind: 'refuse'; readonly obstacle: Obstacle };

/**
 * For the moment before it is sent. Whether the target is reached is not asked here. What nobody knows holds it, but for
 * the fees of the next block: a node judges those itself.
 *
 * `nonce_used` is also what its own bytes say once they are mined: whoever gets it looks at the chain first where they may
 * be out, or where a wallet may have sent them.
 */
export function verdict(facts: PreflightFacts): Verdict {
  const [hopeless] = hopelessness(facts);
  if (hopeless !== undefined) return { kind: 'refuse', obstacle: hopeless };
  // It would be mined, and be for nothing.
  const past = deadlineObstacle(facts);
  if (past !== null) return { kind: 'refuse', obstacle: past };
  const obstacle = obstacleNow(facts);
  return obstacle === null ? { kind: 'go' } : { kind: 'hold', obstacle };
}

/** Why no block of this chain will ever take it: nothing that waiting could mend. */
function hopelessness(facts: PreflightFacts): readonly Obstacle[] {
  const obstacles: Obstacle[] = [];
  const { transaction, nextNonce } = facts;
  const { nonce } = transaction;
  // Nothing else of this chain is about it.
  if (isForAnotherChain(facts)) return [{ code: 'wrong_chain', message: messageOf(facts, 'chain') }];
  if (nextNonce !== null && nonce < nextNonce) {
    obstacles.push({ code: 'nonce_used', message: usedWords(nonce, nextNonce) });
  }
  const gas = gasObstacle(facts);
  return gas === null ? obstacles : [...obstacles, gas];
}

function obstacleNow(facts: PreflightFacts): Obstacle | null {
  const { transaction, order, balance, nextNonce, pendingNonce, now } = facts;
  const { nonce } = transaction;
  if (order.expiresAt !== null && order.expiresAt <= now) {
    return { code: 'expired', message: messageOf(facts, 'expiry') };
  }
  const before = noncesBefore(facts);
  if (before === null || nextNonce === null || balance === null) {
    return { code: 'sender_unknown', message: `no node says what ${transaction.from} has sent and has` };
  }
  if (pendingNonce !== null && nonce < pendingNonce) {
    return { code: 'nonce_pending', message: inPoolWords(nonce) };
  }
  if (before.missing.length > 0) return { code: 'nonce_gap', message: missingWords(facts) };
  if (before.waiting.length > 0) {
    return { code: 'nonce_order', message: `it goes out after ${waitingWords(before.waiting)}` };
  }
  if (balance < mostItTakes(transaction)) {
    return { code: 'insufficient_balance', message: lackWords(facts, balance) };
  }
  return capObstacle(facts);
}

/** Why what somebody hands over is not taken at all: nothing that waiting could mend. */
export interface CreationProblem {
  readonly code: string;
  /** The field of the request that it is about. */
  readonly path: 'signedTransaction' | 'expiresAt';
  readonly message: string;
}

/** Empty: it is taken, whatever else the checks say of it. */
export function creationProblems(facts: PreflightFacts): readonly CreationProblem[] {
  const { now, order } = facts;
  const { expiresAt } = order;
  const problems = hopelessness(facts).map(
    (obstacle): CreationProblem => ({ ...obstacle, path: 'signedTransaction' }),
  );
  const isOutOfTime = expiresAt !== null && (expiresAt <= now || expiresAt - now > EXPIRY_MOST_MS);
  return isOutOfTime
    ? [...problems, { code: 'expiry', path: 'expiresAt', message: messageOf(facts, 'expiry') }]
    : problems;
}

const messageOf = (facts: PreflightFacts, name: string) =>
  preflight(facts).find((check: Check) => check.name === name)?.message ?? name;

/** EIP-7825 (since Osaka): the most gas of one transaction. */
const MOST_GAS = 16_777_216n;
/** EIP-3860 (since Shanghai): the most bytes of code that make a contract. */
const MOST_INITCODE = 49_152;
/** Ethereum and its public test networks, which have Osaka; other chains have limits of their own. */
const HAS_LIMITS: ReadonlySet<number> = new Set([1, 17_000, 560_048, 11_155_111]);

type GasFacts = Pick<PreflightFacts, 'transaction' | 'chainId'>;

/** Whether a block can take its gas limit and what it makes a contract from. */
function gasCheck(facts: GasFacts): Check {
  const name = 'intrinsic-gas';
  const obstacle = gasObstacle(facts);
  if (obstacle !== null) return { name, ok: false, message: obstacle.message };
  const { gasLimit, intrinsicGas } = facts.transaction;
  const message = `its ${limitWords(gasLimit)} covers the ${count(intrinsicGas)} that it takes to begin with`;
  return { name, ok: true, message };
}

/** Why no block ever takes its gas or its code; `null`: one can. */
function gasObstacle({ transaction, chainId }: GasFacts): Obstacle | null {
  const { gasLimit, intrinsicGas, to, data } = transaction;
  const hasLimits = HAS_LIMITS.has(chainId);
  if (gasLimit < intrinsicGas) {
    const message = `its ${limitWords(gasLimit)} is below the ${count(intrinsicGas)} that it takes to begin with: no block takes it; sign it again with more`;
    return { code: 'gas_too_low', message };
  }
  if (hasLimits && gasLimit > MOST_GAS) {
    const message = `its ${limitWords(gasLimit)} is above the ${count(MOST_GAS)} that a transaction may have (EIP-7825): no block takes it; sign it again with less`;
    return { code: 'gas_too_high', message };
  }
  const bytes = data.length / 2 - 1;
  if (hasLimits && to === null && bytes > MOST_INITCODE) {
    const message = `it makes a contract from ${formatCount(bytes)} bytes of code, and ${formatCount(MOST_INITCODE)} are the most (EIP-3860): no block takes it; make it shorter and sign it again`;
    return { code: 'code_too_long', message };
  }
  return null;
}

const limitWords = (gasLimit: bigint) => `gas limit of ${count(gasLimit)}`;

const count = (gas: bigint) => formatCount(Number(gas));

type DeadlineFacts = Pick<PreflightFacts, 'transaction' | 'order' | 'now'>;

/** Whether what it calls is good for as long as it may wait; none of a call without a deadline. */
function deadlineCheck(facts: DeadlineFacts): readonly Check[] {
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
function deadlineObstacle({ transaction, now }: Omit<DeadlineFacts, 'order'>): Obstacle | null {
  const deadline = callDeadline(transaction.data, transaction.to);
  if (deadline?.kind !== 'by' || deadline.at >= now) return null;
  const message = `what it calls was good until ${utcMinute(deadline.at)}: mined later it only costs gas; sign it again with a later deadline`;
  return { code: 'deadline_past', message };
}

const DELEGATION = 'delegation';

/** Whose accounts it hands over to code (EIP-7702), which keeps nothing from being sent; none of other types. */
function delegationCheck({
  transaction,
  chainId,
}: Pick<PreflightFacts, 'transaction' | 'chainId'>): readonly Check[] {
  if (transaction.type !== 4) return [];
  const { authorizations } = transaction;
  const words = delegationWords({ authorizations, chainId });
  if (words === null) {
    const message = 'it hands accounts over to code (EIP-7702): which ones could not be told';
    return [{ name: DELEGATION, ok: null, message }];
  }
  const handedOver = authorizations.filter((each) => !isTakenBack(each));
  if (handedOver.length === 0) return [{ name: DELEGATION, ok: true, message: `it ${words}` }];
  const everywhere = handedOver.filter(({ chainId }) => chainId === 0).length;
  if (everywhere === 0) {
    return [{ name: DELEGATION, ok: null, message: `it ${words}: make sure that you trust this code` }];
  }
  const count = authorizations.length;
  const which = count === 1 ? '' : `; ${everywhere} of ${count} on every chain`;
  const message = `it ${words}${which}: whoever sees it can use it on any other chain, too; sign it for one chain`;
  return [{ name: DELEGATION, ok: false, message }];
}

/** Authorizations are not kept: where checks are made anew without what was signed, what was found with it stands. */
export function withKeptDelegation(checks: readonly Check[], before: readonly Check[]): Check[] {
  const kept = before.find((check) => check.name === DELEGATION);
  return checks.map((check) => (check.name === DELEGATION ? (kept ?? check) : check));
}

/** Why nothing can be sent to what the prices come from, `a recording takes no transactions`; `null`: something can. */
export function takesNone(kind: 'rpc' | 'replay' | 'simulated' | 'service'): string | null {
  if (kind === 'replay') return 'a recording takes no transactions';
  return kind === 'simulated' ? 'the simulated chain takes no transactions' : null;
}
