import { Turns } from '../../chain/async.ts';
import { ChainError } from '../../chain/chain-source.ts';
import type { KeptAutoTx } from '../../core/auto-txs/kept-auto-tx.ts';
import type { Look } from '../../core/auto-txs/state-machine.ts';
import { cannotBroadcastReason } from '../../core/auto-txs/target.ts';
import type { Block, Hex } from '../../core/block.ts';
import { StoreError } from '../../store/errors.ts';
import { mapBounded, sleep } from '../async.ts';
import type { Lease, LeaseState } from '../leader.ts';
import {
  decideAgain,
  decideOne,
  type EngineContext,
  happen,
  isDueAt,
  retryLater,
  type SenderFacts,
  type Sent,
  sendOne,
  stepKept,
} from './broadcast.ts';
import { askOfSender, type Followed, followOne, type Seen, type SenderQuestions } from './observe.ts';

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
  const { lease, signal, source, onError } = options;
  let stop = new AbortController();
  let work: Promise<void> = Promise.resolve();
  let isWoken = false;
  let wakeUp = () => {};

  const wake = () => {
    isWoken = true;
    wakeUp();
  };

  async function pause(until: AbortSignal): Promise<void> {
    if (isWoken) return;
    const woken = new AbortController();
    const end = () => woken.abort();
    wakeUp = end;
    until.addEventListener('abort', end, { once: true });
    if (!until.aborted) await sleep(LOOK_MS, woken.signal);
    until.removeEventListener('abort', end);
    wakeUp = () => {};
  }

  async function run(until: AbortSignal): Promise<void> {
    const engine = new AutoTxEngine(options, until);
    let isNews = true;
    while (!until.aborted) {
      isWoken = false;
      try {
        await engine.turn(isNews);
      } catch (error) {
        // Another process has the lease now: this one hears of it soon.
        const isLost = error instanceof StoreError && error.code === 'not-holder';
        if (!until.aborted && !isLost) onError(error);
        if (isLost) void lease.look();
      }
      await pause(until);
      isNews = isWoken;
    }
    await engine.idle();
  }

  function follow(state: LeaseState): void {
    stop.abort();
    if (state !== 'holds' || signal.aborted || cannotBroadcastReason(source.kind) !== null) return;
    stop = new AbortController();
    const until = AbortSignal.any([signal, stop.signal]);
    // What was under way when the lease was lost ends first.
    work = work.then(() => run(until)).catch(onError);
  }

  lease.onChange(follow);
  follow(lease.state);
  return { wake, done: () => work };
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
/** With more senders in doubt than these, whole blocks are not read to say what has used their nonces. */
const DOUBTS_EXPLAINED = 8;
/** The most senders that are looked at in a second, however quickly blocks come: each look asks a node. */
const LOOKS_PER_SEC = 50;
/** How often one that was decided to be sent, and that no node is known to have, is looked for without a new head. */
const LOOK_AGAIN_MS = 2_000;

/** Why a sender has its turn. */
interface Visit {
  /** Those of its auto-txs that are to be looked at. */
  readonly followed: readonly KeptAutoTx[];
  readonly isPatrol: boolean;
}

interface Doubt {
  readonly seen: Map<string, Seen>;
  /** The head's number. */
  readonly lookedAt: number;
}

/**
 * What becomes of auto-txs, turn by turn: ends what has expired, looks what has become of what is out, and sends what is due.
 * A sender's work goes on by itself, so that one whose questions hang holds up nobody but itself.
 */
export class AutoTxEngine {
  readonly #context: EngineContext;
  readonly #signal: AbortSignal;
  readonly #slots = new Turns(SENDERS_AT_ONCE);
  readonly #busy = new Map<Hex, Promise<void>>();
  readonly #seen = new Map<string, Seen>();
  /** When those that are out were looked at: the head's hash, and the steady time. */
  readonly #looked = new Map<string, { readonly at: number; readonly head: Block }>();
  /** Senders of what was never sent, with a nonce that is used: looked at with each head until that is settled. */
  readonly #doubts = new Map<Hex, Doubt>();
  readonly #patrol: Patrol;
  /** Senders of what is out. */
  #senders = 0;
  /** Whether nothing is left to be looked at before something new comes. */
  #isQuiet = false;

