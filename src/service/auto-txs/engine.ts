import {
  Alarm,
  abortable,
  ConcurrencyLimit,
  DeadlineError,
  mapBounded,
  withDeadline,
} from '../../chain/async.ts';
import { ChainError, type ChainReceipt } from '../../chain/chain-source.ts';
import { isNewsOfTarget } from '../../core/auto-txs/cost-limit.ts';
import { type Inclusion, isFinal, isResendDue, type Observation } from '../../core/auto-txs/state-machine.ts';
import type { StoredAutoTx } from '../../core/auto-txs/stored-auto-tx.ts';
import { type Bid, cannotBroadcastReason, ownPriceAt, paysAt } from '../../core/auto-txs/target.ts';
import type { Block, Hex } from '../../core/block.ts';
import { StoreError } from '../../store/errors.ts';
import { dataFeesOf } from '../data-fees.ts';
import type { LeaderWork, Lease } from '../leader.ts';
import {
  type Beside,
  type Decided,
  decideOne,
  declined,
  type EngineContext,
  type EngineParts,
  happen,
  isDueNow,
  type SenderFacts,
  type Sent,
  sendObstacle,
  sendOne,
  stepStored,
} from './broadcast.ts';
import { createCostLimits } from './cost-limits.ts';
import { createGasPass } from './gas-pass.ts';

/** Some events come without a head: expiry, retries of held auto-txs, late responses of a node. */
const POLL_MS = 2_000;

interface AutoTxsOptions extends EngineParts {
  readonly lease: Lease;
  readonly signal: AbortSignal;
}

/** Wake it for a new head, or when an auto-tx was created, changed or cancelled. */
export function startAutoTxs(options: AutoTxsOptions): LeaderWork {
  const { lease, source, onError } = options;
  const alarm = new Alarm();

  async function run(until: AbortSignal): Promise<void> {
    const engine = new AutoTxEngine(options, until);
    until.addEventListener('abort', alarm.ring, { once: true });
    while (!until.aborted) {
      try {
        await engine.turn();
      } catch (error) {
        const isLost = error instanceof StoreError && error.code === 'not-holder';
        if (!until.aborted && !isLost) onError(error);
        if (isLost) void lease.look();
      }
      await alarm.pause(POLL_MS);
    }
    await engine.idle();
  }

  const canSend = cannotBroadcastReason(source.kind) === null;
  return { wake: alarm.ring, done: canSend ? lease.whileHeld(run, options) : async () => {} };
}

const SENDERS_AT_ONCE = 32;
const OBSERVED_AT_ONCE = 8;
/** Time limit of one sender: if a node does not respond, processing ends, and continues with the next head. */
const SENDER_MS = 10_000;
/** Further ones that expire, or are due, wait for the next poll. */
const PAGE = 500;
const MOST_DUE = 2_000;
/** Maximum number of senders with submitted auto-txs per second, however fast blocks come: each costs a request. */
const SENDERS_PER_SEC = 50;
/** How often senders of submitted auto-txs are processed without a new head: a node may respond late, or otherwise. */
const REPEAT_MS = 4_000;
/** How often each sender is processed: no block tells that a nonce was used elsewhere or that funds arrived. */
const ROUND_MS = 60_000;
const PRUNE_MS = 60_000;
/** Senders of a round at once, a request each, and the least time between two parts, however fast blocks come. */
const ROUND_AT_ONCE = 8;
const ROUND_PART_MS = 200;
const LONG_AGO = Number.NEGATIVE_INFINITY;

/**
 * Processes auto-txs in turns: expires them, then passes over senders: with each block those of submitted and due
 * auto-txs, once a minute all. A request that hangs delays no other sender.
 */
export class AutoTxEngine {
  readonly #context: EngineContext;
  readonly #signal: AbortSignal;
  readonly #gasPass: ReturnType<typeof createGasPass>;
  readonly #slots = new ConcurrencyLimit(SENDERS_AT_ONCE);
  readonly #busy = new Map<Hex, Promise<void>>();
  readonly #used: SenderOptions['used'] = new Map();
  /** The last pass over senders of submitted auto-txs; times by the monotonic clock. */
  #passed = { head: null as Block['hash'], at: LONG_AGO, pauseMs: 0 };
  /** The last sender of this round; empty: the round is over. */
  #roundAt = '';
  #roundBeganAt = LONG_AGO;
  #roundPartAt = LONG_AGO;
  #prunedAt = LONG_AGO;

