import type { ChainEvent, ChainSource, KnownBlock } from '../../chain/chain-source.ts';
import {
  type Advice,
  type GivenAdvice,
  givenAdvice,
  type LanePrices,
  type MeanPrices,
} from '../../core/advice.ts';
import type { Block, Hex } from '../../core/block.ts';
import { type ChainProfile, identifiedChain, updateFrequencySec } from '../../core/chains.ts';
import { NEAR_BLOCKS } from '../../core/engine/fee-engine.ts';
import type { Reach } from '../../core/engine/horizons.ts';
import type { BlockStore } from '../../store/blocks.ts';
import { TimeSlice } from '../async.ts';
import type { Lease } from '../leader.ts';
import type { AdviceJudge } from './advice-judge.ts';
import { alertRunOf, BlockWriter, unsavedWords } from './block-writer.ts';

const DAY_SEC = 86_400;

/**
 * The chain as it was taken in: every block once through the engine and, while this process is the one that writes, into
 * the store; reorgs take both back.
 */
export class ChainState {
  readonly #options: ChainStateOptions;
  readonly #events: ChainStateEvents;
  readonly #writer: BlockWriter;
  readonly #recent = new RecentBlocks();
  readonly #rewindListeners = new Set<(ancestor: number) => void>();
  #profile: ChainProfile | null = null;
  #live: LiveEngine | null = null;
  #updatedAt: number | null = null;

