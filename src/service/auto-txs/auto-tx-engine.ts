import { ChainError } from '../../chain/errors.ts';
import { Turns } from '../../chain/rpc/turns.ts';
import type { KeptAutoTx } from '../../core/auto-txs/kept-auto-tx.ts';
import type { Block, Hex } from '../../core/block.ts';
import { StoreError } from '../../store/store-error.ts';
import type { EngineContext } from './engine-context.ts';
import type { Seen } from './follow-one.ts';
import { Patrol } from './patrol.ts';
import { runSenderTurn } from './sender-turn.ts';
import { stepKept } from './step-kept.ts';

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
