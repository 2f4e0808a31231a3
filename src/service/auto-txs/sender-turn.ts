import { abortable, mapBounded } from '../../chain/async.ts';
import { ChainError, SendFailure } from '../../chain/chain-source.ts';
import { gasFactsAt } from '../../core/auto-txs/gas-check.ts';
import type { AutoTxOrder } from '../../core/auto-txs/order.ts';
import { KEY_GONE, preflight, verdict, withEarlierDelegation } from '../../core/auto-txs/preflight.ts';
import {
  type AutoTxEvent,
  isResendDue,
  type Observation,
  type Obstacle,
} from '../../core/auto-txs/state-machine.ts';
import { type AutoTxStep, type StoredAutoTx, transactionOf } from '../../core/auto-txs/stored-auto-tx.ts';
import { comparedPrice } from '../../core/auto-txs/target.ts';
import type { Block, Hex } from '../../core/block.ts';
import { areUntold } from '../../core/chain-rules.ts';
import type { ChainProfile } from '../../core/chains.ts';
import { ownValue } from '../../core/own-value.ts';
import { backOffMs } from '../../core/time.ts';
import type { SignedTransaction } from '../../core/transactions/signed-transaction.ts';
import { OPERATOR } from '../../store/tables.ts';
import { dataFeesOf } from '../data-fees-in-time.ts';
import type { FreshChain } from '../follow/fresh-head.ts';
import { observe, pricesOf } from './observation.ts';
import { preflightFacts, type SenderFacts, withAccounts, withBytes } from './preflight-facts.ts';
import { applyAndStore, isDueNow, type SenderContext, stepNow } from './sender-parts.ts';

const OBSERVED_AT_ONCE = 8;

export interface SenderTurn {
  readonly from: Hex;
  readonly context: SenderContext;
  readonly head: Block;
  /** When and at which head a nonce was first used by what no node knows. */
  readonly used: Map<string, { readonly since: number; readonly first: number }>;
  /** Also checks pending auto-txs, and retries held ones, before they are due. */
  readonly isWhole: boolean;
  readonly signal: AbortSignal;
}

/**
 * The turn of one sender: observes what a node may have, then decides and sends what is due, in the order of its nonces.
 * Rejects as the node or the store do.
 */
export async function takeTurn(turn: SenderTurn): Promise<void> {
  const { from, context, signal, isWhole } = turn;
  const { store } = context;
  const live = await liveOfSender(turn);
  const submitted = (await store.submittedOf(from)).filter((stored) => !isBeingConfirmed(stored, turn));
  const isOneReady = live.some((stored) => isReadyToSend(stored, turn));
  if (submitted.length === 0 && !isOneReady && !isWhole) return;
  const nextNonce = await nextNonceOf(turn);
  const first = live.find((stored) => nonceOf(stored) === nextNonce);
  if (isWhole && first !== undefined) await context.limits.estimateAnew(first, signal);
  const mayBeUsed = (stored: StoredAutoTx) => nonceOf(stored) < nextNonce || stored.state.takenSince !== null;
  const overtaken = isWhole ? live.filter((stored) => isOnlyHere(stored) && mayBeUsed(stored)) : [];
  const observed = await mapBounded([...submitted, ...overtaken], OBSERVED_AT_ONCE, signal, (stored) =>
    observeAndStore(stored, nextNonce, turn),
  );
  await sendDue(nextNonce, observed, turn);
}

/** As the operator: one account may sign for several owners, and their nonces are one sequence. */
const liveOfSender = ({ from, context: { store } }: SenderTurn) => store.liveOf(OPERATOR, from);

/** The next nonce of the sender on the chain. */
const nextNonceOf = ({ from, context: { source }, signal }: SenderTurn) =>
  abortable(source.nonce(from, 'latest'), signal);

/** Of a signed one, as all of a sender are. */
const nonceOf = ({ signed }: StoredAutoTx): number => signed?.nonce ?? 0;

