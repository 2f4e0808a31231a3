import { DeadlineError, Turns, withDeadline } from '../../chain/async.ts';
import { ChainError } from '../../chain/chain-source.ts';
import type { KeptAutoTx } from '../../core/auto-txs/kept-auto-tx.ts';
import type { Look } from '../../core/auto-txs/state-machine.ts';
import { cannotBroadcastReason } from '../../core/auto-txs/target.ts';
import type { Block, Hex } from '../../core/block.ts';
import { StoreError } from '../../store/errors.ts';
import { Alarm, mapBounded } from '../async.ts';
import { dataFeesOf } from '../data-fees.ts';
import type { Lease } from '../leader.ts';
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
  askOfSender,
  type Followed,
  type FollowOptions,
  followOne,
  PARALLEL,
  type SenderQuestions,
} from './observe.ts';

/** Times come without a head: what expires, what was held, what a node did not answer. */
const LOOK_MS = 2_000;

interface AutoTxsOptions extends EngineContext {
  readonly lease: Lease;
  readonly signal: AbortSignal;
}

interface RunningAutoTxs {
  /** There is a new head, or an auto-tx was made, changed or cancelled. */
  wake(): void;
  /** Resolves once nothing is under way any more after the abort; never rejects. */
  readonly done: () => Promise<void>;
}

/** Sends auto-txs and follows what becomes of them while, and only while, this process holds the lease. */
export function startAutoTxs(options: AutoTxsOptions): RunningAutoTxs {
  const { lease, source, onError } = options;
  const alarm = new Alarm();

  async function run(until: AbortSignal): Promise<void> {
    const engine = new AutoTxEngine(options, until);
    until.addEventListener('abort', alarm.ring, { once: true });
    while (!until.aborted) {
      try {
        await engine.turn();
      } catch (error) {
        // Another process has the lease now: this one hears of it soon.
        const isLost = error instanceof StoreError && error.code === 'not-holder';
        if (!until.aborted && !isLost) onError(error);
        if (isLost) void lease.look();
      }
      await alarm.pause(LOOK_MS);
    }
    await engine.idle();
  }

  const canSend = cannotBroadcastReason(source.kind) === null;
  return { wake: alarm.ring, done: canSend ? lease.whileHeld(run, options) : async () => {} };
}

/** Senders whose turns go on at the same time. */
const SENDERS_AT_ONCE = 32;
/**
 * The longest turn of a sender: where a node does not answer its questions the turn ends, and the next comes with the
 * next head.
 */
const SENDER_MS = 10_000;
const PAGE = 500;
/** What is due beyond these waits for the next look. */
const MOST_DUE = 2_000;
/** The most senders that are looked at in a second, however quickly blocks come: each look asks a node. */
const LOOKS_PER_SEC = 50;
/** How often a sender that is to be looked at soon is looked at without a new head. */
const LOOK_AGAIN_MS = 2_000;
/** How often each sender is looked at: no block says whose nonce was used elsewhere, or who has funds now. */
const ROUND_MS = 60_000;
/** How often signed bytes of what has ended are looked through. */
const PRUNE_MS = 60_000;
/** Senders of a round that a turn takes: a request for each. */
const ROUND_AT_ONCE = 8;

/** Why a sender has its turn. */
interface Visit {
  /** Those of its auto-txs that are to be looked at. */
  readonly followed: readonly KeptAutoTx[];
  /** Pending ones are checked too, and held ones are tried again, before they are due. */
  readonly isWhole: boolean;
}

/** The last turn of a sender with something out, by the steady clock. */
interface Visited {
  readonly at: number;
  readonly head: Block;
  /** It is worth looking again without a new head. */
  readonly isSoon: boolean;
}

/**
 * What becomes of auto-txs, turn by turn: ends what has expired, looks what has become of what is out, and sends what is due.
 * Each sender has a queue of its own: a request that hangs delays no other sender.
 */
export class AutoTxEngine {
  readonly #context: EngineContext;
  readonly #signal: AbortSignal;
  readonly #slots = new Turns(SENDERS_AT_ONCE);
  readonly #busy = new Map<Hex, Promise<void>>();
  readonly #used: FollowOptions['used'] = new Map();
  readonly #visited = new Map<Hex, Visited>();
  /** The last sender of this round; empty: the round is over. */
  #roundAt = '';
  #roundBeganAt = Number.NEGATIVE_INFINITY;
  #prunedAt = Number.NEGATIVE_INFINITY;

