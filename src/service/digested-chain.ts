import type { KnownBlock } from '../chain/chain-source.ts';
import type { Advice } from '../core/advice.ts';
import type { Block, Hex } from '../core/block.ts';
import { type ChainProfile, identifiedChain } from '../core/chains.ts';
import type { Reach } from '../core/engine/horizons.ts';
import { type GivenAdvice, givenAdvice } from '../core/given-advice.ts';
import type { BlockStore } from '../store/block-store.ts';
import { alertRunOf } from './alert-run-of.ts';
import { BlockWriter, unsavedWords } from './block-writer.ts';
import type { DigestedChainEvents, DigestedChainOptions } from './digested-chain-options.ts';
import { LiveEngine } from './live-engine.ts';
import type { Present } from './present.ts';
import { RecentBlocks } from './recent-blocks.ts';
import { storedPages } from './stored-pages.ts';

const DAY_SEC = 86_400;

/**
 * The chain as it was taken in: every block once through the engine and, while this process is the one that writes, into
 * the store; reorgs take both back.
 */
export class DigestedChain {
  readonly #options: DigestedChainOptions;
  readonly #events: DigestedChainEvents;
  readonly #writer: BlockWriter;
  readonly #recent = new RecentBlocks();
  readonly #rewindListeners = new Set<(ancestor: number) => void>();
  #profile: ChainProfile | null = null;
  #live: LiveEngine | null = null;
  #updatedAt: number | null = null;