/** The follower reports reorgs: until a block is deep enough there is nothing more to request. */
function isBeingConfirmed({ state: { inclusion } }: StoredAutoTx, { context, head }: SenderTurn): boolean {
  const chain = context.profile();
  if (inclusion === null || chain === null) return false;
  return head.number - inclusion.blockNumber + 1 < context.confirmations(chain);
}

const isOnlyHere = ({ state: { status, mayBeOut } }: StoredAutoTx) => status !== 'SUBMITTED' && !mayBeOut;

/** Submitted, no node shows it, and its nonce is free. */
const isUnseen = ({ stored, observation }: Observed): boolean =>
  stored.state.status === 'SUBMITTED' &&
  observation !== null &&
  !observation.isKnown &&
  observation.nextNonce <= nonceOf(stored);

async function sendDue(nextNonce: number, observed: readonly Observed[], turn: SenderTurn): Promise<void> {
  const { from, context, signal } = turn;
  const observations = new Map(observed.map(({ stored, observation }) => [stored.id, observation]));
  const unseen = new Set(observed.filter(isUnseen).map(({ stored }) => stored.id));
  const live = await liveOfSender(turn);
  const isReady = (stored: StoredAutoTx, pendingNonce?: number) =>
    unseen.has(stored.id) ? isReadyToResend(stored, turn) : isReadyToSend(stored, turn, pendingNonce);
  if (!live.some((stored) => isReady(stored))) return;
  const [pendingNonce, balance, dataFees] = await Promise.all([
    abortable(context.source.nonce(from, 'pending'), signal),
    abortable(context.source.balance(from), signal),
    dataFeesOf(context.source, context.profile()),
  ]);
  let sender = { nextNonce, pendingNonce: Math.max(nextNonce, pendingNonce), balance, live, dataFees };
  for (const stored of live) {
    if (signal.aborted) return;
    if (!isReady(stored, sender.pendingNonce)) continue;
    if (!isKnownNotOut(stored, observations.get(stored.id), nextNonce)) continue;
    if (await isOutByItself(stored, sender, turn)) continue;
    const decided = await decide(stored, sender, context);
    if (decided === null) continue;
    const sent = await broadcast(decided, context);
    if (sent === 'nonce-used') await observeAgain(decided.stored, turn);
    // Whether it was sent is unknown: later nonces and those with the same nonce wait for the next observation.
    if (sent === 'unsure' || sent === 'nonce-used') return;
    if (sent !== 'sent') continue;
    sender = { ...sender, pendingNonce: Math.max(sender.pendingNonce, nonceOf(stored) + 1) };
  }
}

/** Submitted before: the time of its next try has come, and its target is reached again. */
const isReadyToResend = (stored: StoredAutoTx, { context }: SenderTurn): boolean =>
  isResendDue(stored.state, context.wallNow()) && isDueNow(stored, context);

const NONCES_BELOW: ReadonlySet<string> = new Set(['nonce_gap', 'nonce_order']);

/**
 * Pending, its target is reached, and no hold keeps it.
 * @param pendingNonce of its sender, once it is known: the gap that it waits for may just have been filled
 */
function isReadyToSend(
  stored: StoredAutoTx,
  { context, isWhole }: SenderTurn,
  pendingNonce = Number.POSITIVE_INFINITY,
): boolean {
  const { status, hold } = stored.state;
  if (status !== 'PENDING' || !isDueNow(stored, context)) return false;
  if (hold === null || isWhole || hold.retryAt <= context.wallNow()) return true;
  return NONCES_BELOW.has(hold.code) && nonceOf(stored) <= pendingNonce;
}

/** Where its own bytes may have used its nonce, observations tell: until they are consistent, it is not sent. */
function isKnownNotOut(
  stored: StoredAutoTx,
  observation: Observation | null | undefined,
  nextNonce: number,
): boolean {
  if (!stored.state.mayBeOut) return true;
  return observation != null && !observation.isKnown && nextNonce <= nonceOf(stored);
}

