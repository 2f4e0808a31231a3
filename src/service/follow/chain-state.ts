import { isDeepStrictEqual } from 'node:util';
import type { ChainEvent, ChainSource, KnownBlock } from '../../chain/chain-source.ts';
import {
  type Advice,
  type Chance,
  eachLane,
  type GivenAdvice,
  givenAdvice,
  type LanePrices,
  type MeanPrices,
} from '../../core/advice.ts';
import type { Block, Hex } from '../../core/block.ts';
import { type ChainProfile, identifiedChain, updateFrequencySec } from '../../core/chains.ts';
import { NEAR_BLOCKS } from '../../core/engine/fee-engine.ts';
import type { AlertRun } from '../../store/alert-evaluation.ts';
import type { BlockStore } from '../../store/blocks.ts';
import { TimeSlice } from '../async.ts';
import type { Lease } from '../leader.ts';
import type { AdviceJudge } from './advice-judge.ts';
import { BlockWriter, type IngestedBlock, unsavedWords } from './block-writer.ts';
import type { SourceState } from './freshness.ts';

const DAY_SEC = 86_400;

/** The ingested chain: every block goes once to the engine and, in the leader, to the store; a reorg rewinds both. */
export class ChainState {
  readonly #options: ChainStateOptions;
  readonly #source: Pick<SourceState, 'isLate' | 'isPast'>;
  readonly #writer: BlockWriter;
  readonly #recent = new RecentBlocks();
  readonly #rewindListeners = new Set<(ancestor: number) => void>();
  #profile: ChainProfile | null = null;
  /** `null` before the first block, and once it failed. */
  #engine: Engine | null = null;
  /** First block of the engine's unbroken run up to its head. */
  #first = Number.POSITIVE_INFINITY;
  /** What happened since the running rebuild began; `null`: none runs. */
  #missed: Change[] | null = null;
  #updatedAt: number | null = null;

