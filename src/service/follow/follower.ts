import { abortable, sleep, TimeSlice, untilAborted } from '../../chain/async.ts';
import {
  ChainError,
  type ChainEvent,
  type ChainSource,
  type RecentBlocks,
} from '../../chain/chain-source.ts';
import type { Block } from '../../core/block.ts';
import { type ChainProfile, isDevelopmentChain } from '../../core/chains.ts';
import { backOffMs } from '../../core/time.ts';
import { StoreError } from '../../store/errors.ts';
import type { Lease, LeaseState } from '../lease.ts';
import { ChainPublisher, type PublisherOptions } from '../published-chain.ts';
import type { AdviceJudge } from './advice-judge.ts';
import { BlockWriter, type BlockWriterOptions } from './block-writer.ts';
import { type FreshChain, freshChain, type PauseWatch, watchPauses } from './fresh-head.ts';
import { createHistoryFiller, type FillerOptions, type HistoryFiller } from './history-filler.ts';
import { IngestedChain, type IngestedChainOptions, isSameBlock } from './ingested-chain.ts';
import { blockAt, reconcile, type Unfit, unfitNode } from './reconcile.ts';
import { type News, sourceNews } from './source-news.ts';
import { SourceState } from './source-state.ts';

/** Blocks requested at once for a fresh database: an hour of mainnet. */
const FIRST_BLOCKS = 300;
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 15_000;
/** Prices of the newest block come first, if they come within this time. */
const LIVE_WITHIN_MS = 1_000;
/** A one-shot that asks for prices follows at most so many blocks one by one. */
const MOST_FOLLOWED = 8;
/** A lease is obtained within a few milliseconds, unless another process writes a lot. */
const BID_MS = 250;
const POLL_MS = 250;
const TICK_MS = 500;
/** The score of the advice follows a block a little later: a standby reads it once in so many polls. */
const TRACK_POLLS = 4;
/** The newest block is no older than this if the clock is right and the node healthy. */
const AGREES_WITHIN_MS = 15 * 60_000;
/** How often the node of a process that does not lead is held against a shared database, at most. */
const COMPARE_MS = { fit: 60_000, unfit: 2_000 } as const;
/** A leader that stores nothing for this long may hang, or its node: a standby compares with its own node. */
const NEGLECTED_MS = 60_000;