/** The transaction that has its nonce may be this very one, sent elsewhere by its signer: observations alone settle that. */
async function isOutByItself(
  stored: StoredAutoTx,
  { nextNonce, pendingNonce }: SenderFacts,
  turn: SenderTurn,
): Promise<boolean> {
  if (nonceOf(stored) >= pendingNonce || stored.state.mayBeOut) return false;
  const { observation } = await observeAndStore(stored, await nextNonceOf(turn), turn);
  return nonceOf(stored) < nextNonce || observation === null || observation.isKnown;
}

/** A node says that its nonce is used: the chain tells whether by itself or by another transaction. */
async function observeAgain(decided: StoredAutoTx, turn: SenderTurn): Promise<void> {
  const { context } = turn;
  const after = await observeAndStore(decided, await nextNonceOf(turn), turn);
  if (!isUnseen(after)) return;
  await applyAndStore(after.stored, declined(after.stored, sendObstacle('nonce_used'), context), context);
}

interface Observed {
  readonly stored: StoredAutoTx;
  /** `null` when the node's responses were inconsistent. */
  readonly observation: Observation | null;
}

/** The node may be ahead of one that has no receipt yet: nothing is decided before the next head, or this time. */
const CERTAIN_MS = 3_000;

/** Observes an auto-tx that a node may have, and stores the result. Rejects as the node or the store do. */
async function observeAndStore(stored: StoredAutoTx, nextNonce: number, turn: SenderTurn): Promise<Observed> {
  const { context, head, used } = turn;
  const observation = await observe(stored, nextNonce, turn);
  if (observation === null) return { stored, observation };
  if (observation.inclusion !== null || observation.nextNonce <= nonceOf(stored)) used.delete(stored.id);
  else {
    const now = context.steadyNow();
    const { since, first } = used.get(stored.id) ?? { since: now, first: head.number };
    used.set(stored.id, { since, first });
    const isKnown = stored.state.takenSince !== null || head.number > first || now - since >= CERTAIN_MS;
    // Its confirmations are counted from the head, which must be fresh.
    const isCertain = isKnown && context.freshChain() !== null;
    if (!isCertain) return { stored, observation: null };
  }
  const isNews =
    observation.inclusion !== null && observation.inclusion.blockHash !== stored.state.inclusion?.blockHash;
  const beside = isNews ? await pricesOf(stored, observation.inclusion, context) : undefined;
  // Most observations change nothing, and every write waits for the disk.
  if (beside === undefined && stepNow(stored, { type: 'observe', observation }, context) === null) {
    return { stored, observation };
  }
  const changed = await applyAndStore(stored, { type: 'observe', observation }, context, beside);
  return { stored: changed ?? stored, observation };
}

/** A durable decision to send, with its time by both clocks, ms: it must be executed soon after. */
interface Decided {
  readonly stored: StoredAutoTx;
  readonly at: { readonly steady: number; readonly wall: number; readonly genesis: Hex | undefined };
  /** No node shows it, though one may have it. */
  readonly isResend: boolean;
}

/**
 * Holds, refuses or sends a due auto-tx, or sends again what no node shows, within the transaction, so that changes by its
 * owner or the chain count; `null` when nothing is to be sent now.
 */
async function decide(
  seen: StoredAutoTx,
  sender: SenderFacts,
  context: SenderContext,
): Promise<Decided | null> {
  const asked = await askFor(seen, context);
  let decided: Decided | null = null;
  const change = (stored: StoredAutoTx): AutoTxStep | null => {
    decided = null;
    // The sender's facts belong to the transaction that was signed then.
    if (stored.signed === null || stored.signed.hash !== seen.signed?.hash) return null;
    const decision = decisionOf(stored, asked, sender, context);
    decided = decision?.decided ?? null;
    return decision?.step ?? null;
  };
  const changed = await context.store.change(seen, change, 'leader');
  return changed === null || 'rival' in changed ? null : decided;
}

type Asked = Awaited<ReturnType<typeof askFor>>;