  /** @param signal Nothing new starts after its abort. */
  constructor(parts: EngineParts, signal: AbortSignal) {
    const context = { ...parts, limits: createCostLimits(parts) };
    this.#context = context;
    this.#gasPass = createGasPass(context);
    this.#signal = signal;
  }

  /** Starts the work that is due now. Rejects with a `StoreError`. */
  async turn(): Promise<void> {
    const { store, present, blocks, profile } = this.#context;
    await this.#prune();
    if (!(await store.hasOpen())) return;
    await this.#expire();
    const head = present()?.head ?? (await blocks.head());
    if (head === null || profile() === null) return;
    // Due auto-txs depend on the price of one block: their senders come first.
    await this.#gasPass.run(this.#signal);
    const { limits } = this.#context;
    await limits.read();
    const due = await this.#due();
    const followed = await this.#followed(head);
    const round = await this.#nextOfRound();
    this.#begin([...due, ...followed, ...round], round, head);
    // A coin price may move thousands of targets: what is due by those of before does not wait for them.
    if (await limits.run(this.#signal)) this.#begin(await this.#due(), [], head);
  }

  #begin(senders: readonly Hex[], round: readonly Hex[], head: Block): void {
    const { present } = this.#context;
    for (const from of new Set(senders)) {
      if (this.#signal.aborted || this.#busy.has(from)) continue;
      const work = this.#slots
        .take(() => this.#process(from, round.includes(from), present()?.head ?? head), this.#signal)
        .catch((error: unknown) => this.#tell(error))
        .finally(() => this.#busy.delete(from));
      this.#busy.set(from, work);
    }
  }

  /** Resolves once nothing is under way; never rejects. */
  async idle(): Promise<void> {
    while (this.#busy.size > 0) await Promise.all(this.#busy.values());
  }

  /** Deletion is permanent, so the chain's time must agree with the clock. */
  async #prune(): Promise<void> {
    const { store, agreedNow, steadyNow } = this.#context;
    const now = agreedNow();
    // Before the first block there is no chain time.
    if (now === 0 || steadyNow() - this.#prunedAt < PRUNE_MS) return;
    this.#prunedAt = steadyNow();
    await store.forgetSigned(now);
  }

  async #expire(): Promise<void> {
    const { store, agreedNow } = this.#context;
    const expire = (stored: StoredAutoTx) => {
      const { expiresAt } = stored.order;
      if (expiresAt === null || expiresAt > agreedNow()) return null;
      return stepStored(stored, { type: 'expire' }, this.#context);
    };
    for (const { id, owner } of await store.expiring(agreedNow(), PAGE)) {
      await store.change({ id, owner }, expire, 'engine');
    }
  }

  async #due(): Promise<readonly Hex[]> {
    const { store, present, wallNow } = this.#context;
    const now = present();
    if (now === null) return [];
    for (let limit = MOST_DUE; ; limit *= MOST_DUE) {
      const reached = await store.reached(now, { now: wallNow(), limit });
      // The index finds limits of cost within half a percent: those must not hide what is due.
      const due = reached.filter((stored) => isDueNow(stored, this.#context));
      if (due.length === 0 && reached.length === limit) continue;
      return due.flatMap(({ signed }) => (signed === null ? [] : [signed.from]));
    }
  }

  /** Senders of submitted auto-txs: with a new head, or after a pause. */
  async #followed(head: Block): Promise<readonly Hex[]> {
    const now = this.#context.steadyNow();
    const { pauseMs, at } = this.#passed;
    if (now - at < Math.max(pauseMs, head.hash === this.#passed.head ? REPEAT_MS : 0)) return [];
    const senders = await this.#context.store.followedSenders();
    this.#passed = { head: head.hash, at: now, pauseMs: (senders.length * 1_000) / SENDERS_PER_SEC };
    return senders;
  }

  /** The next senders of unsent or submitted auto-txs, once a minute each. */
  async #nextOfRound(): Promise<readonly Hex[]> {
    const { store, present, steadyNow } = this.#context;
    // A node's nonces are only valid with a fresh head.
    if (present() === null) return [];
    if (this.#roundAt === '') {
      if (steadyNow() - this.#roundBeganAt < ROUND_MS) return [];
      this.#roundBeganAt = steadyNow();
    }
    if (steadyNow() - this.#roundPartAt < ROUND_PART_MS) return [];
    this.#roundPartAt = steadyNow();
    const senders = await store.liveSenders(this.#roundAt, ROUND_AT_ONCE);
    this.#roundAt = senders.length < ROUND_AT_ONCE ? '' : (senders.at(-1) ?? '');
    return senders;
  }

  #process(from: Hex, isWhole: boolean, head: Block): Promise<void> {
    const context = this.#context;
    return withDeadline(context.senderMs ?? SENDER_MS, this.#signal, (signal) =>
      processSender(from, { context, head, used: this.#used, isWhole, signal }),
    );
  }

  /** The follower reports unavailable nodes, and the lease a change of leader. */
  #tell(error: unknown): void {
    if (this.#signal.aborted || error instanceof ChainError || error instanceof DeadlineError) return;
    if (error instanceof StoreError && error.code === 'not-holder') return;
    this.#context.onError(error);
  }
}

interface SenderOptions {
  readonly context: EngineContext;
  readonly head: Block;
  /** When and at which head a nonce was first used by what no node knows. */
  readonly used: Map<string, { readonly since: number; readonly first: number }>;
  /** Also checks pending auto-txs, and retries held ones, before they are due. */
  readonly isWhole: boolean;
  readonly signal: AbortSignal;
}

/** The next nonce of a sender on the chain. */
const nonceOf = (from: Hex, { context: { source }, signal }: SenderOptions) =>
  abortable(source.nonce(from, 'latest'), signal);

/** Observes what a node may have, then sends due ones by nonce. */
async function processSender(from: Hex, options: SenderOptions): Promise<void> {
  const { context, signal, isWhole } = options;
  const { store } = context;
  const live = await store.waiting('', from);
  const followed = (await store.following(from)).filter((stored) => !isBeingConfirmed(stored, options));
  const isDue = live.some((stored) => isToBeDecided(stored, options));
  if (followed.length === 0 && !isDue && !isWhole) return;
  const nextNonce = await nonceOf(from, options);
  const first = live.find(({ signed }) => signed?.nonce === nextNonce);
  if (isWhole && first !== undefined) await estimateAnew(first, options);
  const unsent = live.filter(
    (stored) =>
      isWhole && isUnsent(stored) && (isUsed(stored, nextNonce) || stored.state.takenSince !== null),
  );
  const observed = await mapBounded([...followed, ...unsent], OBSERVED_AT_ONCE, signal, (stored) =>
    followOne(stored, nextNonce, options),
  );
  await sendDue(from, nextNonce, observed, options);
}

/** What it calls may take other gas by now, as after an approval: its target follows. */
async function estimateAnew(seen: StoredAutoTx, { context, signal }: SenderOptions): Promise<void> {
  const { limits, store, wallNow } = context;
  if (seen.order.limit == null || seen.state.status !== 'PENDING') return;
  const gas = await abortable(limits.ask(seen), signal);
  const decide = (stored: StoredAutoTx) => {
    if (stored.state.status !== 'PENDING' || stored.signed?.hash !== seen.signed?.hash) return null;
    const autoTx = limits.priced(stored, gas);
    return isNewsOfTarget(stored.order, autoTx.order) ? { autoTx, notes: [], at: wallNow() } : null;
  };
  if (decide(seen) !== null) await store.change(seen, decide, 'engine');
}

/** The follower reports reorgs: until a block is deep enough there is nothing more to request. */
function isBeingConfirmed({ state: { inclusion } }: StoredAutoTx, { context, head }: SenderOptions): boolean {
  const chain = context.profile();
  if (inclusion === null || chain === null) return false;
  return head.number - inclusion.blockNumber + 1 < context.confirmations(chain);
}

const isUnsent = ({ state: { status, mayBeOut } }: StoredAutoTx) => status !== 'SUBMITTED' && !mayBeOut;

const isUsed = ({ signed }: StoredAutoTx, nextNonce: number) => signed !== null && signed.nonce < nextNonce;

/** Submitted, no node shows it, and its nonce is free. */
const isUnseen = ({ stored, observation }: Followed): boolean =>
  stored.state.status === 'SUBMITTED' &&
  observation !== null &&
  !observation.isKnown &&
  observation.nextNonce <= (stored.signed?.nonce ?? 0);

async function sendDecided(decided: Decided | null, options: SenderOptions): Promise<Sent | null> {
  if (decided === null) return null;
  const sent = await sendOne(decided, options.context);
  if (sent === 'nonce-used') await observeAgain(decided.stored, options);
  return sent;
}

async function sendDue(
  from: Hex,
  nextNonce: number,
  observed: readonly Followed[],
  options: SenderOptions,
): Promise<void> {
  const { context, signal } = options;
  const observations = new Map(observed.map(({ stored, observation }) => [stored.id, observation]));
  const unseen = new Set(observed.filter(isUnseen).map(({ stored }) => stored.id));
  const live = await context.store.waiting('', from);
  const isToBeSent = (stored: StoredAutoTx, pendingNonce?: number) =>
    unseen.has(stored.id) ? isToBeResent(stored, options) : isToBeDecided(stored, options, pendingNonce);
  if (!live.some((stored) => isToBeSent(stored))) return;
  const [pendingNonce, balance, dataFees] = await Promise.all([
    abortable(context.source.nonce(from, 'pending'), signal),
    abortable(context.source.balance(from), signal),
    dataFeesOf(context.source, context.profile()),
  ]);
  const sender = { nextNonce, pendingNonce: Math.max(nextNonce, pendingNonce), balance, live, dataFees };
  let facts: SenderFacts = sender;
  for (const stored of live) {
    if (signal.aborted) return;
    if (!isToBeSent(stored, facts.pendingNonce)) continue;
    if (!mayBeDecided(stored, observations.get(stored.id), nextNonce)) continue;
    if (await isOutByItself(stored, facts, options)) continue;
    const sent = await sendDecided(await decideOne(stored, facts, context), options);
    // Whether it was sent is unknown: later nonces and those with the same nonce wait for the next observation.
    if (sent === 'unsure' || sent === 'nonce-used') return;
    if (sent !== 'sent' || stored.signed === null) continue;
    facts = { ...facts, pendingNonce: Math.max(facts.pendingNonce, stored.signed.nonce + 1) };
  }
}

const isToBeResent = (stored: StoredAutoTx, { context }: SenderOptions): boolean =>
  isResendDue(stored.state, context.wallNow()) && isDueNow(stored, context);

const NONCES_BELOW: ReadonlySet<string> = new Set(['nonce_gap', 'nonce_order']);

/** @param pendingNonce of its sender, once it is known: the gap that it waits for may just have been filled */
function isToBeDecided(
  stored: StoredAutoTx,
  { context, isWhole }: SenderOptions,
  pendingNonce = Number.POSITIVE_INFINITY,
): boolean {
  const { status, hold } = stored.state;
  if (status !== 'PENDING' || !isDueNow(stored, context)) return false;
  if (hold === null || isWhole || hold.retryAt <= context.wallNow()) return true;
  return NONCES_BELOW.has(hold.code) && (stored.signed?.nonce ?? 0) <= pendingNonce;
}

/** Its own bytes may have used its nonce: observations decide, and until they are consistent nothing else does. */
function mayBeDecided(
  { state, signed }: StoredAutoTx,
  observation: Observation | null | undefined,
  nextNonce: number,
): boolean {
  if (!state.mayBeOut) return true;
  return (
    observation !== null &&
    observation !== undefined &&
    !observation.isKnown &&
    nextNonce <= (signed?.nonce ?? 0)
  );
}

/** The transaction that has its nonce may be this very one, sent elsewhere by its signer: observations alone settle that. */
async function isOutByItself(
  stored: StoredAutoTx,
  { nextNonce, pendingNonce }: SenderFacts,
  options: SenderOptions,
): Promise<boolean> {
  const { from, nonce } = stored.signed ?? {};
  if (from === undefined || nonce === undefined || nonce >= pendingNonce || stored.state.mayBeOut)
    return false;
  const after = await followAnew(stored, from, options);
  return isUsed(stored, nextNonce) || after.observation === null || after.observation.isKnown;
}

const followAnew = async (stored: StoredAutoTx, from: Hex, options: SenderOptions): Promise<Followed> =>
  followOne(stored, await nonceOf(from, options), options);

/** A node says that its nonce is used: the chain tells whether by itself or by another transaction. */
async function observeAgain(stored: StoredAutoTx, options: SenderOptions): Promise<void> {
  const { context } = options;
  const from = stored.signed?.from;
  if (from === undefined) return;
  const after = await followAnew(stored, from, options);
  if (!isUnseen(after)) return;
  await happen(after.stored, declined(after.stored, sendObstacle('nonce_used'), context), context);
}

interface Followed {
  readonly stored: StoredAutoTx;
  /** `null` when the node's responses were inconsistent. */
  readonly observation: Observation | null;
}

/** The node may be ahead of one that has no receipt yet: nothing is decided before the next head, or this time. */
const CERTAIN_MS = 3_000;

/** Observes an auto-tx that a node may have, and stores the result. Rejects as the node or the store do. */
async function followOne(stored: StoredAutoTx, nextNonce: number, options: SenderOptions): Promise<Followed> {
  const { context, head, used } = options;
  const observation = await observe(stored, nextNonce, options);
  if (observation === null) return { stored, observation };
  if (observation.inclusion !== null || observation.nextNonce <= (stored.signed?.nonce ?? 0))
    used.delete(stored.id);
  else {
    const now = context.steadyNow();
    const { since, first } = used.get(stored.id) ?? { since: now, first: head.number };
    used.set(stored.id, { since, first });
    const isKnown = stored.state.takenSince !== null || head.number > first || now - since >= CERTAIN_MS;
    // Its confirmations are counted from the head, which must be fresh.
    const isCertain = isKnown && context.present() !== null;
    if (!isCertain) return { stored, observation: null };
  }
  const isNews =
    observation.inclusion !== null && observation.inclusion.blockHash !== stored.state.inclusion?.blockHash;
  const beside = isNews ? await pricesOf(stored, observation.inclusion, context) : undefined;
  // Most observations change nothing, and every write waits for the disk.
  if (beside === undefined && stepStored(stored, { type: 'observe', observation }, context) === null) {
    return { stored, observation };
  }
  const changed = await happen(stored, { type: 'observe', observation }, context, beside);
  return { stored: changed?.after ?? stored, observation };
}

const BUCKET_SEC = 300;
const NEARLY_A_DAY_SEC = 23 * 3_600;

export async function pricesOf(
  { signed }: Pick<StoredAutoTx, 'signed'>,
  { minedAt }: Pick<Inclusion, 'minedAt'>,
  { history, nativeUsd }: Pick<EngineContext, 'history' | 'nativeUsd'>,
): Promise<Beside> {
  const minedAtSec = Math.floor(minedAt / 1_000);
  const [day, oldest] = await Promise.all([
    history.referencePrices(minedAtSec),
    history.reachesBackTo(BUCKET_SEC),
  ]);
  // In a chain's first hours there is no mean of a day.
  const isDay = oldest !== null && oldest <= minedAtSec - NEARLY_A_DAY_SEC;
  const dayMeanPrice =
    day === null || signed === null || !isDay ? null : ownPriceAt(signed, BigInt(day.base));
  return { dayMeanPrice, nativeUsd: nativeUsd() };
}

/** `null` when responses are inconsistent, so that the next head must decide. Rejects as the node or the store do. */
async function observe(
  { state, signed }: StoredAutoTx,
  nextNonce: number,
  options: SenderOptions,
): Promise<Observation | null> {
  if (signed === null) return null;
  const { context, head, signal } = options;
  const { source } = context;
  // Requested before: a transaction that has used the nonce by then has a receipt in this later request.
  const isTaken = nextNonce > signed.nonce;
  // For an ended auto-tx only its inclusion matters.
  if (isFinal(state.status) && !isTaken) {
    return { head: head.number, inclusion: null, isKnown: false, nextNonce };
  }
  const receipt = await abortable(source.receipt(signed.hash), signal);
  if (receipt !== null) {
    const inclusion = await inclusionOf(receipt, signed, options);
    return inclusion && { head: head.number, inclusion, isKnown: true, nextNonce };
  }
  const transaction = await abortable(source.transaction(signed.hash), signal);
  // One node has it mined, while another has no receipt yet.
  if (transaction !== null && transaction.blockNumber !== null) return null;
  return { head: head.number, inclusion: null, isKnown: transaction !== null, nextNonce };
}

/** `null` when its block is not on the followed chain, or not known yet. */
async function inclusionOf(
  receipt: ChainReceipt,
  signed: Bid,
  { context: { source, blocks }, signal }: SenderOptions,
): Promise<Inclusion | null> {
  const { blockNumber, blockHash } = receipt;
  const [stored] = await blocks.page(blockNumber, 1);
  // Above the stored head there may be a branch whose reorg is not stored yet.
  if (stored === undefined) return null;
  const ours = stored.number === blockNumber ? stored : null;
  if (ours !== null && ours.hash !== null && ours.hash !== blockHash) return null;
  const block = ours ?? (await abortable(source.block(blockNumber), signal));
  if (block === null || (block.hash !== null && block.hash !== blockHash)) return null;
  return inclusionBy(receipt, signed, block);
}

export const inclusionBy = (
  receipt: ChainReceipt,
  signed: Bid,
  { timestamp, baseFeePerGas }: Pick<Block, 'timestamp' | 'baseFeePerGas'>,
): Inclusion => ({
  blockNumber: receipt.blockNumber,
  blockHash: receipt.blockHash,
  outcome: receipt.status,
  gasUsed: receipt.gasUsed,
  effectiveGasPrice: receipt.effectiveGasPrice ?? paysAt(signed, baseFeePerGas),
  otherFees: receipt.blobFee + receipt.dataFee,
  minedAt: timestamp * 1_000,
});