/** Ingests every block once, rewinds reorgs, fills holes in the background. Failures are retried until the signal. */
export class Follower {
  readonly #options: FollowerOptions;
  readonly state: SourceState;
  readonly #news: ReturnType<typeof sourceNews>;
  readonly chain: IngestedChain;
  readonly writer: BlockWriter;
  readonly publisher: ChainPublisher;
  readonly #ready = Promise.withResolvers<void>();
  /** Resolves with the first block, stored or new. Rejects when the database belongs to another chain, or on abort. */
  readonly ready = this.#ready.promise;
  /** Resolves with the first prices of the node's newest block, or when there are none for now. */
  readonly #live = Promise.withResolvers<void>();
  readonly #filler: HistoryFiller;
  readonly #pauses: PauseWatch;
  /** Aborts `#follow`, so that it restarts in the lease's present state. */
  #again = new AbortController();
  #followsAs: LeaseState | null = null;
  /** Whether the source is known to serve the stored chain. */
  #isReconciled = false;
  /** Why this process may not lead a shared database with its node; `null`: it may, or that is not known yet. */
  unfit: Unfit | null = null;

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.state = new SourceState(options.source, () => this.chain);
    this.#news = sourceNews(options.source, options.onNews);
    this.chain = new IngestedChain(options, () => this.writer.flush());
    this.writer = new BlockWriter(options, this.chain, this.state, () => this.#filler.fillSoon());
    options.lease.onChange((state) => {
      // Its own node's version of a block may differ from the stored one: all processes must agree on the stored one.
      if (options.lease.mayWrite) this.#filler.fillSoon();
      else this.#filler.rebuildSoon();
      if (this.#followsAs !== null && this.#followsAs !== state) this.#again.abort();
    });
    this.#filler = createHistoryFiller(options, this.chain, this.writer);
    const { chain, state, writer } = this;
    this.publisher = new ChainPublisher({ ...options, chain, state, writer, filler: this.#filler });
    this.#pauses = watchPauses({ ...options, chain, onFresh: options.wakeAutoTxSchedule });
    this.ready.catch(() => {});
  }

  /** Resolves once all available history was read for the first time, or could not be; never rejects. */
  filled(): Promise<void> {
    return this.#filler.filled();
  }

  /** Ms since epoch, no later than the newest block allows: a wrong clock must not expire anything for good. */
  agreedNow(): number {
    const { source, wallNow } = this.#options;
    const { head, profile } = this.chain;
    if (head === null || profile === null) return 0;
    if (source.kind !== 'rpc' || isDevelopmentChain(profile)) return wallNow();
    return Math.min(wallNow(), head.timestamp * 1_000 + AGREES_WITHIN_MS);
  }

  /** The chain of the source, once it is known to be the stored one and is being written; else `null`. */
  get reconciledChain(): ChainProfile | null {
    return this.#isReconciled && this.writer.isWriting ? this.chain.profile : null;
  }

  /** What is published, while its head is fresh; else `null`. */
  freshChain(): FreshChain | null {
    if (this.reconciledChain === null) return null;
    return freshChain(this.#options.source, this.chain, this.state, this.publisher.publish(), this.#pauses);
  }

  async run(): Promise<void> {
    const { signal } = this.#options;
    this.state.expect();
    const watching = this.#watch();
    await this.#guard(() => this.#begin());
    for (let failures = 0; !signal.aborted; failures += 1) {
      const delay = backOffMs(failures, FIRST_RETRY_MS, LAST_RETRY_MS);
      const before = this.chain.updatedAt;
      this.#again = new AbortController();
      const wrongChain = await this.#guard(() => this.#follow(), delay);
      this.#followsAs = null;
      if (wrongChain) await this.#options.lease.withdraw();
      if (this.#again.signal.aborted) continue;
      if (wrongChain || this.state.hasEnded) await untilAborted(signal);
      if (this.chain.updatedAt !== before) failures = 0;
      await sleep(backOffMs(failures, FIRST_RETRY_MS, LAST_RETRY_MS), signal);
    }
    this.#ready.reject(signal.reason);
    await watching;
    await this.#filler.stopped();
    await this.writer.flush();
    await this.#options.track.end();
  }

  /** Notices what time changes: a pause of the process, and what is published. */
  async #watch(): Promise<void> {
    const { signal } = this.#options;
    for (; !signal.aborted; await sleep(TICK_MS, signal)) {
      this.#pauses.tick();
      this.publisher.look();
    }
  }

  /** Shows prices of the stored blocks, marked stale until the source has reported its newest. */
  async #begin(): Promise<void> {
    if (!(await this.#load())) return;
    await this.#options.track.settle();
    this.#ready.resolve();
    // Of fewer no others are stored right below.
    if (!this.chain.hasNewest(FIRST_BLOCKS)) return;
    // What else is stored must not delay the newest block.
    void Promise.race([this.#live.promise, sleep(LIVE_WITHIN_MS, this.#options.signal)]).then(() =>
      this.#guard(() => this.#filler.readDay()),
    );
  }

  #fillOnceLive(): void {
    void this.#live.promise.then(() => this.#filler.start());
  }

  #load(): Promise<boolean> {
    return this.chain.load(FIRST_BLOCKS, this.#options.loadedSec);
  }

  /** Returns whether the error is permanent. */
  async #guard(work: () => Promise<void>, retryMs: number | null = null): Promise<boolean> {
    try {
      await work();
      return false;
    } catch (error) {
      if (this.#options.signal.aborted) return false;
      const forGood = error instanceof StoreError && error.code === 'wrong-chain';
      const message = error instanceof Error ? error.message : String(error);
      const retryAt = forGood || retryMs === null ? null : this.#options.wallNow() + retryMs;
      this.state.fail({ message, retryAt });
      if (forGood) {
        this.writer.stop();
        this.chain.disown();
        this.#ready.reject(error);
      }
      // Unexpected: restarts from the stored blocks, with a fresh engine.
      if (!(error instanceof ChainError || error instanceof StoreError)) this.chain.dropEngine();
      this.#options.onError(error);
      if (error instanceof ChainError) this.#news.failed();
      return forGood;
    }
  }

  async #follow(): Promise<void> {
    const { source, store, lease, signal } = this.#options;
    const hasRead = this.#isReconciled;
    this.#isReconciled = false;
    await lease.look();
    const until = AbortSignal.any([signal, this.#again.signal]);
    const isStored = source.kind === 'rpc' && (await store.chainId()) !== null;
    if (isStored && store.isOnServer && lease.state !== 'stands-by') await this.#compare(true);
    if (isStored && (lease.state === 'stands-by' || this.unfit !== null)) {
      // Again, as its node's blocks may have come until now.
      if (hasRead) this.#filler.rebuildSoon();
      return this.#standBy(until);
    }
    source.acceptRestart?.();
    const profile = await abortable(source.chain(), signal);
    await store.claimChain(profile);
    // A busy database must not delay the first prices: the lease may come while they are shown.
    await Promise.race([lease.bid(), sleep(BID_MS, signal)]);
    // Several processes may start on an empty database at once.
    if (lease.state === 'stands-by' && source.kind === 'rpc') return this.#standBy(until);
    this.#followsAs = lease.state;
    await this.chain.adopt(profile);
    if (lease.mayWrite) {
      await this.#takeStored();
      if (this.chain.head !== null) this.state.endBacklogAt(this.chain.head);
      this.writer.start();
    }
    const { behind, newest, isProven } = await this.#reconcile(profile);
    const isMuch = newest !== null && newest.blocks.length > MOST_FOLLOWED;
    const isAlone = this.#options.isForPrices && behind === null && isMuch;
    // Before anything counts as live: prices that rest on fewer blocks are others.
    if (!isAlone) await this.#readBelow();
    this.state.responded();
    if (isAlone) return this.#showAlone(newest, until);
    if (this.chain.head === null) await this.#readFirst();
    this.state.begin();
    const [next, ...others] = isProven && newest !== null ? newest.blocks : [];
    // A single child of the head needs no other request; of several the subscription also reads the hashes.
    if (next !== undefined && others.length === 0) this.#handle({ type: 'block', block: next });
    if (behind === null) this.#heal();
    else this.state.fail({ message: behind, retryAt: null });
    this.publisher.notify();
    // Where the subscription begins with blocks that are known already, prices are live with the first of them.
    if (others.length === 0) this.#live.resolve();
    this.#fillOnceLive();
    const slice = new TimeSlice();
    for await (const event of source.subscribe({ known: this.chain.known, signal: until })) {
      // A client that sees the end requests the history once more, and never again.
      if (event.type === 'ended') await this.#filler.settled();
      if (until.aborted) break;
      // A node that goes back drops nothing of a shared database: its blocks go when others take their place.
      if (event.type === 'reorg' && source.kind === 'rpc' && store.isOnServer) continue;
      this.#handle(event);
      if (this.writer.isFull) await this.writer.flush();
      if (slice.isOver()) await slice.next();
    }
    if (!until.aborted && !this.state.hasEnded) throw new Error('the source ended its subscription');
  }

  /** Holds the own node against a shared database. Rejects as the node and the store do. */
  async #compare(isWhole: boolean): Promise<void> {
    const { source, store, signal, onNews } = this.#options;
    source.acceptRestart?.();
    const profile = await abortable(source.chain(), signal);
    const before = this.unfit;
    this.unfit = await abortable(unfitNode(source, store, profile, isWhole), signal);
    if (this.unfit?.isOther) {
      if (this.unfit.message !== before?.message) onNews({ isWell: false, message: this.unfit.message });
    } else if (before?.isOther) {
      onNews({
        isWell: true,
        message: `${source.name} has the chain of the database: this process may lead`,
      });
    }
  }

  /** Another process leads, or none with a node that may: ingests the blocks that it stores, and leaves its own node alone while new ones come. */
  async #standBy(until: AbortSignal): Promise<void> {
    const { lease, store, track } = this.#options;
    const isUnfit = this.unfit !== null;
    // It bids again once its node was compared, which may be on another chain by then.
    if (store.isOnServer) await lease.withdraw();
    this.#followsAs = lease.state;
    if (this.chain.profile !== null) await this.chain.adopt(this.chain.profile);
    let movedAt = performance.now();
    let comparedAt = isUnfit ? performance.now() : Number.NEGATIVE_INFINITY;
    for (let poll = 0; !until.aborted; poll += 1) {
      if (
        store.isOnServer &&
        performance.now() - comparedAt > COMPARE_MS[this.unfit === null ? 'fit' : 'unfit']
      ) {
        comparedAt = performance.now();
        // A node that is away says nothing of its chain, and stored blocks must not wait for it.
        void this.#compare(lease.state !== 'stands-by').catch(() => {});
      }
      // The lease may have lapsed before `#followsAs` was set, so that its listener did nothing.
      const mayBid = isUnfit ? this.unfit === null : lease.state === 'idle';
      if (mayBid) return this.#again.abort();
      const before = this.chain.head;
      // Before the blocks: responses are cached by head, and the first of a chain that began anew must say so.
      await this.chain.readRestart();
      await this.#takeStored();
      if (poll % TRACK_POLLS === 0) await track.settle();
      this.state.responded();
      if (poll === 0) {
        this.#live.resolve();
        this.#fillOnceLive();
        this.publisher.notify();
      }
      const problem = lease.leaderReport?.problem ?? null;
      if (problem === null) this.state.heal();
      else this.state.fail(problem);
      if (this.chain.head !== before) movedAt = performance.now();
      if (performance.now() - movedAt > (this.#options.neglectedMs ?? NEGLECTED_MS)) {
        movedAt = performance.now();
        if (await this.#knowsNext().catch(() => false)) await lease.takeOver();
      }
      await sleep(POLL_MS, until);
      await lease.look();
    }
  }

  async #knowsNext(): Promise<boolean> {
    const { source } = this.#options;
    const { head } = this.chain;
    const newest = await source.head();
    if (this.state.isLate(newest)) return false;
    if (head === null || newest.number <= head.number) return head === null;
    const same = await blockAt(source, head.number);
    return same !== null && isSameBlock(same, head);
  }

  async #takeStored(): Promise<void> {
    const slice = new TimeSlice();
    for (;;) {
      const events = await this.chain.changes();
      if (events === null) {
        if (await this.#load()) this.#ready.resolve();
        await this.#filler.readDay();
      }
      if (events === null || events.length === 0) return;
      for (const event of events) {
        this.#handle(event);
        if (slice.isOver()) await slice.next();
      }
    }
  }

  /** `behind`: why no new blocks are available, if so. `newest`: `isProven` by hashes to follow the head, or just the newest. */
  async #reconcile(profile: ChainProfile) {
    await this.writer.flush();
    const { source, store, lease, signal } = this.#options;
    const newest = await this.#newest();
    const isProven = newest !== null && (await this.#isFollowing(newest));
    const found = isProven
      ? ({ type: 'keep', behind: null } as const)
      : await abortable(reconcile(source, store, profile), signal);
    // Compared before it led: the database has changed since.
    if (found.type === 'begin-anew' && source.kind === 'rpc' && store.isOnServer)
      throw new ChainError('wrong-chain', `${source.name} has other blocks than the database`);
    if (found.type === 'rewind') this.#rewindTo(found.to);
    if (found.type === 'begin-anew') {
      this.chain.beginAnew();
      this.writer.beginAnew(profile.genesisHash);
      const message = `${profile.name} began anew: the history from before is dropped, auto-txs are disabled`;
      this.#options.onNews({ isWell: true, message });
    }
    await this.writer.flush();
    const { problem } = this.writer;
    if (found.type === 'begin-anew' && problem !== null) throw new StoreError('failed', problem);
    const { genesisHash } = profile;
    if (lease.mayWrite && genesisHash !== undefined && (await store.genesisHash()) === null)
      await store.adoptGenesis(genesisHash);
    await this.chain.readRestart();
    this.#isReconciled = true;
    const behind = found.type === 'keep' ? found.behind : null;
    return { behind, newest: found.type === 'keep' ? newest : null, isProven };
  }

  /** The node's newest blocks, if it can say them by the head. */
  async #newest(): Promise<RecentBlocks | null> {
    const { head } = this.chain;
    if (head === null || head.hash === null) return null;
    return this.#page(head).catch((error: unknown) => {
      if (error instanceof ChainError) return null;
      throw error;
    });
  }

  /** Whether hashes prove that the node has the head: then nothing else need be compared. */
  async #isFollowing({ blocks, follows }: RecentBlocks): Promise<boolean> {
    const { source, signal } = this.#options;
    const { head } = this.chain;
    if (!follows || head === null) return false;
    // The only one is its child by hash.
    if (blocks.length < 2) return true;
    const same = await abortable(blockAt(source, head.number), signal);
    return same?.hash === head.hash;
  }

  /** For a one-shot that asks for prices: storing so many blocks takes a request for each, and changes no price. */
  async #showAlone(newest: RecentBlocks, until: AbortSignal): Promise<void> {
    const goesOn = newest.follows && this.chain.hasNewest(FIRST_BLOCKS);
    const { blocks } = (newest.follows && !goesOn ? await this.#page(null) : null) ?? newest;
    const head = blocks.at(-1);
    if (head === undefined) return;
    if (!goesOn) this.chain.beginAnew();
    this.chain.show(blocks.slice(0, -1));
    this.chain.ingest(head);
    this.state.note(head);
    this.#heal();
    this.#ready.resolve();
    this.publisher.notify();
    await untilAborted(until);
  }

  /** For prices alone, the blocks after `known` or just the newest; `null`: the source gives only whole blocks. */
  async #page(known: Block | null): Promise<RecentBlocks | null> {
    const { source, signal } = this.#options;
    const asked = source.newest?.(FIRST_BLOCKS, { known, signal });
    return asked === undefined ? null : abortable(asked, signal);
  }