/** What is asked before a decision: its bytes, the gas that a node estimates, and the accounts that its gas depends on. */
async function askFor(seen: StoredAutoTx, context: SenderContext) {
  const { store, limits, source, freshChain, profile, wallNow } = context;
  const bytes = await store.signedBytes(seen.id);
  const stored = transactionOf(seen);
  const transaction = stored && withBytes(stored, bytes);
  const inTime = <T>(request: Promise<T>) =>
    abortable(request, AbortSignal.timeout(RESPOND_WITHIN_MS)).catch(() => null);
  const [fresh, chain] = [freshChain(), profile()];
  const toAsk = transaction && { transaction, order: seen.order };
  const facts =
    fresh === null || chain === null || toAsk === null
      ? null
      : await inTime(withAccounts(source, gasFactsAt(fresh, chain, wallNow()), toAsk));
  const { parts = null, authorizations = [], compressedSize } = transaction ?? {};
  return {
    ofBytes: { parts, authorizations, compressedSize },
    isKeyMissing: bytes === 'sealed',
    accounts: facts?.accounts,
    estimate: await inTime(limits.ask(seen)),
  };
}

function decisionOf(
  before: StoredAutoTx,
  asked: Asked,
  sender: SenderFacts,
  context: SenderContext,
): { readonly step: AutoTxStep; readonly decided: Decided | null } | null {
  const { limits, steadyNow } = context;
  const [fresh, profile, now] = [context.freshChain(), context.profile(), context.wallNow()];
  const transaction = transactionOf(before);
  // It may be held by rules that still hold.
  if (fresh === null || profile === null || transaction === null || areUntold(fresh.rules)) return null;
  const isResend = isResendDue(before.state, now);
  if (before.state.status !== 'PENDING' && !isResend) return null;
  const stored = limits.priced(before, asked.estimate);
  if (!isDueNow(stored, context)) {
    const moved = limits.moved(before, stored);
    return moved && { step: moved, decided: null };
  }
  const { nativeUsd } = context.coinPrice();
  const known = { fresh, profile, sender, nativeUsd, now };
  const { checks, obstacle, isFinal } = judge({ ...stored, transaction }, asked, known);
  const event =
    obstacle === null
      ? sendEvent(stored.order, { isResend, transaction, fresh })
      : obstacleEvent(stored.state, { isResend, obstacle, isFinal }, context);
  const at = { steady: steadyNow(), wall: now, genesis: profile.genesisHash };
  const judged = { ...stored, checks: withEarlierDelegation(checks, stored.checks), checkedAt: now };
  const step = stepNow(judged, event, context);
  // If the process was suspended meanwhile, the head is stale.
  if (step === null || context.freshChain()?.head !== fresh.head) return null;
  return { step, decided: obstacle === null ? { stored: step.autoTx, at, isResend } : null };
}

/** What a due auto-tx is judged by. */
interface KnownNow {
  readonly fresh: FreshChain;
  readonly profile: ChainProfile;
  readonly sender: SenderFacts;
  readonly nativeUsd: number | null;
  readonly now: number;
}

/** Its pre-flight checks now, and what keeps it from being sent; `isFinal`: for good. */
function judge(
  stored: StoredAutoTx & { readonly transaction: SignedTransaction },
  { ofBytes, isKeyMissing, accounts }: Asked,
  { fresh, profile, sender, nativeUsd, now }: KnownNow,
) {
  const { advice } = fresh;
  const toCheck = { ...stored, chainId: profile.id, transaction: { ...stored.transaction, ...ofBytes } };
  const gas = { ...gasFactsAt(fresh, profile, now), ...(accounts !== undefined && { accounts }) };
  const facts = {
    ...preflightFacts(toCheck, { profile, advice, sender, nativeUsd, gas, now }),
    isKeyMissing,
  };
  const checks = preflight(facts);
  const judged = verdict(facts, checks);
  const obstacle = 'obstacle' in judged ? judged.obstacle : rivalOf(stored, sender.live);
  return { checks, obstacle, isFinal: judged.kind === 'refuse' };
}

interface ToSend {
  readonly isResend: boolean;
  readonly transaction: SignedTransaction;
  readonly fresh: FreshChain;
}

