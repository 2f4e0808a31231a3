import { ChainError, type ChainEvent } from '../chain/chain-source.ts';
import type { Advice } from '../core/advice.ts';
import type { Block } from '../core/block.ts';
import type { ChainProfile } from '../core/chains.ts';
import type { Reach } from '../core/engine/horizons.ts';
import { StoreError } from '../store/store-error.ts';
import { abortable, sleep, TimeSlice, untilAborted } from './async.ts';
import { DigestedChain } from './digested-chain.ts';
import { fillerOf, type HistoryFiller } from './follow/history-filler.ts';
import type { FollowerOptions } from './follower-options.ts';
import { isIdle } from './is-idle.ts';
import { newestBlocks } from './newest-blocks.ts';
import type { Present } from './present.ts';
import { reconcile } from './reconcile.ts';
import { SourceNews } from './source-news.ts';
import { type Problem, SourceState } from './source-state.ts';

/** Blocks asked for at once on a fresh database: an hour of mainnet. */
const FIRST_BLOCKS = 300;
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 15_000;
/** A lease is had within a few milliseconds, unless another process is writing much. */
const BID_MS = 250;
/** Before it begins again from what another process has stored. */
const AGAIN_MS = 100;

/**
 * Follows the chain: every block is digested once, reorgs are taken back, holes are filled in the background. Whatever
 * fails is tried again and told as `problem`; the loop ends only with the signal.
 */
