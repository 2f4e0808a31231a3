import { abortable } from '../../chain/async.ts';
import { ChainError, type ChainSource, SendFailure } from '../../chain/chain-source.ts';
import { isNewsOfTarget } from '../../core/auto-txs/cost-limit.ts';
import type { GasFacts } from '../../core/auto-txs/gas-check.ts';
import type { PreflightFacts } from '../../core/auto-txs/preflight.ts';
import {
  KEY_GONE,
  preflight,
  verdict,
  waitingBelow,
  withEarlierDelegation,
} from '../../core/auto-txs/preflight.ts';
import {
  type AutoTxEvent,
  isResendDue,
  type Obstacle,
  stepAutoTx,
} from '../../core/auto-txs/state-machine.ts';
import { type AutoTxOrder, type StoredAutoTx, transactionOf } from '../../core/auto-txs/stored-auto-tx.ts';
import { comparedPrice, isDue } from '../../core/auto-txs/target.ts';
import type { Hex } from '../../core/block.ts';
import { areUntold } from '../../core/chain-rules.ts';
import type { ChainProfile } from '../../core/chains.ts';
import { type DataFees, fastLzLength } from '../../core/data-fee.ts';
import { ownValue } from '../../core/own-value.ts';
import { backOffMs } from '../../core/time.ts';
import { decodeTransaction } from '../../core/transactions/decode-transaction.ts';
import type { SignedTransaction } from '../../core/transactions/signed-transaction.ts';
import type { AutoTxChanged, AutoTxStep, AutoTxStore } from '../../store/auto-txs.ts';
import type { BlockStore } from '../../store/blocks.ts';
import type { HistoryStore } from '../../store/history.ts';
import type { HeadPrices } from '../follow/ingested-chain.ts';
import type { CostLimits } from './cost-limits.ts';
import { gasFactsAt, withAccounts } from './gas-facts.ts';

export interface EngineParts {
  readonly source: ChainSource;
  /** Checks the lease at every write. */
  readonly store: AutoTxStore;
  readonly blocks: BlockStore;
  readonly history: Pick<HistoryStore, 'referencePrices' | 'reachesBackTo'>;
  readonly profile: () => ChainProfile | null;
  readonly confirmations: (chain: ChainProfile) => number;
  /** `null` unless the head is fresh. */
  readonly present: () => HeadPrices | null;
  readonly nativeUsd: () => number | null;
  /** Why that is `null`. */
  readonly whyNoPrice?: () => string;
  readonly wallNow: () => number;
  /** The same, but no later than the chain's time allows, because expiry is final. */
  readonly agreedNow: () => number;
  readonly steadyNow: () => number;
  /** Time limit of the requests about one sender, ms; default 10 s. */
  readonly senderMs?: number | undefined;
  readonly onError: (error: unknown) => void;
}

export interface EngineContext extends EngineParts {
  readonly limits: CostLimits;
}

export type Beside = Partial<Pick<StoredAutoTx, 'checks' | 'checkedAt' | 'dayMeanPrice' | 'nativeUsd'>>;

/** Applies an event; `null` when the state does not allow it, or nothing changes. */
export function stepStored(
  stored: StoredAutoTx,
  event: AutoTxEvent,
  context: EngineContext,
  beside: Beside = {},
): AutoTxStep | null {
  const { confirmations, profile, wallNow } = context;
  const chain = profile();
  // Nothing is followed while the chain is unknown.
  const needed = chain === null ? Number.POSITIVE_INFINITY : confirmations(chain);
  const at = wallNow();
  const facts = { nonce: stored.signed?.nonce ?? 0, confirmations: needed, now: at };
  const next = stepAutoTx(stored.state, event, facts);
  if (next === null) return null;
  const isSame = JSON.stringify(withoutWei(next.state)) === JSON.stringify(withoutWei(stored.state));
  if (isSame && next.notes.length === 0 && Object.keys(beside).length === 0) return null;
  return { autoTx: { ...stored, ...beside, state: next.state, updatedAt: at }, notes: next.notes, at };
}

const withoutWei = (state: StoredAutoTx['state']) => ({
  ...state,
  inclusion: state.inclusion?.blockHash ?? null,
});

/** Applies an event in its own transaction, to the state of that moment. */
export function happen(
  { id, owner, signed }: StoredAutoTx,
  event: AutoTxEvent,
  context: EngineContext,
  beside?: Beside,
): Promise<AutoTxChanged | null> {
  // The observation belongs to the transaction that was signed then.
  const decide = (stored: StoredAutoTx) =>
    stored.signed?.hash === signed?.hash ? stepStored(stored, event, context, beside) : null;
  return context.store.change({ owner, id }, decide, 'engine');
}

export interface SenderFacts {
  readonly nextNonce: number;
  readonly pendingNonce: number;
  readonly balance: bigint;
  readonly live: readonly StoredAutoTx[];
  readonly dataFees: DataFees;
}