  constructor(
    options: ChainStateOptions,
    source: Pick<SourceState, 'isLate' | 'isPast'>,
    onRecovered: () => void,
  ) {
    this.#options = options;
    this.#source = source;
    this.#writer = new BlockWriter(options.store, {
      onRecovered,
      onRefused: () => void options.lease.look(),
      alertRun: (blocks) => this.#alertRun(blocks),
      onFired: options.onFired,
      adviceAfter: (block) => this.#adviceAfterHead(block),
      onWritten: () => {
        options.onStored?.();
        return options.track.settle();
      },
    });
    options.lease.onChange(() => this.#writer.close());
  }

  get isWriting(): boolean {
    return this.#writer.isOpen;
  }

  write(): void {
    if (this.#options.lease.mayWrite) this.#writer.open();
  }

  /** How the stored blocks differ from those in memory, as events of a source. `null`: none in memory is stored. */
  async changes(): Promise<readonly ChainEvent[] | null> {
    const { store } = this.#options;
    const { head } = this;
    if (head === null) return (await store.head()) === null ? [] : null;
    const [first, ...next] = await store.page(head.number, PAGE);
    if (first?.number === head.number && isSameBlock(first, head))
      return next.map((block) => ({ type: 'block', block }));
    if ((await store.head()) === null) return [];
    const known = this.#recent.all;
    const page = await store.page(known[0]?.number ?? head.number, known.length);
    const kept = new Map(page.map((each) => [each.number, each]));
    const shared = known.findLast((block) => {
      const other = kept.get(block.number);
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

  get updateSec(): number {
    const advice = this.advice();
    return this.#profile === null || advice === null
      ? this.blockTimeSec
      : updateFrequencySec(this.#profile, advice.blockSec);
  }

  get head(): Block | null {
    return this.#recent.head;
  }

  /** The newest blocks, from which a source continues. */
  get known(): readonly KnownBlock[] {
    return this.#recent.known;
  }

  /** When the last block came or its figures changed; ms since epoch, wall clock. A standby has the leader's time. */
  get updatedAt(): number | null {
    const report = this.#options.lease.leaderReport;
    return report !== null && report.block === this.head?.number ? report.updatedAt : this.#updatedAt;
  }

  get writeProblem(): string | null {
    const { lease } = this.#options;
    const cannotReadLease = lease.state === 'unknown' && lease.problem !== null;
    return this.#writer.problem ?? (cannotReadLease ? unsavedWords(lease.problem) : null);
  }

  get isFull(): boolean {
    return this.#writer.isFull;
  }

  /** Whether a rewind exceeded the engine's depth, which resets it. */
  get isBlank(): boolean {
    return this.#engine?.head == null;
  }

  /** Whether the engine has all blocks from `number` on. */
  remembers(number: number): boolean {
    return !this.isBlank && this.#first <= number;
  }

  advice(): Advice | null {
    return this.#engine?.advice() ?? null;
  }

  /** Expected prices of the next block at the head; `null` before the first block. */
  present(): Present | null {
    const head = this.head;
    const advice = this.advice();
    if (head === null || advice === null || this.#engine?.head?.number !== head.number) return null;
    const { nextBaseFee, nextBlobBaseFee, lanes } = advice;
    const prices = eachLane((lane) => lanes[lane].price);
    return { head, nextBaseFee, nextBlobBaseFee, prices };
  }

  get engine(): Engine | null {
    return this.#engine;
  }

  flush(): Promise<void> {
    return this.#writer.flush();
  }

  onRewind(listener: (ancestor: number) => void): () => void {
    this.#rewindListeners.add(listener);
    return () => this.#rewindListeners.delete(listener);
  }

  /** Loads the newest `count` stored blocks, so that there are prices at once. Returns whether there are any. */
  async load(count: number): Promise<boolean> {
    const { store } = this.#options;
    const chainId = await store.chainId();
    const stored = chainId === null ? [] : await store.newest(count);
    const head = stored.at(-1);
    if (chainId === null || head === undefined) return false;
    this.#profile = identifiedChain(chainId, await store.genesisHash());
    this.dropEngine();
    this.#recent.replace([]);
    for (const block of stored) this.#feed(block);
    this.#updatedAt = head.timestamp * 1_000;
    return true;
  }

  /** Ingests `blocks` for prices alone, before the first live block: the history is filled in behind them. */
  show(blocks: readonly Block[]): void {
    for (const block of blocks) this.#feed(block);
  }

  /** Continues as this chain: with a new engine if there is none, or if its rules differ from the assumed ones. */
  async adopt(profile: ChainProfile): Promise<void> {
    const isSame = isDeepStrictEqual(profile.feeRule, this.#profile?.feeRule);
    this.#profile = profile;
    if (this.#engine !== null && isSame) return;
    this.dropEngine();
    await this.rebuildDay();
  }

  /** The next `adopt` or block creates another. */
  dropEngine(): void {
    this.#engine = null;
    this.#missed = null;
  }

  has(block: Block): boolean {
    return this.#recent.has(block);
  }

  #feed(block: Block): void {
    // First, so that a new engine gets the block if this one fails.
    this.#recent.push(block);
    if (this.#profile === null) return;
    this.#engine ??= this.#options.createEngine(this.#profile);
    if (feed(this.#engine, block)) this.#first = block.number;
    this.#missed?.push({ block });
  }

  ingest(block: Block): void {
    try {
      this.#feed(block);
    } finally {
      const isPriced = this.isWriting && this.#engine?.head === block;
      this.#writer.add(block, isPriced ? this.#engine?.lanePrices() : null);
    }
    this.#updatedAt = this.#options.wallNow();
  }

  rewindTo(number: number): void {
    for (const listener of this.#rewindListeners) listener(number);
    this.#recent.rewindTo(number);
    this.#engine?.rewindTo(number);
    this.#missed?.push({ rewindTo: number });
    this.#writer.rewindTo(number);
  }

  beginAnew(genesis: Hex | undefined): void {
    for (const listener of this.#rewindListeners) listener(-1);
    this.#writer.beginAnew(genesis);
    this.#recent.replace([]);
    this.dropEngine();
  }

  /** The store has another chain: stops showing it, and leaves it unchanged. */
  disown(): void {
    this.#writer.close();
    this.#recent.replace([]);
    this.dropEngine();
    this.#profile = null;
    this.#updatedAt = null;
  }

  /** Rebuilds the engine from the blocks from `from` on: those of the store, and the newest ones. */
  async rebuild(from: number): Promise<void> {
    if (this.#writer.problem !== null) return;
    const { source, store } = this.#options;
    await this.#writer.flush();
    this.#recent.complete(await store.newest(this.#recent.all.length));
    const newest = this.#recent.all;
    if (newest.length === 0) return;
    // The demo must have advice for a day within seconds, without storing its past first. On a real chain each block
    // counts alike, so that a restarted service gives the same advice as one that ran on. The demo begins at round
    // numbers, so that demos started within the same hours agree.
    const isDemo = source.kind === 'simulated';
    const near = isDemo ? roundBlock((newest.at(-1)?.number ?? 0) - NEAR_BLOCKS) : 0;
    const read = (at: number) => (isDemo ? source.blocks(at, at + PAGE - 1) : store.page(at, PAGE));
    await this.#replaceEngine(enginePages(read, isDemo ? roundBlock(from) : from, newest), near);
    if (this.#updatedAt !== null) this.#updatedAt = this.#options.wallNow();
  }

  /**
   * Fills a new engine in slices with `pages`, up to the head at the time of the call, then with what happened since,
   * and swaps it in: until then the present one answers. Blocks before `near` only warm it up.
   */
  async #replaceEngine(pages: AsyncIterable<readonly Block[]>, near: number): Promise<void> {
    const { createEngine, signal } = this.#options;
    if (this.#profile === null) return;
    const next = createEngine(this.#profile);
    const missed: Change[] = [];
    this.#missed = missed;
    let first = Number.POSITIVE_INFINITY;
    const slice = new TimeSlice();
    /** `false`: aborted, or superseded by a new chain or rebuild. */
    const apply = async (change: Change, isWarmUp = false) => {
      if ('rewindTo' in change) next.rewindTo(change.rewindTo);
      else if (feed(next, change.block, isWarmUp)) first = change.block.number;
      if (slice.isOver()) await slice.next();
      return !signal.aborted && this.#missed === missed;
    };
    try {
      for await (const page of pages)
        for (const block of page) if (!(await apply({ block }, block.number < near))) return;
      // It grows meanwhile.
      for (const change of missed) if (!(await apply(change))) return;
      if (this.#missed !== missed) return;
      this.#engine = next;
      this.#first = first;
    } finally {
      if (this.#missed === missed) this.#missed = null;
    }
  }

  /** Rebuilds the engine from the last day: enough for advice, and quickly read. */
  async rebuildDay(): Promise<void> {
    if (this.head === null) return;
    const { store } = this.#options;
    // A simulated chain has blocks from 0 on, whatever is stored of it.
    const start = (await store.latestAt(this.head.timestamp - DAY_SEC)) ?? (await store.oldest());
    await this.rebuild(start?.number ?? 0);
  }

  /** Judges at writing time whether a block is past, as writing may have been delayed. */
  #alertRun(ingested: readonly IngestedBlock[]): AlertRun | null {
    const { source, wallNow, nativeUsd } = this.#options;
    if (this.#profile === null) return null;
    const { id: chainId, name: chainName } = this.#profile;
    return {
      blocks: ingested.flatMap(({ block, prices }) =>
        prices === null ? [] : [{ block, prices, isPast: this.#source.isPast(block) }],
      ),
      chain: { chainId, chainName, sourceKind: source.kind },
      nativeUsd: nativeUsd?.() ?? null,
      now: wallNow(),
    };
  }

  /** The advice after `block` while it is the head and new; a catch-up gives no advice. */
  #adviceAfterHead(block: Block): GivenAdvice | null {
    const isSaid = this.#engine?.head === block && !this.#source.isLate(block);
    const advice = isSaid ? this.advice() : null;
    return advice === null ? null : givenAdvice(block, advice);
  }
}

export interface ChainStateOptions {
  readonly source: Pick<ChainSource, 'kind' | 'blocks'>;
  readonly store: BlockStore;
  readonly track: AdviceJudge;
  readonly lease: Lease;
  readonly createEngine: (profile: ChainProfile) => Engine;
  readonly wallNow: () => number;
  readonly nativeUsd?: () => number | null;
  readonly onFired?: () => void;
  readonly onStored?: () => void;
  readonly signal: AbortSignal;
}

/** The follower's view of `core/fee-engine.ts`: an engine that takes consecutive blocks only. */
export interface Engine {
  readonly head: Block | null;
  push(block: Block, isWarmUp?: boolean): void;
  rewindTo(number: number): void;
  advice(): Advice | null;
  lanePrices(): LanePrices | null;
  reachProbability(price: bigint, withinSec: number): Chance;
  meanPrices(first: number, last: number): MeanPrices | null;
}

type Change = { readonly block: Block } | { readonly rewindTo: number };

/** After a gap the engine restarts. Returns whether the block is its first. */
function feed(engine: Engine, block: Block, isWarmUp = false): boolean {
  if (engine.head !== null && block.number !== engine.head.number + 1) engine.rewindTo(-1);
  const isFirst = engine.head === null;
  engine.push(block, isWarmUp);
  return isFirst;
}

const KEPT = 128;

/** The last ingested blocks, ascending: where a new subscription starts, and where a rewind ends. */
class RecentBlocks {
  #blocks: Block[] = [];

  get head(): Block | null {
    return this.#blocks.at(-1) ?? null;
  }

  get all(): readonly Block[] {
    return [...this.#blocks];
  }

  has(block: Block): boolean {
    const head = this.head;
    if (head === null || block.number > head.number) return false;
    const found = this.#blocks.find(({ number }) => number === block.number);
    return found !== undefined && isSameBlock(found, block);
  }

  /** Those with a known hash, if the source has hashes, to compare with a subscription's heads. */
  get known(): readonly KnownBlock[] {
    const newest = this.#blocks.slice(-KEPT);
    const unknown = this.head?.hash == null ? -1 : newest.findLastIndex(({ hash }) => hash === null);
    return newest.slice(unknown + 1).map(({ number, hash }) => ({ number, hash }));
  }

  /** Replaces blocks read here by the stored ones: all processes compute with the same blocks. */
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

export function isSameBlock(a: Block, b: Block): boolean {
  if (a.hash !== null && b.hash !== null) return a.hash === b.hash;
  return a.baseFeePerGas === b.baseFeePerGas;
}

/** Expected prices of the next block at the head. Wei per gas. */
export interface Present {
  readonly head: Block;
  readonly nextBaseFee: bigint;
  readonly nextBlobBaseFee: bigint | null;
  readonly prices: LanePrices;
}

const PAGE = 512;

const roundBlock = (number: number) => Math.max(Math.floor(number / NEAR_BLOCKS) * NEAR_BLOCKS, 0);

/** The blocks that `read` returns from number `from` on, then the `newest`, which need not be stored. */
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