  constructor(options: DigestedChainOptions, events: DigestedChainEvents) {
    this.#options = options;
    this.#events = events;
    this.#writer = new BlockWriter(options.store, {
      steadyNow: options.steadyNow,
      onRecovered: events.onRecovered,
      onRefused: () => void options.lease.look(),
      onNeglected: (next, stored) => this.#relieve(next, stored),
      alertRun: (blocks) => this.#profile && alertRunOf(blocks, this.#profile, events, options),
      onFired: options.onFired,
      adviceAfter: (block) => this.#saidAfter(block),
      onWritten: () => {
        options.onStored?.();
        return options.track.settle();
      },
    });
    this.#writer.close();
    options.lease.onChange(() => {
      // Whoever wrote before may have written other blocks, even if that was this process.
      this.#writer.close();
      void this.goOn().then((goesOn) => {
        if (!goesOn) events.onForeign();
      });
    });
  }

  /** Whether what is digested is written, and not by another process. */
  get isWriting(): boolean {
    return this.#writer.isOpen;
  }

  /**
   * Writes from now on, where that is this process's turn, beginning with what the database does not have yet. Answers
   * `false` where what was digested does not go on from what is stored.
   */
  async goOn(): Promise<boolean> {
    const { lease } = this.#options;
    if (this.#writer.isOpen || !lease.mayWrite) return true;
    if (this.head !== null) this.#events.onTurn(this.head);
    const isOpen = await this.#writer.open((stored) => lease.mayWrite && this.#goesOnFrom(stored));
    return isOpen || !lease.mayWrite;
  }

  #goesOnFrom(stored: readonly Block[]): boolean {
    const head = this.#recent.head;
    const top = stored.at(-1);
    if (top === undefined) return true;
    if (head === null || top.number > head.number) return false;
    return this.#recent.agreesWith(stored);
  }

  /** Forgets what was digested in favour of what is stored, the newest `count` blocks as known ones. */
  async takeUp(count: number): Promise<void> {
    const { store } = this.#options;
    this.#writer.forget();
    this.#recent.replace(await store.newest(count));
    if (this.head === null) this.#live?.reset();
    else await this.rebuildDay();
  }

  /**
   * The process that should write does not, though there is something new: it may be stuck, or its node. Unless what is
   * stored is of another branch: whoever is on a fork of the chain, or on another one with its number, has no better blocks.
   */
  #relieve(next: Block, stored: Block | null): void {
    const head = this.#recent.head;
    if (head === null || this.#events.isLate(head)) return;
    const isChild =
      stored?.number === next.number - 1 && stored.hash !== null && stored.hash === next.parentHash;
    if (stored === null || isChild || this.#recent.has(stored)) void this.#options.lease.takeOver();
  }

  get profile(): ChainProfile | null {
    return this.#profile;
  }

  get blockTimeSec(): number {
    return this.#profile?.feeRule.blockTimeSec ?? 0;
  }

  get head(): Block | null {
    return this.#recent.head;
  }

  /** The newest blocks, for a source to begin after. */
  get known(): readonly KnownBlock[] {
    return this.#recent.known;
  }

  /** When the last block was digested, ms since epoch, wall clock. */
  get updatedAt(): number | null {
    return this.#updatedAt;
  }

  /** Why the history is not being written, or `null`. */
  get writeProblem(): string | null {
    const { lease } = this.#options;
    const isNobodys = !lease.mayWrite && lease.held === null && lease.problem !== null;
    return this.#writer.problem ?? (isNobodys ? unsavedWords(lease.problem) : null);
  }

  /** Whether the disk should be waited for before more is digested. */
  get isFull(): boolean {
    return this.#writer.isFull;
  }

  /** Whether a rewind took back more than the engine remembers, so that it knows nothing any more. */
  get isBlank(): boolean {
    return this.#live?.isBlank ?? false;
  }

  advice(): Advice | null {
    return this.#live?.advice() ?? null;
  }

  /** What the next block is expected to cost, as the head says it; `null` before the first block. */
  present(): Present | null {
    const head = this.head;
    const advice = this.advice();
    if (head === null || advice === null || this.#live?.head !== head) return null;
    const { nextBaseFee, nextBlobBaseFee, lanes } = advice;
    const prices = { slow: lanes.slow.price, average: lanes.average.price, fast: lanes.fast.price };
    return { head, nextBaseFee, nextBlobBaseFee, prices };
  }

  reachProbability(price: bigint, withinSec: number): Reach | null {
    return this.#live?.reachProbability(price, withinSec) ?? null;
  }

  /** Resolves when the store holds every block that was digested. */
  flush(): Promise<void> {
    return this.#writer.flush();
  }

  /** Tells `listener` of every reorg until the function it answers is called. */
  onRewind(listener: (ancestor: number) => void): () => void {
    this.#rewindListeners.add(listener);
    return () => this.#rewindListeners.delete(listener);
  }

  /** Takes up the newest `count` of the stored blocks, for prices at once. Answers whether there are any. */
  async load(count: number): Promise<boolean> {
    const { store } = this.#options;
    const chainId = await store.chainId();
    const stored = chainId === null ? [] : await store.newest(count);
    const head = stored.at(-1);
    if (chainId === null || head === undefined) return false;
    this.#renew(identifiedChain(chainId, await store.genesisHash()));
    for (const block of stored) this.#feed(block);
    this.#updatedAt = head.timestamp * 1_000;
    return true;
  }

  /** Takes in `blocks` before the first one that is digested, for prices alone: the history is filled in behind. */
  show(blocks: readonly Block[]): void {
    for (const block of blocks) this.#feed(block);
  }

  /** Goes on as this chain: with a new engine where there is none, or where other rules hold than were thought. */
  async adopt(profile: ChainProfile): Promise<void> {
    const isSame = JSON.stringify(profile.feeRule) === JSON.stringify(this.#profile?.feeRule);
    if (this.#live !== null && isSame) {
      this.#profile = profile;
      return;
    }
    this.#renew(profile);
    await this.rebuildDay();
  }

  #renew(profile: ChainProfile): void {
    this.#profile = profile;
    this.#live = new LiveEngine(() => this.#options.createEngine(profile));
  }

  /** Nobody knows what state the engine is in: the next `adopt` makes another. */
  dropEngine(): void {
    this.#live = null;
  }

  /** Whether this very block has been digested lately. */
  has(block: Block): boolean {
    return this.#recent.has(block);
  }

  #feed(block: Block): void {
    // First: should the engine stumble, the block is there for the next one.
    this.#recent.push(block);
    this.#live?.push(block);
  }

  digest(block: Block): void {
    try {
      this.#feed(block);
    } finally {
      const isPriced = this.#live?.head === block;
      this.#writer.add(block, isPriced ? this.#live?.lanePrices() : null);
    }
    this.#updatedAt = this.#options.wallNow();
  }

  rewindTo(number: number): void {
    for (const listener of this.#rewindListeners) listener(number);
    this.#recent.rewindTo(number);
    this.#live?.rewindTo(number, this.#recent.head);
    this.#writer.rewindTo(number);
  }

  /** What was taken in is of a chain that is no more: it began anew, with this genesis where that is known. */
  beginAnew(genesis: Hex | undefined): void {
    for (const listener of this.#rewindListeners) listener(-1);
    this.#writer.beginAnew(genesis);
    this.#recent.replace([]);
    this.#live?.reset();
  }

  /** What is stored is another chain's: nothing of it is shown any more, and it stays as it is. */
  disown(): void {
    this.#writer.forget();
    this.#recent.replace([]);
    this.#live = null;
    this.#profile = null;
    this.#updatedAt = null;
  }

  /** Gives the engine the blocks from `from` on as its memory: those of the store, and the newest ones. */
  async rebuild(from: number): Promise<void> {
    if (this.#writer.problem !== null) return;
    const { store } = this.#options;
    await this.#writer.flush();
    this.#recent.complete(await store.newest(this.#recent.all.length));
    const newest = this.#recent.all;
    if (newest.length === 0) return;
    const pages = enginePages(store, from, newest);
    await this.#live?.rebuild(pages, this.#options.signal);
  }

  /** Gives the engine the last day: enough for advice, and read in a moment. */
  async rebuildDay(): Promise<void> {
    if (this.head === null) return;
    const start = await this.#options.store.latestAt(this.head.timestamp - DAY_SEC);
    await this.rebuild(start?.number ?? 0);
  }

  /** What is answered after `block`, while it is the head and new: what is only caught up with is not said to anybody. */
  #saidAfter(block: Block): GivenAdvice | null {
    const isSaid = this.#live?.head === block && !this.#events.isLate(block);
    const advice = isSaid ? this.advice() : null;
    return advice === null ? null : givenAdvice(block, advice);
  }
}

/** What the engine is fed: the stored blocks from number `from` on, then the `newest`, which need not be stored. */
async function* enginePages(
  store: BlockStore,
  from: number,
  newest: readonly Block[],
): AsyncGenerator<readonly Block[]> {
  yield* storedPages(store, from, (newest[0]?.number ?? 0) - 1);
  yield newest.filter(({ number }) => number >= from);
}