/** Time of a decision by both clocks, ms: it must be executed soon after. */
type Moment = ReturnType<typeof momentOf>;

export interface Decided {
  readonly stored: StoredAutoTx;
  readonly at: Moment;
  /** No node shows it, though one may have it. */
  readonly isResend: boolean;
}

const momentOf = ({ steadyNow, wallNow, profile }: EngineContext) => ({
  steady: steadyNow(),
  wall: wallNow(),
  genesis: profile()?.genesisHash,
});

const isDueAt = (
  { order, signed }: Pick<StoredAutoTx, 'order' | 'signed'>,
  { prices, nextBaseFee }: HeadPrices,
): boolean => signed !== null && isDue(order, signed, { lanePrice: prices[order.lane], nextBaseFee });

/**
 * Holds, refuses or sends a due auto-tx, or sends again what no node shows, within the transaction, so that changes by its
 * owner or the chain count; `null` when nothing is to be sent now.
 */
export async function decideOne(
  seen: StoredAutoTx,
  sender: SenderFacts,
  context: EngineContext,
): Promise<Decided | null> {
  const { live, ...ofSender } = sender;
  const { parameters } = sender.dataFees;
  const isBySize = parameters !== null && parameters.rate !== 0n;
  const bytes = await context.store.signedBytes(seen.id);
  const stored = transactionOf(seen);
  const whole = stored && withBytes(stored, bytes);
  const accounts = whole && (await accountsOf(whole, seen.order, context));
  const gas = await abortable(context.limits.ask(seen), AbortSignal.timeout(RESPOND_WITHIN_MS)).catch(
    () => null,
  );
  let decided: Decided | null = null;
  const decide = (before: StoredAutoTx): AutoTxStep | null => {
    decided = null;
    const { state } = before;
    const [present, profile] = [context.present(), context.profile()];
    const transaction = transactionOf(before);
    if (present === null || profile === null || transaction === null) return null;
    // It may be held by rules that still hold.
    if (areUntold(present.rules)) return null;
    const now = context.wallNow();
    const isResend = isResendDue(state, now);
    // The sender's facts belong to the transaction that was signed then.
    if ((state.status !== 'PENDING' && !isResend) || transaction.hash !== seen.signed?.hash) return null;
    const stored = context.limits.priced(before, gas);
    const { order } = stored;
    if (!isDueAt(stored, present)) {
      return isNewsOfTarget(before.order, order) ? { autoTx: stored, notes: [], at: now } : null;
    }
    const at = momentOf(context);
    const lanePrice = present.prices[order.lane];
    const { head, nextBaseFee, nextBlobBaseFee } = present;
    const facts: PreflightFacts = {
      ...ofSender,
      transaction: {
        ...transaction,
        parts: whole?.parts ?? null,
        authorizations: whole?.authorizations ?? [],
        ...(isBySize && bytes instanceof Uint8Array && { compressedSize: fastLzLength(bytes) }),
      },
      order,
      gas: { ...gasFactsAt(present, profile, now), ...accounts },
      isKeyMissing: bytes === 'sealed',
      chainId: profile.id,
      chainName: profile.name,
      nativeSymbol: profile.nativeSymbol,
      nativeUsd: context.nativeUsd(),
      nextBaseFee,
      nextBlobBaseFee,
      lanePrice,
      now,
      waitingBelow: waitingBelow(live, { id: stored.id, nonce: transaction.nonce }),
    };
    const judged = verdict(facts);
    const obstacle = 'obstacle' in judged ? judged.obstacle : rivalOf(stored, live);
    const price = comparedPrice(order, transaction, { lanePrice, nextBaseFee }) ?? lanePrice;
    const reached = {
      head: head.number,
      price,
      target: order.target,
      lane: order.isStrict ? null : order.lane,
    };
    const times = state.hold !== null && state.hold.code === obstacle?.code ? state.hold.times : 0;
    const send: AutoTxEvent = isResend ? { type: 'resend' } : { type: 'submit', reached };
    const event: AutoTxEvent =
      obstacle === null
        ? send
        : isResend
          ? { type: 'postpone' }
          : judged.kind === 'refuse'
            ? { type: 'refuse', obstacle }
            : { type: 'hold', obstacle, retryAt: retryLater(times, context) };
    const checks = withEarlierDelegation(preflight(facts), stored.checks);
    const change = stepStored(stored, event, context, { checks, checkedAt: now });
    // If the process was suspended meanwhile, the head is stale.
    if (change === null || context.present()?.head !== head) return null;
    if (obstacle === null) decided = { stored: change.autoTx, at, isResend };
    return change;
  };
  const changed = await context.store.change(seen, decide, 'engine');
  return changed === null ? null : decided;
}