/** With the price that has reached its target. */
function sendEvent(order: AutoTxOrder, { isResend, transaction, fresh }: ToSend): AutoTxEvent {
  if (isResend) return { type: 'resend' };
  const { lanes, nextBaseFee } = fresh.advice;
  const lanePrice = lanes[order.lane].price;
  const price = comparedPrice(order, transaction, { lanePrice, nextBaseFee }) ?? lanePrice;
  const lane = order.isStrict ? null : order.lane;
  return { type: 'submit', reached: { head: fresh.head.number, price, target: order.target, lane } };
}

interface NotToSend {
  readonly isResend: boolean;
  readonly obstacle: Obstacle;
  readonly isFinal: boolean;
}

/** One that was sent before stays submitted: a node may have it. */
function obstacleEvent(
  { hold }: StoredAutoTx['state'],
  { isResend, obstacle, isFinal }: NotToSend,
  context: SenderContext,
): AutoTxEvent {
  if (isResend) return { type: 'postpone' };
  if (isFinal) return { type: 'refuse', obstacle };
  const times = hold !== null && hold.code === obstacle.code ? hold.times : 0;
  return { type: 'hold', obstacle, retryAt: retryLater(times, context) };
}

/** A submitted auto-tx of another owner with the same nonce: nodes would take this one for its replacement. */
function rivalOf(stored: StoredAutoTx, live: readonly StoredAutoTx[]): Obstacle | null {
  const { nonce, hash } = stored.signed ?? {};
  const isTaken = live.some(
    ({ id, state, signed }) =>
      id !== stored.id && state.status === 'SUBMITTED' && signed?.nonce === nonce && signed?.hash !== hash,
  );
  if (!isTaken) return null;
  return {
    code: 'nonce_on_its_way',
    message: `another auto-tx of the sender with nonce ${nonce} is submitted: this one waits for its outcome`,
  };
}

/** A process that was suspended longer than this after its decision does not execute it. */
const SEND_WITHIN_MS = 5_000;
/** A node that has not responded by then may have it. */
const RESPOND_WITHIN_MS = 10_000;

const TOO_LATE_FAILURE = new SendFailure('later', 'too_late', new ChainError('timeout', 'it was too late'));

/** `unsure`: a node may have it; the next observation decides. */
type Sent = 'sent' | 'refused' | 'nonce-used' | 'unsure';

/** Long after its block, which was orphaned; or in a file that was modified. */
const BYTES_GONE: Obstacle = {
  code: 'bytes_gone',
  message: 'its signed bytes are no longer stored: schedule it again',
};

/** Gives it to the nodes and stores the result; its bytes are only in that request. Rejects only with a `StoreError`. */
async function broadcast(decided: Decided, context: SenderContext): Promise<Sent> {
  const { stored, at: decidedAt } = decided;
  const { source, store } = context;
  const isStillWanted = () =>
    isDueNow(stored, context) && isSameChain(decidedAt, context) && isInTime(decidedAt, context);
  const bytes = await store.signedBytes(stored.id);
  if (bytes === null) {
    // A cancellation or final state from the meantime wins.
    await applyAndStore(stored, { type: 'refuse', obstacle: BYTES_GONE }, context);
    return 'refused';
  }
  if (bytes === 'sealed') {
    await applyAndStore(stored, declined(stored, KEY_GONE, context), context);
    return 'refused';
  }
  if (!isStillWanted()) return settle(decided, TOO_LATE_FAILURE, context);
  const raw: Hex = `0x${Buffer.from(bytes).toString('hex')}`;
  const taken: string[] = [];
  try {
    await abortable(
      source.sendRawTransaction(raw, { isStillWanted, onTaken: (name) => taken.push(name) }),
      AbortSignal.timeout(RESPOND_WITHIN_MS),
    );
  } catch (error) {
    return settle(decided, error, context);
  }
  await applyAndStore(stored, { type: 'sent', node: taken[0] ?? null }, context);
  return 'sent';
}

/** The monotonic clock stops while a machine sleeps, and the wall clock may be set: both must agree. */
const isInTime = (decidedAt: Decided['at'], { steadyNow, wallNow }: SenderContext): boolean =>
  steadyNow() - decidedAt.steady <= SEND_WITHIN_MS && Math.abs(wallNow() - decidedAt.wall) <= SEND_WITHIN_MS;