export class Follower {
  readonly #options: FollowerOptions;
  readonly #state: SourceState;
  readonly #news: SourceNews;
  readonly #chain: DigestedChain;
  readonly #ready = Promise.withResolvers<void>();
  readonly #filler: HistoryFiller;
  /** Ends the subscription, to begin another one from what is stored. */
  #again = new AbortController();
  #isCatchingUp = false;
  /** Whether the source is known to serve the chain that is stored. */
  #isReconciled = false;
  #restartedAt: number | null = null;

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.#state = new SourceState(options.source);
    this.#news = new SourceNews(options.source, options.onNews);
    this.#chain = new DigestedChain(options, {
      onRecovered: () => this.#filler.fillSoon(),
      isLate: (block) => this.#state.isLate(block, this.#chain.blockTimeSec),
      isPast: (block) => this.#state.isPast(block, this.#chain.head, this.#chain.blockTimeSec),
      onTurn: (head) => this.#state.catchUp(head),
      onForeign: () => this.#again.abort(),
    });
    options.lease.onChange(() => this.#filler.fillSoon());
    this.#filler = fillerOf(options, this.#chain);
    // Nobody needs to wait for it.
    this.#ready.promise.catch(() => {});
  }

  /** Resolves with the first block, stored or new. Rejects when the database is another chain's, or on abort. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  get profile(): ChainProfile | null {
    return this.#chain.profile;
  }

  /** The block that prices are of. */
  get head(): Block | null {
    return this.#chain.head;
  }

  /** When the last block was digested, ms since epoch, wall clock. */
  get updatedAt(): number | null {
    return this.#chain.updatedAt;
  }

  get problem(): Problem | null {
    const { head, blockTimeSec } = this.#chain;
    const writeProblem = this.#options.unsaved ?? this.#chain.writeProblem;
    const problem = this.#state.problem(head, blockTimeSec);
    if (problem !== null || writeProblem === null || this.#state.isWaiting(head)) return problem;
    return { message: writeProblem, retryAt: null };
  }

  /** Whether what is known is older than it should be, or may be. The end of a recording is no fault. */
  get isStale(): boolean {
    const { head, blockTimeSec } = this.#chain;
    return this.#state.isWaiting(head) || this.#state.isStale(this.head, blockTimeSec);
  }

  /** Whether a recording has been played to its end. */
  get hasEnded(): boolean {
    return this.#state.hasEnded;
  }

  advice(): Advice | null {
    return this.#chain.advice();
  }

  /** When the chain began anew, so that what is older is gone; ms since epoch. `null`: it did not. */
  get restartedAt(): number | null {
    return this.#restartedAt;
  }

  /** The chain that is both stored and served; `null` until that is known. */
  get sharedChain(): ChainProfile | null {
    return this.#isReconciled && this.#chain.isWriting ? this.profile : null;
  }

  /** What the next block is expected to cost; `null` unless the head is now: nothing may be decided by what was. */
  present(): Present | null {
    if (this.sharedChain === null) return null;
    const present = this.#chain.present();
    if (present === null || this.hasEnded) return null;
    const { source } = this.#options;
    if (isIdle({ source, chain: this.profile, head: this.head?.number })) return present;
    if (this.isStale) return null;
    return this.#state.isPast(present.head, present.head, this.#chain.blockTimeSec) ? null : present;
  }

  /** See `FeeEngine.reachProbability`; `null` before the first block. */
  reachProbability(price: bigint, withinSec: number): Reach | null {
    return this.#chain.reachProbability(price, withinSec);
  }

  /** Resolves when the store holds every block that was digested. */
  flush(): Promise<void> {
    return this.#chain.flush();
  }

  /** Resolves when everything has stopped after the signal; never rejects. */
  async run(): Promise<void> {
    const { signal } = this.#options;
    this.#state.expect();
    await this.#guard(() => this.#begin());
    for (let delay = FIRST_RETRY_MS; !signal.aborted; delay = Math.min(delay * 2, LAST_RETRY_MS)) {
      const before = this.updatedAt;
      this.#again = new AbortController();
      const wrongChain = await this.#guard(() => this.#follow(), delay);
      if (wrongChain) await this.#options.lease.withdraw();
      if (this.#again.signal.aborted) {
        await sleep(AGAIN_MS, signal);
        continue;
      }
      if (wrongChain || this.hasEnded) await untilAborted(signal);
      if (this.updatedAt !== before) delay = FIRST_RETRY_MS;
      await sleep(delay, signal);
    }
    this.#ready.reject(signal.reason);
    await this.#filler.stopped;
    await this.#chain.flush();
    await this.#options.track.end();
  }

  /** Prices of the stored blocks, marked stale until the source has said its newest. */
  async #begin(): Promise<void> {
    if (!(await this.#chain.load(FIRST_BLOCKS))) return;
    this.#ready.resolve();
    await this.#options.track.load();
    void this.#guard(() => this.#chain.rebuildDay());
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
      if (forGood) {
        this.#chain.disown();
        this.#ready.reject(error);
      }
      // Nobody foresaw it: begin again from what is stored, with a fresh engine.
      if (!(error instanceof ChainError || error instanceof StoreError)) this.#chain.dropEngine();
      this.#options.onError(error);
      if (error instanceof ChainError) this.#news.failed();
      return forGood;
    }
  }

  async #follow(): Promise<void> {
    const { source, store, lease, wallNow, signal } = this.#options;
    const again = this.#again.signal;
    this.#isReconciled = false;
    source.acceptRestart?.();
    const profile = await abortable(source.chain(), signal);
    await store.claimChain(profile);
    // A database that is busy must not hold up the first prices: the lease may come while they are shown.
    await Promise.race([lease.bid(), sleep(BID_MS, signal)]);
    if (lease.mayWrite) await store.distrustFutureFolding(Math.floor(wallNow() / 1_000));
    await this.#chain.adopt(profile);
    if (!(await this.#chain.goOn())) {
      await this.#chain.takeUp(FIRST_BLOCKS);
      await this.#chain.goOn();
    }
    const behind = await this.#reconcile(profile);
    this.#state.answered(this.#chain.head, this.#chain.blockTimeSec);
    if (this.#chain.head === null) await this.#readFirst();
    if (behind === null) this.#heal();
    else this.#state.fail({ message: behind, retryAt: null });
    this.#filler.start();
    const slice = new TimeSlice();
    this.#state.begin();
    const until = AbortSignal.any([signal, again]);
    for await (const event of source.subscribe({ known: this.#chain.known, signal: until })) {
      if (again.aborted) break;
      this.#handle(event);
      if (this.#chain.isFull) await this.#chain.flush();
      if (slice.isOver()) await slice.next();
    }
    if (!until.aborted && !this.hasEnded) throw new Error('the source ended its subscription');
  }

  /** Answers why nothing new is to be had, where that is so. */
  async #reconcile(profile: ChainProfile): Promise<string | null> {
    await this.#chain.flush();
    const { source, store, lease, signal } = this.#options;
    const found = await abortable(reconcile(source, store, profile), signal);
    if (found.type === 'rewind') this.#rewindTo(found.to);
    if (found.type === 'begin-anew') this.#beginAnew(profile);
    await this.#chain.flush();
    const { writeProblem } = this.#chain;
    if (found.type === 'begin-anew' && writeProblem !== null) throw new StoreError('failed', writeProblem);
    const { genesisHash } = profile;
    if (lease.mayWrite && genesisHash !== undefined && (await store.genesisHash()) === null)
      await store.adoptGenesis(genesisHash);
    this.#restartedAt = await store.restartedAt();
    this.#isReconciled = true;
    return found.type === 'keep' ? found.behind : null;
  }

  #beginAnew({ name, genesisHash }: ChainProfile): void {
    this.#chain.beginAnew(genesisHash);
    this.#news.tell(`${name} began anew: the history from before is dropped, auto-txs are disabled`);
  }

  async #readFirst(): Promise<void> {
    const { source, signal } = this.#options;
    const { blocks, isWhole } = await newestBlocks(source, FIRST_BLOCKS, signal);
    const head = blocks.at(-1);
    if (head === undefined) return;
    this.#state.catchUp(head);
    if (!isWhole) this.#chain.show(blocks.slice(0, -1));
    for (const block of isWhole ? blocks : [head]) this.#digest(block);
    await this.#chain.flush();
  }

  #handle(event: ChainEvent): void {
    switch (event.type) {
      case 'block':
        this.#state.note(event.block, this.#chain.head, this.#chain.blockTimeSec);
        this.#news.look();
        this.#takeIn(event.block);
        this.#noteCatchUp();
        return;
      case 'reorg':
        this.#rewindTo(event.commonAncestor);
        return;
      case 'gap':
        this.#filler.fillSoon();
        return;
      case 'down':
        this.#state.fail({ message: event.reason, retryAt: event.retryAt });
        this.#news.down(event.reason);
        return;
      case 'up':
        this.#heal();
        return;
      case 'ended':
        this.#state.end();
    }
  }

  /** With the end of a catch-up it is known what of that time is missing. */
  #noteCatchUp(): void {
    const isLate = this.#state.isLate(this.#chain.head, this.#chain.blockTimeSec);
    if (this.#isCatchingUp && !isLate) this.#filler.fillSoon();
    this.#isCatchingUp = isLate;
  }

  #heal(): void {
    this.#state.heal();
    this.#news.up();
  }

  #takeIn(block: Block): void {
    const { head } = this.#chain;
    if (this.#chain.has(block)) return;
    // The source promises children; a repeat or a jump must not spoil the history all the same.
    if (head !== null && block.number <= head.number) this.#rewindTo(block.number - 1);
    if (head !== null && block.number > head.number + 1) this.#filler.fillSoon();
    this.#digest(block);
  }

  #digest(block: Block): void {
    this.#chain.digest(block);
    this.#ready.resolve();
  }

  #rewindTo(number: number): void {
    this.#chain.rewindTo(number);
    if (this.#chain.isBlank) this.#filler.remindSoon();
  }
}