  constructor(options: ChainStateOptions, events: ChainStateEvents) {
    this.#options = options;
    this.#events = events;
    this.#writer = new BlockWriter(options.store, {
      onRecovered: events.onRecovered,
      onRefused: () => void options.lease.look(),
      alertRun: (blocks) => this.#profile && alertRunOf(blocks, this.#profile, events, options),
      onFired: options.onFired,
      adviceAfter: (block) => this.#saidAfter(block),
      onWritten: () => {
        options.onStored?.();
        return options.track.settle();
      },
    });
    options.lease.onChange(() => this.#writer.close());
  }

  /** Whether what is ingested is written, and not by another process. */
  get isWriting(): boolean {
    return this.#writer.isOpen;
  }

  /** Writes what is ingested from now on, where that is this process's turn. */
  write(): void {
    if (this.#options.lease.mayWrite) this.#writer.open();
  }

  /**
   * What the store has beyond what is known here, and what of that it has no more, as a source would tell it. `null`:
   * nothing that is known is stored.
   */
  async changes(): Promise<readonly ChainEvent[] | null> {
    const { store } = this.#options;
    const { head } = this;
    if ((await store.head()) === null) return [];
    if (head === null) return null;
    const stored = await store.page(head.number, PAGE);
    if (stored[0]?.number === head.number && isSameBlock(stored[0], head))
      return stored.slice(1).map((block) => ({ type: 'block', block }));
    const known = this.#recent.all;
    const page = await store.page(known[0]?.number ?? head.number, known.length);
    const others = new Map(page.map((each) => [each.number, each]));
    const shared = known.findLast((block) => {
      const other = others.get(block.number);
      return other !== undefined && isSameBlock(other, block);
    });
    return shared === undefined ? null : [{ type: 'reorg', commonAncestor: shared.number }];
  }

  get profile(): ChainProfile | null {
    return this.#profile;
  }

  get blockTimeSec(): number {
    return this.#profile?.feeRule.blockTimeSec ?? 0;
  }

  /** How often a block is to be expected, seconds. */
  get updateSec(): number {
    const advice = this.advice();
    return this.#profile === null || advice === null
      ? this.blockTimeSec
      : updateFrequencySec(this.#profile, advice.blockSec);
  }

  get head(): Block | null {
    return this.#recent.head;
  }

  /** The newest blocks, for a source to begin after. */
  get known(): readonly KnownBlock[] {
    return this.#recent.known;
  }

  /**
   * When the last block was ingested, or what is said of it changed last; ms since epoch, wall clock. A standby says what
   * the leader says.
   */
  get updatedAt(): number | null {
    const { lease } = this.#options;
    const report = lease.state === 'stands-by' ? (lease.held?.report ?? null) : null;
    return report !== null && report.block === this.head?.number ? report.updatedAt : this.#updatedAt;
  }

  /** Why the history is not being written, or `null`. */
  get writeProblem(): string | null {
    const { lease } = this.#options;
    const cannotReadLease = lease.state === 'unknown' && lease.problem !== null;
    return this.#writer.problem ?? (cannotReadLease ? unsavedWords(lease.problem) : null);
  }

  /** Whether the disk should be waited for before more is ingested. */
  get isFull(): boolean {
    return this.#writer.isFull;
  }

  /** Whether a rewind took back more than the engine remembers, so that it knows nothing any more. */
  get isBlank(): boolean {
    return this.#live?.isBlank ?? false;
  }

  /** Whether the engine was given all blocks from `number` on. */
  remembers(number: number): boolean {
    return this.#live?.remembers(number) ?? false;
  }

  advice(): Advice | null {
    return this.#live?.advice() ?? null;
  }

  /** What the next block is expected to cost, as the head says it; `null` before the first block. */
  present(): Present | null {
    const head = this.head;
    const advice = this.advice();
    if (head === null || advice === null || this.#live?.head?.number !== head.number) return null;
    const { nextBaseFee, nextBlobBaseFee, lanes } = advice;
    const prices = { slow: lanes.slow.price, average: lanes.average.price, fast: lanes.fast.price };
    return { head, nextBaseFee, nextBlobBaseFee, prices };
  }

  reachProbability(price: bigint, withinSec: number): Reach | null {
    return this.#live?.reachProbability(price, withinSec) ?? null;
  }

  meanPrices(first: number, last: number): MeanPrices | null {
    return this.#live?.meanPrices(first, last) ?? null;
  }

  /** Resolves when the store holds every block that was ingested. */
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
    this.#recent.replace([]);
    for (const block of stored) this.#feed(block);
    this.#updatedAt = head.timestamp * 1_000;
    return true;
  }

  /** Takes in `blocks` before the first one that is ingested, for prices alone: the history is filled in behind. */
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

  /** Whether this very block has been ingested lately. */
  has(block: Block): boolean {
    return this.#recent.has(block);
  }

  #feed(block: Block): void {
    // First: should the engine stumble, the block is there for the next one.
    this.#recent.push(block);
    this.#live?.push(block);
  }

  ingest(block: Block): void {
    try {
      this.#feed(block);
    } finally {
      const isPriced = this.isWriting && this.#live?.head === block;
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
    this.#writer.close();
    this.#recent.replace([]);
    this.#live = null;
    this.#profile = null;
    this.#updatedAt = null;
  }

  /** Gives the engine the blocks from `from` on as its memory: those of the store, and the newest ones. */
  async rebuild(from: number): Promise<void> {
    if (this.#writer.problem !== null) return;
    const { source, store, signal } = this.#options;
    await this.#writer.flush();
    this.#recent.complete(await store.newest(this.#recent.all.length));
    const newest = this.#recent.all;
    if (newest.length === 0) return;
    // The demo has to have advice for a day within seconds: its past need not be stored first. On a chain where money moves
    // each block counts alike, so that a restarted service says what one says that ran on. The demo begins at round numbers,
    // so that whoever begins within the same hours says the same of a block.
    const isDemo = source.kind === 'simulated';
    const near = isDemo ? roundBlock((newest.at(-1)?.number ?? 0) - NEAR_BLOCKS) : 0;
    const read = (at: number) => (isDemo ? source.blocks(at, at + PAGE - 1) : store.page(at, PAGE));
    await this.#live?.rebuild(enginePages(read, isDemo ? roundBlock(from) : from, newest), signal, near);
    if (this.#updatedAt !== null) this.#updatedAt = this.#options.wallNow();
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

/** What ingested blocks go into, and where they come from. */
export interface ChainStateOptions {
  readonly source: Pick<ChainSource, 'kind' | 'blocks'>;
  readonly store: BlockStore;
  readonly track: AdviceJudge;
  /** Whether this process writes, or another one on the same database. */
  readonly lease: Lease;
  readonly createEngine: (profile: ChainProfile) => Engine;
  readonly wallNow: () => number;
  /** Dollars for one native coin now; `null`: unknown. */
  readonly nativeUsd?: () => number | null;
  /** Called when alerts have fired and what they send is in the outbox. */
  readonly onFired?: () => void;
  /** Called with new blocks in the store, whoever wrote them. */
  readonly onStored?: () => void;
  readonly signal: AbortSignal;
}

/** What is asked and told while blocks are ingested. */
export interface ChainStateEvents {
  /** Called with the first write that works after one that did not. */
  readonly onRecovered: () => void;
  /** Whether blocks that should be there after `block` stay away. */
  readonly isLate: (block: Block) => boolean;
  /** Whether `block` came too late to tell anybody of it as of now. */
  readonly isPast: (block: Block) => boolean;
}

/** What the follower needs of `core/fee-engine.ts`: an engine that takes blocks in unbroken order only. */
export interface Engine {
  readonly head: Block | null;
  push(block: Block, isWarmUp?: boolean): void;
  rewindTo(number: number): void;
  advice(): Advice | null;
  lanePrices(): LanePrices | null;
  reachProbability(price: bigint, withinSec: number): Reach;
  meanPrices(first: number, last: number): MeanPrices | null;
}

type Change = { readonly block: Block } | { readonly rewindTo: number };

/**
 * The engine that answers now, replaceable by one with a longer memory without a moment's silence: while
 * `rebuild` feeds the new one in slices, changes go on to the old one and are kept for the new one.
 */
export class LiveEngine {
  readonly #make: () => Engine;
  /** Made with the first block: at a start `rebuild` brings another one before that. */
  #engine: Engine | null = null;
  /** Number of the first block that the engine was given of the unbroken run up to its head. */
  #first = Number.POSITIVE_INFINITY;
  #head: Block | null = null;
  #advice: Advice | null | undefined;
  #missed: Change[] | null = null;

  constructor(make: () => Engine) {
    this.#make = make;
  }

  get head(): Block | null {
    return this.#head;
  }

  push(block: Block): void {
    this.#engine ??= this.#make();
    if (feed(this.#engine, block)) this.#first = block.number;
    this.#missed?.push({ block });
    this.#head = block;
    this.#advice = undefined;
  }

  /** `head` is the block that is now the highest, if it is known. */
  rewindTo(number: number, head: Block | null): void {
    this.#engine?.rewindTo(number);
    this.#missed?.push({ rewindTo: number });
    this.#head = head;
    this.#advice = undefined;
  }

  /** Whether a rewind took back more than the engine remembers, so that it knows nothing any more. */
  get isBlank(): boolean {
    return this.#engine === null || this.#engine.head === null;
  }

  /** Whether the engine was given all blocks from `number` on. */
  remembers(number: number): boolean {
    return !this.isBlank && this.#first <= number;
  }

  /** Advice on the present head; worked out once per change. */
  advice(): Advice | null {
    if (this.#advice === undefined) this.#advice = this.#engine?.advice() ?? null;
    return this.#advice;
  }

  /** The lanes' prices after the present head, without the rest of the advice. */
  lanePrices(): LanePrices | null {
    return this.#engine?.lanePrices() ?? null;
  }

  reachProbability(price: bigint, withinSec: number): Reach | null {
    return this.#engine?.reachProbability(price, withinSec) ?? null;
  }

  meanPrices(first: number, last: number): MeanPrices | null {
    return this.#engine?.meanPrices(first, last) ?? null;
  }

  /** Starts empty again. */
  reset(): void {
    this.#engine = null;
    this.#head = null;
    this.#advice = undefined;
    this.#missed = null;
  }

  /**
   * Feeds a fresh engine with `pages` (ascending, up to the head at the time of calling) and swaps it in. Blocks before
   * `near` only warm it up.
   */
  async rebuild(pages: AsyncIterable<readonly Block[]>, signal: AbortSignal, near = 0): Promise<void> {
    const slice = new TimeSlice();
    const next = this.#make();
    const missed: Change[] = [];
    this.#missed = missed;
    let head: Block | null = null;
    let first = Number.POSITIVE_INFINITY;
    try {
      for await (const page of pages) {
        for (const block of page) {
          if (feed(next, block, block.number < near)) first = block.number;
          head = block;
          if (slice.isOver()) await slice.next();
          if (signal.aborted) return;
        }
      }
      for (let at = 0; at < missed.length; at += 1) {
        const change = missed[at];
        if (change === undefined) break;
        if ('rewindTo' in change) next.rewindTo(change.rewindTo);
        else if (feed(next, change.block)) first = change.block.number;
        if (slice.isOver()) await slice.next();
        if (signal.aborted) return;
      }
      // Reset meanwhile: what was read is of a chain that is gone.
      if (this.#missed !== missed) return;
      this.#engine = next;
      this.#first = first;
      this.#head ??= head;
      this.#advice = undefined;
    } finally {
      if (this.#missed === missed) this.#missed = null;
    }
  }
}

/**
 * After a hole the engine starts anew: what it learned does not lead up to this block. Answers whether the block is the
 * first that it knows.
 */
function feed(engine: Engine, block: Block, isWarmUp = false): boolean {
  if (engine.head !== null && block.number !== engine.head.number + 1) engine.rewindTo(-1);
  const isFirst = engine.head === null;
  engine.push(block, isWarmUp);
  return isFirst;
}

const KEPT = 128;

/** The last blocks ingested, ascending: what a new subscription starts from, and where a rewind lands. */
class RecentBlocks {
  #blocks: Block[] = [];

  get head(): Block | null {
    return this.#blocks.at(-1) ?? null;
  }

  /** A copy, ascending. */
  get all(): readonly Block[] {
    return [...this.#blocks];
  }

  /** Whether this very block is among them. */
  has(block: Block): boolean {
    const head = this.head;
    if (head === null || block.number > head.number) return false;
    const found = this.#blocks.find(({ number }) => number === block.number);
    return found !== undefined && isSameBlock(found, block);
  }

  /** Those whose hashes are known, where the source has hashes: what a subscription compares heads with. */
  get known(): readonly KnownBlock[] {
    const newest = this.#blocks.slice(-KEPT);
    const unknown = this.head?.hash == null ? -1 : newest.findLastIndex(({ hash }) => hash === null);
    return newest.slice(unknown + 1).map(({ number, hash }) => ({ number, hash }));
  }

  /** Puts stored blocks in the place of those that were read here: all processes count with the same ones. */
  complete(stored: readonly Block[]): void {
    const kept = new Map(stored.map((block) => [block.number, block]));
    this.#blocks = this.#blocks.map((block) => {
      const found = kept.get(block.number);
      return found !== undefined && isSameBlock(found, block) ? found : block;
    });
  }

  push(block: Block): void {
    this.#blocks.push(block);
    // Trimmed rarely: a burst brings tens of thousands per second.
    if (this.#blocks.length >= KEPT * 8) this.#blocks = this.#blocks.slice(-KEPT);
  }

  rewindTo(number: number): void {
    while ((this.#blocks.at(-1)?.number ?? number) > number) this.#blocks.pop();
  }

  replace(blocks: readonly Block[]): void {
    this.#blocks = [...blocks];
  }
}

/** Whether two of the same number are one block. Sources without hashes tell by the base fee. */
export function isSameBlock(a: Block, b: Block): boolean {
  if (a.hash !== null && b.hash !== null) return a.hash === b.hash;
  return a.baseFeePerGas === b.baseFeePerGas;
}

/** What the next block is expected to cost, as the head says it. Wei per gas. */
export interface Present {
  readonly head: Block;
  readonly nextBaseFee: bigint;
  /** `null`: the chain has no blobs. */
  readonly nextBlobBaseFee: bigint | null;
  readonly prices: LanePrices;
}

const PAGE = 512;

const roundBlock = (number: number) => Math.max(Math.floor(number / NEAR_BLOCKS) * NEAR_BLOCKS, 0);

/** What the engine is fed: the blocks from number `from` on that `read` gives, then the `newest`, which need not be stored. */
async function* enginePages(
  read: (from: number) => Promise<readonly Block[]>,
  from: number,
  newest: readonly Block[],
): AsyncGenerator<readonly Block[]> {
  const end = newest[0]?.number ?? 0;
  for (let at = from; at < end; ) {
    const page = (await read(at)).filter(({ number }) => number < end);
    yield page;
    at = (page.at(-1)?.number ?? end) + 1;
  }
  yield newest.filter(({ number }) => number >= from);
}