  /** @param signal nothing new is begun after it aborts */
  constructor(context: EngineContext, signal: AbortSignal) {
    this.#context = context;
    this.#signal = signal;
  }

  /** Begins what there is to do now. Rejects with a `StoreError`. */
  async turn(): Promise<void> {
    const { store, present, blocks, profile } = this.#context;
    await this.#prune();
    if (!(await store.hasOpen())) return;
    await this.#expire();
    const head = present()?.head ?? (await blocks.head());
    if (head === null || profile() === null || this.#signal.aborted) return;
    const visits = new Map<Hex, Visit>();
    // What is due has the price of one block: those senders come first.
    for (const from of await this.#due()) visits.set(from, { followed: [], isWhole: false });
    for (const [from, followed] of await this.#followed(head)) visits.set(from, { followed, isWhole: false });
    for (const from of await this.#nextOfRound()) {
      visits.set(from, { followed: visits.get(from)?.followed ?? [], isWhole: true });
    }
    for (const [from, visit] of visits) this.#begin(from, visit, head);
  }

  /** Resolves once nothing is under way; never rejects. */
  async idle(): Promise<void> {
    while (this.#busy.size > 0) await Promise.all(this.#busy.values());
  }

  /** Deleted bytes cannot be had back, so the chain's time has to agree with the clock. */
  async #prune(): Promise<void> {
    const { store, agreedNow, steadyNow } = this.#context;
    const now = agreedNow();
    // Before the first block nothing is agreed.
    if (now === 0 || steadyNow() - this.#prunedAt < PRUNE_MS) return;
    this.#prunedAt = steadyNow();
    await store.forgetSigned(now);
  }

  async #expire(): Promise<void> {
    const { store, agreedNow } = this.#context;
    for (;;) {
      const expiring = await store.expiring(agreedNow(), PAGE);
      let ended = 0;
      for (const each of expiring) if ((await this.#end(each)) !== null) ended++;
      if (expiring.length < PAGE || ended === 0 || this.#signal.aborted) return;
    }
  }

  /** Its owner may have given it more time by now. */
  #end({ id, owner }: KeptAutoTx) {
    const { store, agreedNow } = this.#context;
    return store.change(
      { id, owner },
      (kept) => {
        const { expiresAt } = kept.order;
        if (expiresAt === null || expiresAt > agreedNow()) return null;
        return stepKept(kept, { type: 'expire' }, this.#context);
      },
      'engine',
    );
  }

  /** Those that are to be looked at, by sender. */
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
    for (const from of this.#visited.keys()) if (!bySender.has(from)) this.#visited.delete(from);
    const pauseMs = (bySender.size * 1_000) / LOOKS_PER_SEC;
    for (const [from, { length }] of bySender) {
      if (length === 0 || !this.#isToBeLookedAt(from, head, pauseMs)) bySender.delete(from);
    }
    return bySender;
  }

  #isToBeLookedAt(from: Hex, head: Block, pauseMs: number): boolean {
    const last = this.#visited.get(from);
    if (last === undefined) return true;
    const passed = this.#context.steadyNow() - last.at;
    if (last.isSoon && passed >= LOOK_AGAIN_MS) return true;
    return last.head.hash !== head.hash && passed >= pauseMs;
  }

  /** A reorg is told by who follows the chain: until a block is deep enough there is nothing more to be asked of it. */
  #isBeingConfirmed({ state: { inclusion } }: KeptAutoTx, head: Block): boolean {
    const chain = this.#context.profile();
    if (inclusion === null || chain === null) return false;
    return head.number - inclusion.blockNumber + 1 < this.#context.confirmations(chain);
  }

  /** Senders of what is due. */
  async #due(): Promise<ReadonlySet<Hex>> {
    const { store, present, wallNow } = this.#context;
    const now = present();
    if (now === null) return new Set();
    const due = await store.reached(now, { now: wallNow(), limit: MOST_DUE });
    return new Set(due.flatMap(({ signed }) => (signed === null ? [] : [signed.from])));
  }

  /** The next senders of what may still be sent, or is, once a minute each. */
  async #nextOfRound(): Promise<readonly Hex[]> {
    const { store, present, steadyNow } = this.#context;
    // What a node says of nonces counts from a head that is now alone.
    if (present() === null) return [];
    if (this.#roundAt === '') {
      if (steadyNow() - this.#roundBeganAt < ROUND_MS) return [];
      this.#roundBeganAt = steadyNow();
    }
    const senders = await store.liveSenders(this.#roundAt, ROUND_AT_ONCE);
    this.#roundAt = senders.length < ROUND_AT_ONCE ? '' : (senders.at(-1) ?? '');
    return senders;
  }

  #begin(from: Hex, visit: Visit, head: Block): void {
    if (this.#signal.aborted || this.#busy.has(from)) return;
    const work = this.#slots
      .take(() => this.#runSender(from, visit, this.#context.present()?.head ?? head), this.#signal)
      .catch((error: unknown) => this.#tell(error))
      .finally(() => this.#busy.delete(from));
    this.#busy.set(from, work);
  }

  async #runSender(from: Hex, { followed, isWhole }: Visit, head: Block): Promise<void> {
    const at = this.#context.steadyNow();
    let isSoon = true;
    try {
      isSoon = await withDeadline(this.#context.senderMs ?? SENDER_MS, this.#signal, (signal) =>
        runSenderTurn(from, followed, { context: this.#context, head, used: this.#used, isWhole, signal }),
      );
    } finally {
      if (followed.length > 0) this.#visited.set(from, { at, head, isSoon });
    }
  }

  /** That a node is away is told by who follows it, and that another process has the lease by the lease. */
  #tell(error: unknown): void {
    if (this.#signal.aborted || error instanceof ChainError || error instanceof DeadlineError) return;
    if (error instanceof StoreError && error.code === 'not-holder') return;
    this.#context.onError(error);
  }
}

interface SenderTurnOptions extends FollowOptions, Pick<Visit, 'isWhole'> {}

/**
 * One sender's turn: looks what has become of those of its auto-txs that may be out, then sends what is due, in the order of
 * their nonces. Returns whether the sender is to be looked at again soon. Rejects as the node or the store do; what was
 * decided by then is written down.
 */
async function runSenderTurn(
  from: Hex,
  followed: readonly KeptAutoTx[],
  options: SenderTurnOptions,
): Promise<boolean> {
  const { context, signal, isWhole } = options;
  const sender = askOfSender(context.source, from, signal);
  const looked = await mapBounded(followed, PARALLEL, signal, (kept) => followOne(kept, sender, options));
  for (const each of looked) {
    if (isUnsure(each)) await sendDecided(await decideAgain(each.kept, context), options);
  }
  if (isWhole) await lookAtUnsent(from, sender, options);
  await sendDue(from, sender, looked, options);
  return looked.some(
    ({ kept: { state }, isSoon }) => isSoon || (state.status === 'SUBMITTED' && state.sentAt === null),
  );
}

/** The nonces of pending ones may be used elsewhere: one request tells. */
async function lookAtUnsent(from: Hex, sender: SenderQuestions, options: SenderTurnOptions): Promise<void> {
  const nextNonce = await sender.nextNonce();
  for (const kept of await options.context.store.live(from)) {
    const { status, mayBeOut, takenSince } = kept.state;
    if (status === 'SUBMITTED' || mayBeOut) continue;
    if (isUsed(kept, nextNonce) || takenSince !== null) await followOne(kept, sender, options);
  }
}

/** Whether the chain has its nonce already. */
const isUsed = ({ signed }: KeptAutoTx, nextNonce: number) => signed !== null && signed.nonce < nextNonce;

/** It was decided to send it, and whether that was done is unknown: after a crash, or when no node answered. */
const isUnsure = ({ kept, look }: Followed): boolean =>
  kept.state.status === 'SUBMITTED' &&
  kept.state.sentAt === null &&
  look !== null &&
  !look.isKnown &&
  look.nextNonce <= (kept.signed?.nonce ?? 0);

/** Gives to the nodes what it was decided to send; `null`: nothing. */
async function sendDecided(decided: Decided | null, options: SenderTurnOptions): Promise<Sent | null> {
  if (decided === null) return null;
  const sent = await sendOne(decided, options.context);
  if (sent === 'nonce-used') await lookAgain(decided.kept, options);
  return sent;
}

async function sendDue(
  from: Hex,
  questions: SenderQuestions,
  looked: readonly Followed[],
  options: SenderTurnOptions,
): Promise<void> {
  const { context, signal } = options;
  const looks = new Map(looked.map(({ kept, look }) => [kept.id, look]));
  const live = await context.store.live(from);
  if (!live.some((kept) => isToBeDecided(kept, options))) return;
  const [nextNonce, pendingNonce, balance, dataFees] = await Promise.all([
    questions.nextNonce(),
    // As it is now: what was not known to be out may have been sent again.
    askOfSender(context.source, from, signal).pendingNonce(),
    questions.balance(),
    dataFeesOf(context.source, context.profile()),
  ]);
  const sender = { nextNonce, pendingNonce: Math.max(nextNonce, pendingNonce), balance, live, dataFees };
  let facts: SenderFacts = sender;
  for (const kept of live) {
    if (signal.aborted) return;
    if (!isToBeDecided(kept, options) || !mayBeDecided(kept, looks.get(kept.id), nextNonce)) continue;
    if (isStillGapped(kept, facts, context) || (await isOutByItself(kept, facts, options))) continue;
    const sent = await sendDecided(await decideOne(kept, facts, context), options);
    // Nobody knows whether it is out: what comes after it, or has its nonce, waits until the next look tells.
    if (sent === 'unsure' || sent === 'nonce-used') return;
    if (sent !== 'sent' || kept.signed === null) continue;
    facts = { ...facts, pendingNonce: Math.max(facts.pendingNonce, kept.signed.nonce + 1) };
  }
}

/** What is in the way while others have to go before. */
const NONCES_BELOW: ReadonlySet<string> = new Set(['nonce_gap', 'nonce_order']);

function isToBeDecided(kept: KeptAutoTx, { context, used, head, isWhole }: SenderTurnOptions): boolean {
  const { status, hold, takenSince } = kept.state;
  if (status !== 'PENDING' || !isDueNow(kept, context)) return false;
  // Its nonce is used: at this head there is no more to be seen of it.
  if (takenSince !== null && used.get(kept.id)?.head === head.number) return false;
  // A gap may have been filled just now, by the one before it.
  return hold === null || isWhole || hold.retryAt <= context.wallNow() || NONCES_BELOW.has(hold.code);
}

/** Its own bytes may be what used its nonce: the looks tell, and until they fit together nothing else does. */
function mayBeDecided(
  { state, signed }: KeptAutoTx,
  look: Look | null | undefined,
  nextNonce: number,
): boolean {
  if (!state.mayBeOut) return true;
  return look !== null && look !== undefined && !look.isKnown && nextNonce <= (signed?.nonce ?? 0);
}

/**
 * What has its nonce, in the chain or in the pool, may be this very transaction: whoever signed it can send it. Whose nonce is
 * used is settled by looks alone.
 */
async function isOutByItself(
  kept: KeptAutoTx,
  { nextNonce, pendingNonce }: SenderFacts,
  options: SenderTurnOptions,
): Promise<boolean> {
  const { from, nonce } = kept.signed ?? {};
  if (from === undefined || nonce === undefined || nonce >= pendingNonce || kept.state.mayBeOut) return false;
  const { context, signal } = options;
  const after = await followOne(kept, askOfSender(context.source, from, signal), options);
  return isUsed(kept, nextNonce) || after.look === null || after.look.isKnown;
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

/** A node says that its nonce is used: whether by itself or by another, the chain tells, not the node's words. */
async function lookAgain(kept: KeptAutoTx, options: SenderTurnOptions): Promise<void> {
  const { context, signal } = options;
  const from = kept.signed?.from;
  if (from === undefined) return;
  const after = await followOne(kept, askOfSender(context.source, from, signal), options);
  if (!isUnsure(after)) return;
  await happen(after.kept, declined(after.kept, sendObstacle('nonce_used'), context), context);
}
