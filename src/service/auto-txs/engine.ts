import { ConcurrencyLimit, DeadlineError, withDeadline } from '../../chain/async.ts';
import { ChainError } from '../../chain/chain-source.ts';
import type { KeptAutoTx } from '../../core/auto-txs/kept-auto-tx.ts';
import type { Observation } from '../../core/auto-txs/state-machine.ts';
import { cannotBroadcastReason } from '../../core/auto-txs/target.ts';
import type { Block, Hex } from '../../core/block.ts';
import { StoreError } from '../../store/errors.ts';
import { Alarm, mapBounded } from '../async.ts';
import { dataFeesOf } from '../data-fees.ts';
import type { LeaderWork, Lease } from '../leader.ts';
import {
  type Decided,
  decideAgain,
  decideOne,
  declined,
  type EngineContext,
  happen,
  isDueNow,
  type SenderFacts,
  type Sent,
  sendObstacle,
  sendOne,
  stepKept,
} from './broadcast.ts';
import {
  type Followed,
  type FollowOptions,
  followOne,
  PARALLEL,
  type SenderReads,
  senderReads,
} from './observe.ts';

/** Some events come without a head: expiry, retries of held auto-txs, late responses of a node. */
const POLL_MS = 2_000;

interface AutoTxsOptions extends EngineContext {
  readonly lease: Lease;
  readonly signal: AbortSignal;
}

/**
 * Sends and follows auto-txs while, and only while, this process holds the lease. Wake it for a new head, or when an
 * auto-tx was created, changed or cancelled.
 */
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
        // Another process took the lease; this one will notice soon.
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
/** Time limit of one sender: if a node does not respond, processing ends, and continues with the next head. */
const SENDER_MS = 10_000;
const PAGE = 500;
/** Further due auto-txs wait for the next poll. */
const MOST_DUE = 2_000;
/** Maximum number of senders processed per second, however fast blocks come: each costs a request. */
const SENDERS_PER_SEC = 50;
/** How often a sender is processed without a new head, while its state may change soon. */
const REPEAT_MS = 2_000;
/** How often each sender is processed: no block tells that a nonce was used elsewhere or that funds arrived. */
const ROUND_MS = 60_000;
/** How often signed bytes of ended auto-txs are checked for deletion. */
const PRUNE_MS = 60_000;
/** Senders of a round per turn: a request each. */
const ROUND_AT_ONCE = 8;

interface SenderTask {
  readonly followed: readonly KeptAutoTx[];
  /** Also checks pending auto-txs, and retries held ones, before they are due. */
  readonly isWhole: boolean;
}

/** The last processing of a sender with submitted auto-txs, by the monotonic clock. */
interface LastRun {
  readonly at: number;
  readonly head: Block;
  /** Its state may change without a new head. */
  readonly isSoon: boolean;
}

/**
 * Processes auto-txs in turns: expires them, observes submitted ones, and sends due ones. Each sender has its own
 * queue: a request that hangs delays no other sender.
 */
export class AutoTxEngine {
  readonly #context: EngineContext;
  readonly #signal: AbortSignal;
  readonly #slots = new ConcurrencyLimit(SENDERS_AT_ONCE);
  readonly #busy = new Map<Hex, Promise<void>>();
  readonly #used: FollowOptions['used'] = new Map();
  readonly #lastRuns = new Map<Hex, LastRun>();
  /** The last sender of this round; empty: the round is over. */
  #roundAt = '';
  #roundBeganAt = Number.NEGATIVE_INFINITY;
  #prunedAt = Number.NEGATIVE_INFINITY;

  /** @param signal Nothing new starts after its abort. */
  constructor(context: EngineContext, signal: AbortSignal) {
    this.#context = context;
    this.#signal = signal;
  }

