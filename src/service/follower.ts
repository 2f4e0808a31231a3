import type { ChainEvent, ChainSource } from '../chain/chain-source.ts';
import { ChainError } from '../chain/errors.ts';
import type { Advice } from '../core/advice.ts';
import type { Block } from '../core/block.ts';
import { type ChainProfile, chainProfile } from '../core/chains.ts';
import { type GivenAdvice, givenAdvice } from '../core/given-advice.ts';
import type { Reach } from '../core/reach-book.ts';
import type { BlockStore } from '../store/block-store.ts';
import { StoreError } from '../store/store-error.ts';
import { abortable } from './abortable.ts';
import { BlockWriter } from './block-writer.ts';
import { HistoryFiller } from './history-filler.ts';
import { type Engine, LiveEngine } from './live-engine.ts';
import { newestBlocks } from './newest-blocks.ts';
import { RecentBlocks } from './recent-blocks.ts';
import { reconcile } from './reconcile.ts';
import { sleep, untilAborted } from './sleep.ts';
import { type Problem, SourceState } from './source-state.ts';
import { storedPages } from './stored-pages.ts';
import { TimeSlice } from './time-slice.ts';
import type { TrackKeeper } from './track-keeper.ts';

const DAY_SEC = 86_400;
/** Blocks asked for at once on a fresh database: an hour of mainnet. */
const FIRST_BLOCKS = 300;
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 15_000;

export interface FollowerOptions {
  readonly source: ChainSource;
  readonly store: BlockStore;
  readonly track: TrackKeeper;
  readonly createEngine: (profile: ChainProfile) => Engine;
  readonly historySec: number;
  readonly wallNow: () => number;
  readonly signal: AbortSignal;
  /** Told of errors that should not happen; the follower goes on. */
  readonly onError: (error: unknown) => void;
}

/**
 * Follows the chain: every block goes once through the engine and into the store, reorgs take both back, holes are
 * filled in the background. Whatever fails is tried again and told as `problem`; the loop ends only with the signal.
 */