  /** @param signal nothing new is begun after it aborts */
  constructor(context: EngineContext, signal: AbortSignal) {
    this.#context = context;
    this.#signal = signal;
    const { store, steadyNow } = context;
    this.#patrol = new Patrol((after, limit) => store.liveSenders(after, limit), steadyNow);
  }

  /**
   * Begins what there is to do now. Rejects with a `StoreError`.
   * @param isNews whether there is a new head, or an auto-tx was changed, since the turn before
   */
  async turn(isNews = true): Promise<void> {
    if (!(await this.#context.store.hasOpen())) return;
    await this.#expire();
    const head = this.#context.present()?.head ?? (await this.#context.blocks.head());
    if (head === null || this.#context.profile() === null || this.#signal.aborted) return;
    const visits = new Map<Hex, Visit>();
    // What is due has the price of one block: those senders come first.
    const due = await this.#due();
    const visit = (from: Hex, more: Partial<Visit> = {}) => {
      visits.set(from, { followed: [], isPatrol: false, ...visits.get(from), ...more });
    };
    for (const from of due) visit(from);
    if (isNews || !this.#isQuiet) {
      for (const [from, followed] of await this.#followed(head)) visit(from, { followed });
    }
    for (const from of await this.#toPatrol(head)) visit(from, { isPatrol: true });
    for (const [from, each] of visits) this.#begin(from, each, head);
  }

  /** What it says of nonces counts from a head that is now alone. */
  async #toPatrol(head: Block): Promise<Hex[]> {
    if (this.#context.present() === null) return [];
    const doubtful = [...this.#doubts].filter(([, { lookedAt }]) => lookedAt !== head.number);
    return [...(await this.#patrol.next()), ...doubtful.map(([from]) => from)];
  }

  /** Resolves once nothing is under way; never rejects. */
  async idle(): Promise<void> {
    while (this.#busy.size > 0) await Promise.all(this.#busy.values());
  }

  async #expire(): Promise<void> {
    const { store, wallNow } = this.#context;
    for (;;) {
      const expiring = await store.expiring(wallNow(), PAGE);
      let ended = 0;
      for (const each of expiring) if ((await this.#end(each)) !== null) ended++;
      if (expiring.length < PAGE || ended === 0 || this.#signal.aborted) return;
    }
  }

  /** Its owner may have given it more time by now. */
  #end({ id, owner }: KeptAutoTx) {
    const { store, wallNow } = this.#context;
    return store.change(
      { id, owner },
      (kept) => {
        const { expiresAt } = kept.order;
        if (expiresAt === null || expiresAt > wallNow()) return null;
        return stepKept(kept, { type: 'expire' }, this.#context);
      },
      'engine',
    );
  }

  /** Those that are to be looked at, by sender. */
  async #followed(head: Block): Promise<Map<Hex, KeptAutoTx[]>> {
    const bySender = new Map<Hex, KeptAutoTx[]>();
    const all = new Set<string>();
    const senders = new Set<Hex>();
    this.#isQuiet = true;
    let after: KeptAutoTx | null = null;
    for (;;) {
      const page: KeptAutoTx[] = await this.#context.store.following({ limit: PAGE, after });
      for (const each of page) {
        all.add(each.id);
        if (each.signed !== null) senders.add(each.signed.from);
        if (each.signed !== null && this.#isToBeLookedAt(each, head)) {
          this.#isQuiet = false;
          bySender.set(each.signed.from, [...(bySender.get(each.signed.from) ?? []), each]);
        }
      }
      after = page.at(-1) ?? null;
      if (page.length < PAGE || this.#signal.aborted) break;
    }
    this.#senders = senders.size;
    for (const known of [this.#looked, this.#seen]) {
      for (const id of known.keys()) if (!all.has(id)) known.delete(id);
    }
    return bySender;
  }

  #isToBeLookedAt(kept: KeptAutoTx, head: Block): boolean {
    const { id, state } = kept;
    const last = this.#looked.get(id);
    if (last === undefined) return true;
    const passed = this.#context.steadyNow() - last.at;
    const isUnsure = state.status === 'SUBMITTED' && state.sentAt === null;
    if (isUnsure) {
      this.#isQuiet = false;
      if (passed >= LOOK_AGAIN_MS) return true;
    }
    if (last.head.number === head.number && last.head.hash === head.hash) return false;
    if (this.#isBeingConfirmed(kept, last.head, head)) return false;
    if (passed >= (this.#senders * 1_000) / LOOKS_PER_SEC) return true;
    this.#isQuiet = false;
    return false;
  }

  /** A reorg is told by who follows the chain: until a block is deep enough there is nothing more to be asked of it. */
  #isBeingConfirmed({ state: { inclusion } }: KeptAutoTx, seenAt: Block, head: Block): boolean {
    const chain = this.#context.profile();
    if (inclusion === null || chain === null || seenAt.number < inclusion.blockNumber) return false;
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

  #begin(from: Hex, visit: Visit, head: Block): void {
    if (this.#signal.aborted) return;
    this.#isQuiet = false;
    if (this.#busy.has(from)) return;
    const work = this.#slots
      .take(() => this.#runSender(from, visit, this.#context.present()?.head ?? head), this.#signal)
      .catch((error: unknown) => this.#tell(error))
      .finally(() => this.#busy.delete(from));
    this.#busy.set(from, work);
  }

  async #runSender(from: Hex, { followed, isPatrol }: Visit, head: Block): Promise<void> {
    // By hand: what `AbortSignal.any` leaves on a signal that outlives many turns adds up.
    const bound = new AbortController();
    const end = () => bound.abort(this.#signal.reason);
    const timer = setTimeout(
      () => bound.abort(new ChainError('timeout', 'a node does not answer')),
      this.#context.senderMs ?? SENDER_MS,
    );
    this.#signal.addEventListener('abort', end, { once: true });
    const doubts = this.#doubts.get(from)?.seen ?? new Map<string, Seen>();
    let again: readonly string[] = followed.map(({ id }) => id);
    try {
      for (const { id } of followed) this.#looked.set(id, { at: this.#context.steadyNow(), head });
      again = await runSenderTurn(from, followed, {
        context: this.#context,
        head,
        seen: this.#seen,
        doubts,
        isPatrol,
        isLight: this.#doubts.size > DOUBTS_EXPLAINED,
        signal: bound.signal,
      });
    } finally {
      this.#isQuiet = false;
      // What could not be looked at is looked at again, head or no head.
      for (const id of again) this.#looked.delete(id);
      if (doubts.size > 0) this.#doubts.set(from, { seen: doubts, lookedAt: head.number });
      else this.#doubts.delete(from);
      clearTimeout(timer);
      this.#signal.removeEventListener('abort', end);
    }
  }

  /** That a node is away is told by who follows it, and that another process has the lease by the lease. */
  #tell(error: unknown): void {
    if (this.#signal.aborted || error instanceof ChainError) return;
    if (error instanceof StoreError && error.code === 'not-holder') return;
    this.#context.onError(error);
  }
}

/** Receipts asked for at once, of one sender. */
const PARALLEL = 8;

interface SenderTurnOptions {
  readonly context: EngineContext;
  readonly head: Block;
  /** What was seen of those that are followed. */
  readonly seen: Map<string, Seen>;
  /** The same of those that were never sent and whose nonce is used: kept until that is settled. */
  readonly doubts: Map<string, Seen>;
  /** What waits is looked at, too, and what is held is tried again, though nothing of it is due. */
  readonly isPatrol: boolean;
  /** So much is in doubt that whole blocks are not read to say what has used a nonce. */
  readonly isLight: boolean;
  /** Nothing is asked, or begun, after it aborts. */
  readonly signal: AbortSignal;
}

/**
 * One sender's turn: looks what has become of those of its auto-txs that may be out, then sends what is due, in the order of
 * their nonces. Answers the ids of those that are to be looked at again soon. Rejects as the node or the store do; what was
 * decided by then is written down.
 */
async function runSenderTurn(
  from: Hex,
  followed: readonly KeptAutoTx[],
  options: SenderTurnOptions,
): Promise<readonly string[]> {
  const { context, signal, isPatrol } = options;
  const sender = askOfSender(context.source, from, signal);
  const looked = await mapBounded(followed, PARALLEL, signal, (kept) => followOne(kept, sender, options));
  for (const each of looked) if (isUnsure(each)) await sendAgain(each, options);
  if (isPatrol) await lookAtUnsent(from, sender, options);
  await sendDue(from, sender, looked, options);
  return looked.flatMap(({ kept, isSoon }) => (isSoon ? [kept.id] : []));
}

/** The nonces of pending ones may be used elsewhere: one request tells. */
async function lookAtUnsent(from: Hex, sender: SenderQuestions, options: SenderTurnOptions): Promise<void> {
  const { context, doubts } = options;
  const nextNonce = await sender.nextNonce();
  const unsent = (await context.store.live(from)).filter(
    ({ state }) => state.status !== 'SUBMITTED' && !state.mayBeOut,
  );
  const used = unsent.filter((kept) => isUsed(kept, nextNonce) || kept.state.takenSince !== null);
  const ids = new Set(used.map(({ id }) => id));
  for (const id of doubts.keys()) if (!ids.has(id)) doubts.delete(id);
  for (const [index, kept] of used.entries()) {
    await lookAtUsed(kept, sender, index === 0 ? options : { ...options, isLight: true });
  }
}

/** Whether the chain has its nonce already. */
const isUsed = ({ signed }: KeptAutoTx, nextNonce: number) => signed !== null && signed.nonce < nextNonce;

/** Who signed it may have sent it: it, or another one with its nonce. */
async function lookAtUsed(
  kept: KeptAutoTx,
  sender: SenderQuestions,
  options: SenderTurnOptions,
): Promise<Followed> {
  const { doubts } = options;
  const followed = await followOne(kept, sender, { ...options, seen: doubts });
  const { status } = followed.kept.state;
  const isSettled = status !== 'PENDING' && status !== 'DISABLED';
  if (isSettled || doubts.get(kept.id)?.used === null) doubts.delete(kept.id);
  return followed;
}

/** It was decided to send it, and whether that was done is unknown: after a crash, or when no node answered. */
const isUnsure = ({ kept, look }: Followed): boolean =>
  kept.state.status === 'SUBMITTED' &&
  kept.state.sentAt === null &&
  look !== null &&
  !look.isKnown &&
  look.nextNonce <= (kept.signed?.nonce ?? 0);

async function sendAgain({ kept }: Followed, options: SenderTurnOptions): Promise<void> {
  const decided = await decideAgain(kept, options.context);
  if (decided === null) return;
  const sent = await sendOne(decided.kept, decided.at, options.context);
  if (sent === 'nonce-used') await lookAgain(decided.kept, options);
}

async function sendDue(
  from: Hex,
  questions: ReturnType<typeof askOfSender>,
  looked: readonly Followed[],
  options: SenderTurnOptions,
): Promise<void> {
  const { context, signal } = options;
  const looks = new Map(looked.map(({ kept, look }) => [kept.id, look]));
  const live = await context.store.live(from);
  if (!live.some((kept) => isDueNow(kept, options))) return;
  const [nextNonce, pendingNonce, balance] = await Promise.all([
    questions.nextNonce(),
    // As it is now: what was not known to be out may have been sent again.
    askOfSender(context.source, from, signal).pendingNonce(),
    questions.balance(),
  ]);
  const sender = { nextNonce, pendingNonce: Math.max(nextNonce, pendingNonce), balance, live };
  let facts: SenderFacts = sender;
  for (const kept of live) {
    if (signal.aborted) return;
    if (!isDueNow(kept, options) || !mayBeDecided(kept, looks.get(kept.id), nextNonce)) continue;
    if (isStillGapped(kept, facts, context) || (await isOutByItself(kept, facts, options))) continue;
    const sent = await sendIfClear(kept, facts, options);
    // Nobody knows whether it is out: what comes after it, or has its nonce, waits until the next look tells.
    if (sent === 'unsure' || sent === 'nonce-used') return;
    if (sent !== 'sent' || kept.signed === null) continue;
    facts = { ...facts, pendingNonce: Math.max(facts.pendingNonce, kept.signed.nonce + 1) };
  }
}

/** What is in the way while others have to go before. */
const NONCES_BELOW: ReadonlySet<string> = new Set(['nonce_gap', 'nonce_order']);

function isDueNow(
  kept: KeptAutoTx,
  { context: { present, wallNow }, doubts, head, isPatrol }: SenderTurnOptions,
): boolean {
  const now = present();
  if (kept.state.status !== 'PENDING' || now === null || !isDueAt(kept, now)) return false;
  // Its nonce is used: at this head there is no more to be seen of it.
  if (doubts.get(kept.id)?.used?.last === head.number) return false;
  const { hold } = kept.state;
  // A gap may have been filled just now, by the one before it.
  return hold === null || isPatrol || hold.retryAt <= wallNow() || NONCES_BELOW.has(hold.code);
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
  const after = await lookAtUsed(kept, askOfSender(context.source, from, signal), options);
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

async function sendIfClear(
  kept: KeptAutoTx,
  facts: SenderFacts,
  options: SenderTurnOptions,
): Promise<Sent | null> {
  const decided = await decideOne(kept, facts, options.context);
  if (decided === null) return null;
  const sent = await sendOne(decided.kept, decided.at, options.context);
  if (sent === 'nonce-used') await lookAgain(decided.kept, options);
  return sent;
}

/** A node says that its nonce is used: whether by itself or by another, the chain tells, not the node's words. */
async function lookAgain(kept: KeptAutoTx, options: SenderTurnOptions): Promise<void> {
  const { context, signal } = options;
  const from = kept.signed?.from;
  if (from === undefined) return;
  const after = await followOne(kept, askOfSender(context.source, from, signal), options);
  if (!isUnsure(after)) return;
  const { state } = after.kept;
  const blockTimeSec = context.profile()?.feeRule.blockTimeSec ?? 0;
  const retryAt = retryLater(Math.max(state.attempts - 1, 0), context.wallNow(), blockTimeSec);
  const obstacle = {
    code: 'nonce_used',
    message: `a node says that nonce ${kept.signed?.nonce} is used, the chain that it is free: it is tried again`,
  };
  await happen(after.kept, { type: 'decline', obstacle, retryAt }, context);
}

/** A sender is looked at no more often than this. */
const ROUND_MS = 60_000;
/** A question for each: two a second are no load to a node. */
const SPACE_MS = 500;
const MOST_AT_ONCE = 8;

/**
 * Goes round the senders of pending ones, slowly: no block says whose nonce was used elsewhere or whose account has funds now.
 */
class Patrol {
  readonly #sendersAfter: (after: string, limit: number) => Promise<readonly Hex[]>;
  readonly #steadyNow: () => number;
  /** The last one of this round; `null`: the round is over. */
  #after: string | null = null;
  #beganAt = Number.NEGATIVE_INFINITY;
  #wentAt: number;

  /** @param sendersAfter the next senders in their order */
  constructor(
    sendersAfter: (after: string, limit: number) => Promise<readonly Hex[]>,
    steadyNow: () => number,
  ) {
    this.#sendersAfter = sendersAfter;
    this.#steadyNow = steadyNow;
    this.#wentAt = steadyNow();
  }

  /** Those whose turn it is now. */
  async next(): Promise<readonly Hex[]> {
    const now = this.#steadyNow();
    const limit = Math.min(Math.floor((now - this.#wentAt) / SPACE_MS), MOST_AT_ONCE);
    if (limit <= 0 || (this.#after === null && now - this.#beganAt < ROUND_MS)) return [];
    if (this.#after === null) this.#beganAt = now;
    this.#wentAt = now;
    const senders = await this.#sendersAfter(this.#after ?? '', limit);
    this.#after = senders.length < limit ? null : (senders.at(-1) ?? null);
    return senders;
  }
}