  /** Starts the work that is due now. Rejects with a `StoreError`. */
  async turn(): Promise<void> {
    const { store, present, blocks, profile } = this.#context;
    await this.#prune();
    if (!(await store.hasOpen())) return;
    await this.#expire();
    const head = present()?.head ?? (await blocks.head());
    if (head === null || profile() === null || this.#signal.aborted) return;
    const tasks = new Map<Hex, SenderTask>();
    // Due auto-txs depend on the price of one block: their senders come first.
    for (const from of await this.#due()) tasks.set(from, { followed: [], isWhole: false });
    for (const [from, followed] of await this.#followed(head)) tasks.set(from, { followed, isWhole: false });
    for (const from of await this.#nextOfRound()) {
      tasks.set(from, { followed: tasks.get(from)?.followed ?? [], isWhole: true });
    }
    for (const [from, task] of tasks) this.#begin(from, task, head);
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
    // Its owner may have extended it by now.
    const expire = (kept: KeptAutoTx) => {
      const { expiresAt } = kept.order;
      if (expiresAt === null || expiresAt > agreedNow()) return null;
      return stepKept(kept, { type: 'expire' }, this.#context);
    };
    for (;;) {
      const expiring = await store.expiring(agreedNow(), PAGE);
      let ended = 0;
      for (const { id, owner } of expiring) {
        const changed = await store.change({ id, owner }, expire, 'engine');
        if (changed !== null) ended++;
      }
      if (expiring.length < PAGE || ended === 0 || this.#signal.aborted) return;
    }
  }

  async #followed(head: Block): Promise<Map<Hex, KeptAutoTx[]>> {
    const bySender = new Map<Hex, KeptAutoTx[]>();
    let after: KeptAutoTx | null = null;
    do {
      const page: KeptAutoTx[] = await this.#context.store.following({ limit: PAGE, after });
      for (const each of page) {
        if (each.signed === null) continue;
        const { from } = each.signed;
        const others = bySender.get(from) ?? [];
        bySender.set(from, this.#isBeingConfirmed(each, head) ? others : [...others, each]);
      }
      after = page.length < PAGE ? null : (page.at(-1) ?? null);
    } while (after !== null && !this.#signal.aborted);
    for (const from of this.#lastRuns.keys()) if (!bySender.has(from)) this.#lastRuns.delete(from);
    const pauseMs = (bySender.size * 1_000) / SENDERS_PER_SEC;
    for (const [from, { length }] of bySender) {
      if (length === 0 || !this.#isToBeLookedAt(from, head, pauseMs)) bySender.delete(from);
    }
    return bySender;
  }

  #isToBeLookedAt(from: Hex, head: Block, pauseMs: number): boolean {
    const last = this.#lastRuns.get(from);
    if (last === undefined) return true;
    const passed = this.#context.steadyNow() - last.at;
    if (last.isSoon && passed >= REPEAT_MS) return true;
    return last.head.hash !== head.hash && passed >= pauseMs;
  }

  /** The follower reports reorgs: until a block is deep enough there is nothing more to request. */
  #isBeingConfirmed({ state: { inclusion } }: KeptAutoTx, head: Block): boolean {
    const chain = this.#context.profile();
    if (inclusion === null || chain === null) return false;
    return head.number - inclusion.blockNumber + 1 < this.#context.confirmations(chain);
  }

  async #due(): Promise<ReadonlySet<Hex>> {
    const { store, present, wallNow } = this.#context;
    const now = present();
    if (now === null) return new Set();
    const due = await store.reached(now, { now: wallNow(), limit: MOST_DUE });
    return new Set(due.flatMap(({ signed }) => (signed === null ? [] : [signed.from])));
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
    const senders = await store.liveSenders(this.#roundAt, ROUND_AT_ONCE);
    this.#roundAt = senders.length < ROUND_AT_ONCE ? '' : (senders.at(-1) ?? '');
    return senders;
  }

  #begin(from: Hex, task: SenderTask, head: Block): void {
    if (this.#signal.aborted || this.#busy.has(from)) return;
    const work = this.#slots
      .take(() => this.#runSender(from, task, this.#context.present()?.head ?? head), this.#signal)
      .catch((error: unknown) => this.#tell(error))
      .finally(() => this.#busy.delete(from));
    this.#busy.set(from, work);
  }

  async #runSender(from: Hex, { followed, isWhole }: SenderTask, head: Block): Promise<void> {
    const at = this.#context.steadyNow();
    let isSoon = true;
    try {
      isSoon = await withDeadline(this.#context.senderMs ?? SENDER_MS, this.#signal, (signal) =>
        runSenderTurn(from, followed, { context: this.#context, head, used: this.#used, isWhole, signal }),
      );
    } finally {
      if (followed.length > 0) this.#lastRuns.set(from, { at, head, isSoon });
    }
  }

  /** The follower reports unavailable nodes, and the lease a change of leader. */
  #tell(error: unknown): void {
    if (this.#signal.aborted || error instanceof ChainError || error instanceof DeadlineError) return;
    if (error instanceof StoreError && error.code === 'not-holder') return;
    this.#context.onError(error);
  }
}

interface SenderTurnOptions extends FollowOptions, Pick<SenderTask, 'isWhole'> {}

/**
 * Processes one sender: observes those of its auto-txs that a node may have, then sends due ones, in the order of
 * their nonces. Returns whether to process the sender again soon. Rejects as the node or the store do; earlier
 * decisions are stored by then.
 */
async function runSenderTurn(
  from: Hex,
  followed: readonly KeptAutoTx[],
  options: SenderTurnOptions,
): Promise<boolean> {
  const { context, signal, isWhole } = options;
  const sender = senderReads(context.source, from, signal);
  const observed = await mapBounded(followed, PARALLEL, signal, (kept) => followOne(kept, sender, options));
  for (const each of observed) {
    if (isUnsure(each)) await sendDecided(await decideAgain(each.kept, context), options);
  }
  if (isWhole) await observeUnsent(from, sender, options);
  await sendDue(from, sender, observed, options);
  return observed.some(
    ({ kept: { state }, isSoon }) => isSoon || (state.status === 'SUBMITTED' && state.sentAt === null),
  );
}

/** The nonces of pending auto-txs may be used elsewhere: one request tells. */
async function observeUnsent(from: Hex, sender: SenderReads, options: SenderTurnOptions): Promise<void> {
  const nextNonce = await sender.nextNonce();
  for (const kept of await options.context.store.live(from)) {
    const { status, mayBeOut, takenSince } = kept.state;
    if (status === 'SUBMITTED' || mayBeOut) continue;
    if (isUsed(kept, nextNonce) || takenSince !== null) await followOne(kept, sender, options);
  }
}

const isUsed = ({ signed }: KeptAutoTx, nextNonce: number) => signed !== null && signed.nonce < nextNonce;

/** Submitted, but whether it was sent is unknown: after a crash, or when no node responded. */
const isUnsure = ({ kept, observation }: Followed): boolean =>
  kept.state.status === 'SUBMITTED' &&
  kept.state.sentAt === null &&
  observation !== null &&
  !observation.isKnown &&
  observation.nextNonce <= (kept.signed?.nonce ?? 0);

async function sendDecided(decided: Decided | null, options: SenderTurnOptions): Promise<Sent | null> {
  if (decided === null) return null;
  const sent = await sendOne(decided, options.context);
  if (sent === 'nonce-used') await observeAgain(decided.kept, options);
  return sent;
}

async function sendDue(
  from: Hex,
  reads: SenderReads,
  observed: readonly Followed[],
  options: SenderTurnOptions,
): Promise<void> {
  const { context, signal } = options;
  const observations = new Map(observed.map(({ kept, observation }) => [kept.id, observation]));
  const live = await context.store.live(from);
  if (!live.some((kept) => isToBeDecided(kept, options))) return;
  const [nextNonce, pendingNonce, balance, dataFees] = await Promise.all([
    reads.nextNonce(),
    // Requested again: an auto-tx in doubt may have been sent since.
    senderReads(context.source, from, signal).pendingNonce(),
    reads.balance(),
    dataFeesOf(context.source, context.profile()),
  ]);
  const sender = { nextNonce, pendingNonce: Math.max(nextNonce, pendingNonce), balance, live, dataFees };
  let facts: SenderFacts = sender;
  for (const kept of live) {
    if (signal.aborted) return;
    if (!isToBeDecided(kept, options) || !mayBeDecided(kept, observations.get(kept.id), nextNonce)) continue;
    if (isStillGapped(kept, facts, context) || (await isOutByItself(kept, facts, options))) continue;
    const sent = await sendDecided(await decideOne(kept, facts, context), options);
    // Whether it was sent is unknown: later nonces and those with the same nonce wait for the next observation.
    if (sent === 'unsure' || sent === 'nonce-used') return;
    if (sent !== 'sent' || kept.signed === null) continue;
    facts = { ...facts, pendingNonce: Math.max(facts.pendingNonce, kept.signed.nonce + 1) };
  }
}

const NONCES_BELOW: ReadonlySet<string> = new Set(['nonce_gap', 'nonce_order']);

function isToBeDecided(kept: KeptAutoTx, { context, used, head, isWhole }: SenderTurnOptions): boolean {
  const { status, hold, takenSince } = kept.state;
  if (status !== 'PENDING' || !isDueNow(kept, context)) return false;
  // Its nonce is used: this head can show no more.
  if (takenSince !== null && used.get(kept.id)?.head === head.number) return false;
  // The previous auto-tx may just have filled the gap.
  return hold === null || isWhole || hold.retryAt <= context.wallNow() || NONCES_BELOW.has(hold.code);
}

/** Its own bytes may have used its nonce: observations decide, and until they are consistent nothing else does. */
function mayBeDecided(
  { state, signed }: KeptAutoTx,
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

/**
 * The transaction that has its nonce, in the chain or in the pool, may be this very one: its signer can send it
 * elsewhere. Observations alone settle whose nonce is used.
 */
async function isOutByItself(
  kept: KeptAutoTx,
  { nextNonce, pendingNonce }: SenderFacts,
  options: SenderTurnOptions,
): Promise<boolean> {
  const { from, nonce } = kept.signed ?? {};
  if (from === undefined || nonce === undefined || nonce >= pendingNonce || kept.state.mayBeOut) return false;
  const after = await followAnew(kept, from, options);
  return isUsed(kept, nextNonce) || after.observation === null || after.observation.isKnown;
}

const isStillGapped = (
  { state: { hold }, signed }: KeptAutoTx,
  { pendingNonce }: SenderFacts,
  { wallNow }: EngineContext,
): boolean =>
  hold !== null &&
  NONCES_BELOW.has(hold.code) &&
  hold.retryAt > wallNow() &&
  (signed?.nonce ?? 0) > pendingNonce;

const followAnew = (kept: KeptAutoTx, from: Hex, options: SenderTurnOptions): Promise<Followed> =>
  followOne(kept, senderReads(options.context.source, from, options.signal), options);

/** A node says that its nonce is used: the chain tells whether by itself or by another transaction. */
async function observeAgain(kept: KeptAutoTx, options: SenderTurnOptions): Promise<void> {
  const { context } = options;
  const from = kept.signed?.from;
  if (from === undefined) return;
  const after = await followAnew(kept, from, options);
  if (!isUnsure(after)) return;
  await happen(after.kept, declined(after.kept, sendObstacle('nonce_used'), context), context);
}