export class Follower {
  readonly #options: FollowerOptions;
  readonly #state: SourceState;
  readonly #writer: BlockWriter;
  readonly #recent = new RecentBlocks();
  readonly #ready = Promise.withResolvers<void>();
  readonly #filler: HistoryFiller;
  readonly #rewindListeners = new Set<(ancestor: number) => void>();
  #profile: ChainProfile | null = null;
  #live: LiveEngine | null = null;
  #updatedAt: number | null = null;

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.#state = new SourceState(options.source);
    this.#writer = new BlockWriter(options.store, {
      onRecovered: () => this.#filler.fillSoon(),
      adviceAfter: (block) => this.#saidAfter(block),
      onWritten: () => options.track.settle(),
    });
    this.#filler = new HistoryFiller(options, {
      head: () => this.#recent.head,
      flush: () => this.#writer.flush(),
      rebuild: async (from) => {
        void options.track.lookBack();
        await this.#rebuild(from);
      },
      onRewind: (listener) => {
        this.#rewindListeners.add(listener);
        return () => this.#rewindListeners.delete(listener);
      },
    });
    // Nobody needs to wait for it.
    this.#ready.promise.catch(() => {});
  }

  /** Resolves with the first block, stored or new. Rejects when the database is another chain's, or on abort. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  get profile(): ChainProfile | null {
    return this.#profile;
  }

  get head(): Block | null {
    return this.#recent.head;
  }

  /** When the last block was digested, ms since epoch, wall clock. */
  get updatedAt(): number | null {
    return this.#updatedAt;
  }

  get problem(): Problem | null {
    const problem = this.#state.problem(this.head, this.#blockTimeSec);
    if (problem !== null || this.#writer.problem === null) return problem;
    return { message: this.#writer.problem, retryAt: null };
  }

  /** Whether what is known is older than it should be. The end of a recording is no fault. */
  get isStale(): boolean {
    return this.#state.isStale(this.head, this.#blockTimeSec);
  }

  /** Whether a recording has been played to its end. */
  get hasEnded(): boolean {
    return this.#state.hasEnded;
  }

  advice(): Advice | null {
    return this.#live?.advice() ?? null;
  }

  /** See `FeeEngine.reachProbability`; `null` before the first block. */
  reachProbability(price: bigint, withinSec: number): Reach | null {
    return this.#live?.reachProbability(price, withinSec) ?? null;
  }

  /** Resolves when the store holds every block that was digested. */
  flush(): Promise<void> {
    return this.#writer.flush();
  }

  /** Resolves when everything has stopped after the signal; never rejects. */
  async run(): Promise<void> {
    const { signal } = this.#options;
    await this.#guard(() => this.#loadStored());
    for (let delay = FIRST_RETRY_MS; !signal.aborted; delay = Math.min(delay * 2, LAST_RETRY_MS)) {
      const before = this.#updatedAt;
      const wrongChain = await this.#guard(() => this.#follow(), delay);
      if (wrongChain || this.hasEnded) await untilAborted(signal);
      if (this.#updatedAt !== before) delay = FIRST_RETRY_MS;
      await sleep(delay, signal);
    }
    this.#ready.reject(signal.reason);
    await this.#filler.stopped;
    await this.#writer.flush();
    await this.#options.track.end();
  }

  /** Answers whether it failed for good. */
  async #guard(work: () => Promise<void>, retryMs: number | null = null): Promise<boolean> {
    try {
      await work();
      return false;
    } catch (error) {
      if (this.#options.signal.aborted) return false;
      const forGood = error instanceof StoreError && error.code === 'wrong-chain';
      const message = error instanceof Error ? error.message : String(error);
      const retryAt = forGood || retryMs === null ? null : this.#options.wallNow() + retryMs;
      this.#state.fail({ message, retryAt });
      if (forGood) this.#ready.reject(error);
      // Nobody foresaw it: begin again from what is stored, with a fresh engine.
      if (!(error instanceof ChainError || error instanceof StoreError)) this.#live = null;
      this.#options.onError(error);
      return forGood;
    }
  }

  async #loadStored(): Promise<void> {
    const { store } = this.#options;
    const chainId = await store.chainId();
    const head = await store.head();
    if (chainId === null || head === null) return;
    this.#adopt(chainProfile(chainId));
    // A day is enough to advise and takes a moment; the filler brings the rest.
    const from = (await store.latestAt(head.timestamp - DAY_SEC))?.number ?? 0;
    this.#recent.replace(await store.newest(FIRST_BLOCKS));
    await this.#options.track.load();
    await this.#rebuild(from);
    this.#updatedAt = head.timestamp * 1_000;
    this.#ready.resolve();
  }

  #adopt(profile: ChainProfile): LiveEngine {
    this.#profile = profile;
    this.#live = new LiveEngine(() => this.#options.createEngine(profile));
    return this.#live;
  }

  async #follow(): Promise<void> {
    const { source, store, wallNow, signal } = this.#options;
    const profile = await abortable(source.chain(), signal);
    await store.claimChain(profile.id);
    await store.distrustFutureFolding(Math.floor(wallNow() / 1_000));
    const isOther = JSON.stringify(profile.feeRule) !== JSON.stringify(this.#profile?.feeRule);
    if (this.#live === null || isOther) {
      this.#adopt(profile);
      if (this.head !== null)
        await this.#rebuild((await store.latestAt(this.head.timestamp - DAY_SEC))?.number ?? 0);
    }
    const behind = await this.#reconcile();
    if (this.head === null) await this.#readFirst();
    if (behind === null) this.#state.heal();
    else this.#state.fail({ message: behind, retryAt: null });
    this.#filler.start();
    const slice = new TimeSlice();
    this.#state.begin();
    for await (const event of source.subscribe({ known: this.#recent.known, signal })) {
      this.#handle(event);
      if (this.#writer.isFull) await this.#writer.flush();
      if (slice.isOver()) await slice.next();
    }
    if (!signal.aborted && !this.hasEnded) throw new Error('the source ended its subscription');
  }

  /** Answers why nothing new is to be had, where that is so. */
  async #reconcile(): Promise<string | null> {
    await this.#writer.flush();
    const { source, store, signal } = this.#options;
    const found = await abortable(reconcile(source, store), signal);
    if (found.type === 'rewind') this.#rewindTo(found.to);
    if (found.type === 'clear') {
      for (const listener of this.#rewindListeners) listener(-1);
      this.#writer.clear();
      this.#recent.replace([]);
      this.#live?.reset();
    }
    await this.#writer.flush();
    return found.type === 'keep' ? found.behind : null;
  }

  async #readFirst(): Promise<void> {
    const { source, signal } = this.#options;
    for (const block of await newestBlocks(source, FIRST_BLOCKS, signal)) this.#digest(block);
    await this.#writer.flush();
  }

  #handle(event: ChainEvent): void {
    switch (event.type) {
      case 'block':
        this.#state.note(event.block, this.head, this.#blockTimeSec);
        this.#takeIn(event.block);
        return;
      case 'reorg':
        this.#rewindTo(event.commonAncestor);
        return;
      case 'gap':
        this.#filler.fillSoon();
        return;
      case 'down':
        this.#state.fail({ message: event.reason, retryAt: event.retryAt });
        return;
      case 'up':
        this.#state.heal();
        return;
      case 'ended':
        this.#state.end();
    }
  }

  #takeIn(block: Block): void {
    const head = this.head;
    // The source promises children; a repeat or a jump must not spoil the history all the same.
    if (head !== null && block.number <= head.number) this.#rewindTo(block.number - 1);
    if (head !== null && block.number > head.number + 1) this.#filler.fillSoon();
    this.#digest(block);
  }

  #digest(block: Block): void {
    // Kept first: should the engine stumble, the block is there for the next one.
    this.#recent.push(block);
    this.#writer.add(block);
    this.#live?.push(block);
    this.#updatedAt = this.#options.wallNow();
    this.#ready.resolve();
  }

  /** What is answered after `block`, while it is the head and new: what is only caught up with is not said to anybody. */
  #saidAfter(block: Block): GivenAdvice | null {
    const isSaid = this.#live?.head === block && !this.#state.isLate(block, this.#blockTimeSec);
    const advice = isSaid ? this.advice() : null;
    return advice === null ? null : givenAdvice(block, advice);
  }

  #rewindTo(number: number): void {
    for (const listener of this.#rewindListeners) listener(number);
    this.#recent.rewindTo(number);
    this.#live?.rewindTo(number, this.#recent.head);
    this.#writer.rewindTo(number);
    if (this.#live?.isBlank) this.#filler.remindSoon();
  }

  /** Gives the engine the stored blocks from `from` on as its memory. */
  async #rebuild(from: number): Promise<void> {
    const top = this.head?.number;
    if (top === undefined || this.#writer.problem !== null) return;
    await this.#live?.rebuild(this.#pages(from, top), this.#options.signal);
  }

  /** Waits for the store only once somebody reads: what comes meanwhile is kept for the new engine from then on. */
  async *#pages(from: number, top: number): AsyncGenerator<Block[]> {
    await this.#writer.flush();
    yield* storedPages(this.#options.store, from, top);
  }

  get #blockTimeSec(): number {
    return this.#profile?.feeRule.blockTimeSec ?? 0;
  }
}