/** With what its signed bytes alone tell: its authorizations, and the parts of one that an older program has stored. */
export function withBytes(
  transaction: SignedTransaction,
  bytes: Uint8Array | 'sealed' | null,
): SignedTransaction {
  if (!(bytes instanceof Uint8Array) || (transaction.parts !== null && transaction.type !== 4))
    return transaction;
  try {
    const { parts, authorizations } = decodeTransaction(bytes);
    return { ...transaction, parts, authorizations };
  } catch {
    // A file that was modified.
    return transaction;
  }
}

/** The accounts that decide whether its gas is enough. */
async function accountsOf(
  transaction: SignedTransaction,
  order: AutoTxOrder,
  context: EngineContext,
): Promise<Pick<GasFacts, 'accounts'>> {
  const [present, profile] = [context.present(), context.profile()];
  if (present === null || profile === null) return {};
  const gas = gasFactsAt(present, profile, context.wallNow());
  const asked = withAccounts(context.source, gas, { transaction, order });
  const { accounts } = await abortable(asked, AbortSignal.timeout(RESPOND_WITHIN_MS)).catch(() => gas);
  return accounts === undefined ? {} : { accounts };
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
export type Sent = 'sent' | 'refused' | 'nonce-used' | 'unsure';

/** Long after its block, which was orphaned; or in a file that was modified. */
const BYTES_GONE: Obstacle = {
  code: 'bytes_gone',
  message: 'its signed bytes are no longer stored: schedule it again',
};

/** Sends it and stores the result; its bytes are only in that request. Rejects only with a `StoreError`. */
export async function sendOne(decided: Decided, context: EngineContext): Promise<Sent> {
  const { stored, at: decidedAt } = decided;
  const { source, store } = context;
  const isStillWanted = () =>
    isDueNow(stored, context) && isSameChain(decidedAt, context) && isInTime(decidedAt, context);
  const bytes = await store.signedBytes(stored.id);
  if (bytes === null) {
    // A cancellation or final state from the meantime wins.
    await happen(stored, { type: 'refuse', obstacle: BYTES_GONE }, context);
    return 'refused';
  }
  if (bytes === 'sealed') {
    await happen(stored, declined(stored, KEY_GONE, context), context);
    return 'refused';
  }
  if (!isStillWanted()) return refused(decided, TOO_LATE_FAILURE, context);
  const signed: Hex = `0x${Buffer.from(bytes).toString('hex')}`;
  const taken: string[] = [];
  try {
    await abortable(
      source.sendRawTransaction(signed, { isStillWanted, onTaken: (name) => taken.push(name) }),
      AbortSignal.timeout(RESPOND_WITHIN_MS),
    );
  } catch (error) {
    return refused(decided, error, context);
  }
  await happen(stored, { type: 'sent', node: taken[0] ?? null }, context);
  return 'sent';
}

/** The monotonic clock stops while a machine sleeps, and the wall clock may be set: both must agree. */
const isInTime = (decidedAt: Moment, { steadyNow, wallNow }: EngineContext): boolean =>
  steadyNow() - decidedAt.steady <= SEND_WITHIN_MS && Math.abs(wallNow() - decidedAt.wall) <= SEND_WITHIN_MS;

/** The head may have changed or become stale since the decision. */
export function isDueNow(stored: StoredAutoTx, { present, limits }: EngineContext): boolean {
  const now = present();
  return now !== null && isDueAt({ ...stored, order: limits.orderNow(stored) }, now);
}

/** A restarted chain is another chain. */
function isSameChain({ genesis }: Moment, { profile }: EngineContext): boolean {
  const chain = profile();
  return chain !== null && chain.genesisHash === genesis;
}

async function refused({ stored, isResend }: Decided, error: unknown, context: EngineContext): Promise<Sent> {
  if (!(error instanceof SendFailure) || error.outcome === 'unknown') return 'unsure';
  if (error.reason === 'too_late' && isResend) return 'unsure';
  if (error.outcome === 'nonce-used') return 'nonce-used';
  const obstacle = sendObstacle(error.reason, error.message);
  // The pre-flight found its gas to be enough: the node goes by the rules of another block, and a fork ends nothing.
  const isFinal = error.outcome === 'never' && error.reason !== 'intrinsic_gas';
  await happen(stored, isFinal ? { type: 'refuse', obstacle } : declined(stored, obstacle, context), context);
  return 'refused';
}

export const declined = (
  { state }: StoredAutoTx,
  obstacle: Obstacle,
  context: EngineContext,
): AutoTxEvent => ({
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
export const sendObstacle = (reason: string, message = reason): Obstacle => ({
  code: reason,
  message: ownValue(WORDS, reason) ?? message,
});

const LONGEST_MS = 300_000;

/** Ms since epoch: with the next block, then after one block time, two, four, up to five minutes. @param times in a row before */
function retryLater(times: number, { wallNow, profile }: EngineContext): number {
  const blockMs = (profile()?.feeRule.blockTimeSec ?? 0) * 1_000;
  return wallNow() + (times === 0 ? 0 : backOffMs(times - 1, blockMs, LONGEST_MS));
}