  async #readFirst(): Promise<void> {
    const { source, signal } = this.#options;
    const page = await this.#page(null);
    if (page !== null) {
      const head = page.blocks.at(-1);
      if (head === undefined) return;
      this.state.endBacklogAt(head);
      // They suffice for prices, but not for the history.
      this.chain.show(page.blocks.slice(0, -1));
      this.#ingest(head);
    } else {
      const head = await abortable(source.head(), signal);
      this.state.endBacklogAt(head);
      const from = Math.max(0, head.number - FIRST_BLOCKS + 1);
      const blocks = await abortable(source.blocks(from, head.number, { signal }), signal);
      for (const block of blocks.length > 0 ? blocks : [head]) this.#ingest(block);
    }
    await this.writer.flush();
  }

  /** Where fewer blocks are stored than prices rest on: shows those below them. */
  async #readBelow(): Promise<void> {
    if (this.chain.head === null || this.chain.hasNewest(FIRST_BLOCKS)) return;
    const page = await this.#page(null);
    if (page !== null) this.chain.showBelow(page.blocks);
  }

  #handle(event: ChainEvent): void {
    switch (event.type) {
      case 'block':
        this.state.note(event.block);
        this.#news.look();
        this.#takeIn(event.block);
        break;
      case 'reorg':
        this.state.resume();
        this.#rewindTo(event.commonAncestor);
        break;
      case 'gap':
        this.#filler.fillSoon();
        break;
      case 'down':
        this.state.fail({ message: event.reason, retryAt: event.retryAt });
        this.#news.down(event.reason);
        break;
      case 'up':
        this.#heal();
        break;
      case 'ended':
        this.state.end();
    }
    this.#live.resolve();
    this.publisher.notify();
  }

  #heal(): void {
    this.state.heal();
    this.#news.up();
  }

  #takeIn(block: Block): void {
    const { head } = this.chain;
    if (this.chain.has(block)) return;
    // The source promises children; a repeat or a jump must still not corrupt the history.
    if (head !== null && block.number <= head.number) this.#rewindTo(block.number - 1);
    if (head !== null && block.number > head.number + 1) this.#filler.fillSoon();
    this.#ingest(block);
  }

  #ingest(block: Block): void {
    try {
      this.chain.ingest(block);
    } finally {
      this.writer.add(block);
    }
    this.#ready.resolve();
  }

  #rewindTo(number: number): void {
    this.chain.rewindTo(number);
    this.writer.rewindTo(number);
    if (this.chain.isBlank) this.#filler.rebuildSoon();
  }
}

export interface FollowerOptions
  extends IngestedChainOptions,
    BlockWriterOptions,
    FillerOptions,
    PublisherOptions {
  readonly source: ChainSource;
  readonly track: AdviceJudge;
  readonly lease: Lease;
  /** How much of what is stored is read before the first prices, in seconds, if that is more than they need. */
  readonly loadedSec: number;
  readonly neglectedMs?: number | undefined;
  readonly onNews: (news: News) => void;
}