/** A restarted chain is another chain. */
function isSameChain({ genesis }: Decided['at'], { profile }: SenderContext): boolean {
  const chain = profile();
  return chain !== null && chain.genesisHash === genesis;
}

/** Stores that a send has failed for sure; otherwise the next observation decides. */
async function settle({ stored, isResend }: Decided, error: unknown, context: SenderContext): Promise<Sent> {
  if (!(error instanceof SendFailure) || error.outcome === 'unknown') return 'unsure';
  if (error.reason === 'too_late' && isResend) return 'unsure';
  if (error.outcome === 'nonce-used') return 'nonce-used';
  const obstacle = sendObstacle(error.reason, error.message);
  // The pre-flight found its gas to be enough: the node goes by the rules of another block, and a fork ends nothing.
  const isFinal = error.outcome === 'never' && error.reason !== 'intrinsic_gas';
  await applyAndStore(
    stored,
    isFinal ? { type: 'refuse', obstacle } : declined(stored, obstacle, context),
    context,
  );
  return 'refused';
}

const declined = ({ state }: StoredAutoTx, obstacle: Obstacle, context: SenderContext): AutoTxEvent => ({
  type: 'decline',
  obstacle,
  retryAt: retryLater(Math.max(state.attempts - 1, 0), context),
});

/** Our own messages for known refusals: a node's message might repeat the transaction. */
const WORDS: Readonly<Record<string, string>> = {
  nonce_used: 'the node does not take its nonce, which the chain has free: it is tried again',
  replacement_underpriced:
    "another transaction with this nonce is in the node's pool, and this one does not pay 10 % more",
  insufficient_balance: 'the node says that the balance does not cover it: add funds, it is tried again',
  cap_below_base: 'its cap is below the next base fee that the node expects: it is tried again',
  blob_cap_below_base: 'its blob cap is below the blob base fee: it is tried again',
  underpriced: 'its tip or its cap is below the least that the node takes: it is tried again',
  nonce_gap: 'a nonce below it is not used yet: it is tried again once that is',
  pool_full: "the node's pool has no room for it: it is tried again",
  node_fee_cap:
    'the node sends nothing whose fee may be as high: raise its --rpc.txfeecap, it is tried again',
  takes_none: 'the node takes no transactions from here: give one that does with --rpc, it is tried again',
  too_late:
    'the price had moved on, or the machine slept, before it was sent: nothing has left, it waits for its target',
  unprotected:
    'the node takes nothing that names no chain: allow it there (--rpc.allow-unprotected-txs), or sign it with a chain id; it is tried again',
  rate_limited: 'the node has had too many requests: it is tried again',
  intrinsic_gas: 'its gas limit is too low: sign it again with more',
  gas_limit: 'its gas limit is above what the node takes: sign it again with less',
  tip_above_cap:
    'the node says that its tip is above its cap, which it is not: check the node, it is tried again',
  wrong_chain:
    'the node says that it is signed for another chain, which it is not: check the node, it is tried again',
  type_unsupported: 'the chain does not take transactions of its type: sign it again as another type',
  sender_has_code:
    'its sender is a contract to the node, which takes nothing signed by one: sign it with another account',
  invalid_sender:
    'the node does not accept its signature, which is valid for this chain: check the node, it is tried again',
  too_large: 'it is larger than nodes take',
  invalid: 'the node says that it is not valid: sign it again',
};

/** A node's refusal for people; `message` is the node's own, for unknown reasons. */
const sendObstacle = (reason: string, message = reason): Obstacle => ({
  code: reason,
  message: ownValue(WORDS, reason) ?? message,
});

const LONGEST_MS = 300_000;

/** Ms since epoch: with the next block, then after one block time, two, four, up to five minutes. @param times in a row before */
function retryLater(times: number, { wallNow, profile }: SenderContext): number {
  const blockMs = (profile()?.feeRule.blockTimeSec ?? 0) * 1_000;
  return wallNow() + (times === 0 ? 0 : backOffMs(times - 1, blockMs, LONGEST_MS));
}
