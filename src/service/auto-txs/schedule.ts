import { Alarm, ConcurrencyLimit, DeadlineError, withDeadline } from '../../chain/async.ts';
import { ChainError } from '../../chain/chain-source.ts';
import { eachLane } from '../../core/advice.ts';
import type { StoredAutoTx } from '../../core/auto-txs/stored-auto-tx.ts';
import { cannotBroadcastReason } from '../../core/auto-txs/target.ts';
import type { Block, Hex } from '../../core/block.ts';
import { StoreError } from '../../store/errors.ts';
import type { LeaderWork, Lease } from '../lease.ts';
import { CostLimits } from './cost-limits.ts';
import { createGasPass } from './gas-pass.ts';
import { isDueNow, type SenderContext, type SenderParts, stepNow } from './sender-parts.ts';
import { type SenderTurn, takeTurn } from './sender-turn.ts';

/** Some events come without a head: expiry, retries of held auto-txs, late responses of a node. */
const POLL_MS = 2_000;

interface AutoTxScheduleOptions extends SenderParts {
  readonly lease: Lease;
  readonly signal: AbortSignal;
}

/** Wake it for a new head, or when an auto-tx was created, changed or cancelled. */
export function startAutoTxSchedule(options: AutoTxScheduleOptions): LeaderWork {
  const { lease, source, onError } = options;
  const alarm = new Alarm();

  async function run(until: AbortSignal): Promise<void> {
    const schedule = new AutoTxSchedule(options, until);
    until.addEventListener('abort', alarm.ring, { once: true });
    while (!until.aborted) {
      try {
        await schedule.turn();
      } catch (error) {
        const isLost = error instanceof StoreError && error.code === 'not-holder';
        if (!until.aborted && !isLost) onError(error);
        if (isLost) void lease.look();
      }
      await alarm.pause(POLL_MS);
    }
    await schedule.idle();
  }

  const canSend = cannotBroadcastReason(source.kind) === null;
  return { wake: alarm.ring, done: canSend ? lease.whileLeading(run, options) : async () => {} };
}

const SENDERS_AT_ONCE = 32;
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
export class AutoTxSchedule {
  readonly #context: SenderContext;
  readonly #signal: AbortSignal;
  readonly #gasPass: ReturnType<typeof createGasPass>;
  readonly #slots = new ConcurrencyLimit(SENDERS_AT_ONCE);
  readonly #busy = new Map<Hex, Promise<void>>();
  readonly #used: SenderTurn['used'] = new Map();
  /** The last pass over senders of submitted auto-txs; times by the monotonic clock. */
  #passed = { head: null as Block['hash'], at: LONG_AGO, pauseMs: 0 };
  /** The last sender of this round; empty: the round is over. */
  #roundAt = '';
  #roundBeganAt = LONG_AGO;
  #roundPartAt = LONG_AGO;
  #prunedAt = LONG_AGO;

  /** @param signal Nothing new starts after its abort. */
  constructor(parts: SenderParts, signal: AbortSignal) {
    const context = { ...parts, limits: new CostLimits(parts) };
    this.#context = context;
    this.#gasPass = createGasPass(context);
    this.#signal = signal;
  }

  /** Starts the work that is due now. Rejects with a `StoreError`. */
  async turn(): Promise<void> {
    const { store, freshChain, blocks, profile } = this.#context;
    await this.#prune();
    if (!(await store.hasSenders())) return;
    await this.#expire();
    const head = freshChain()?.head ?? (await blocks.head());
    if (head === null || profile() === null) return;
    // Due auto-txs depend on the price of one block: their senders come first.
    await this.#gasPass(this.#signal);
    const { limits } = this.#context;
    await limits.read();
    const due = await this.#due();
    const submitted = await this.#submitted(head);
    const round = await this.#nextOfRound();
    this.#begin([...due, ...submitted, ...round], round, head);
    // A coin price may move thousands of targets: what is due by those of before does not wait for them.
    if (await limits.run(this.#signal)) this.#begin(await this.#due(), [], head);
  }

  #begin(senders: readonly Hex[], round: readonly Hex[], head: Block): void {
    const { freshChain } = this.#context;
    for (const from of new Set(senders)) {
      if (this.#signal.aborted || this.#busy.has(from)) continue;
      const work = this.#slots
        .take(() => this.#process(from, round.includes(from), freshChain()?.head ?? head), this.#signal)
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
      return stepNow(stored, { type: 'expire' }, this.#context);
    };
    for (const { id, owner } of await store.expiring(agreedNow(), PAGE)) {
      await store.change({ id, owner }, expire, 'leader');
    }
  }

  async #due(): Promise<readonly Hex[]> {
    const { store, freshChain, wallNow } = this.#context;
    const fresh = freshChain();
    if (fresh === null) return [];
    const { lanes, nextBaseFee } = fresh.advice;
    const next = { nextBaseFee, prices: eachLane((lane) => lanes[lane].price) };
    const page = await store.mayBeDue(next, { now: wallNow(), limit: MOST_DUE });
    const senders = this.#sendersDue(page);
    if (senders.length > 0 || page.length < MOST_DUE) return senders;
    // The index finds limits of cost within half a percent: these alone fill the page, so all are read.
    return this.#sendersDue(await store.mayBeDue(next, { now: wallNow(), limit: Number.MAX_SAFE_INTEGER }));
  }

  #sendersDue(found: readonly StoredAutoTx[]): readonly Hex[] {
    const due = found.filter((stored) => isDueNow(stored, this.#context));
    return due.flatMap(({ signed }) => (signed === null ? [] : [signed.from]));
  }

  /** Senders of submitted auto-txs: with a new head, or after a pause. */
  async #submitted(head: Block): Promise<readonly Hex[]> {
    const now = this.#context.steadyNow();
    const { pauseMs, at } = this.#passed;
    if (now - at < Math.max(pauseMs, head.hash === this.#passed.head ? REPEAT_MS : 0)) return [];
    const senders = await this.#context.store.submittedSenders();
    this.#passed = { head: head.hash, at: now, pauseMs: (senders.length * 1_000) / SENDERS_PER_SEC };
    return senders;
  }

  /** The next senders of unsent or submitted auto-txs, once a minute each. */
  async #nextOfRound(): Promise<readonly Hex[]> {
    const { store, freshChain, steadyNow } = this.#context;
    // A node's nonces are only valid with a fresh head.
    if (freshChain() === null) return [];
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
      takeTurn({ from, context, head, used: this.#used, isWhole, signal }),
    );
  }

  /** The follower reports unavailable nodes, and the lease a change of leader. */
  #tell(error: unknown): void {
    if (this.#signal.aborted || error instanceof ChainError || error instanceof DeadlineError) return;
    if (error instanceof StoreError && error.code === 'not-holder') return;
    this.#context.onError(error);
  }
}
