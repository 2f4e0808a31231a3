import { isDeepStrictEqual } from 'node:util';
import { TimeSlice } from '../../chain/async.ts';
import type { ChainEvent, ChainSource, KnownBlock } from '../../chain/chain-source.ts';
import type { Advice, Chance, MeanPrices, Recommendation } from '../../core/advice.ts';
import type { Block } from '../../core/block.ts';
import { type ChainRules, chainRules, type EthConfig, NO_RULES } from '../../core/chain-rules.ts';
import { type ChainProfile, identifiedChain, learnCoin, updateFrequencySec } from '../../core/chains.ts';
import { type FeeEngine, NEAR_BLOCKS } from '../../core/engine/fee-engine.ts';
import { SLOT_SEC } from '../../core/simulation.ts';
import { DAY_SEC } from '../../core/time.ts';
import type { BlockStore } from '../../store/blocks.ts';
import type { Lease } from '../lease.ts';

/** Stored blocks that one answer rests on at most: half a day of Ethereum's. */
const MOST_LOADED = 4_096;
const RECENT_BLOCKS = 128;
const PAGE = 512;

/** An engine that takes consecutive blocks only. */
export type Engine = Pick<
  FeeEngine,
  | 'head'
  | 'push'
  | 'rewindTo'
  | 'advice'
  | 'recommendation'
  | 'lanePrices'
  | 'reachProbability'
  | 'meanPrices'
>;

export interface IngestedChainOptions {
  readonly source: ChainSource;
  readonly store: BlockStore;
  /** A standby has the leader's times and rules. */
  readonly lease: Pick<Lease, 'leaderReport'>;
  readonly createEngine: (profile: ChainProfile) => Engine;
  readonly wallNow: () => number;
  readonly signal: AbortSignal;
}

/** The newest blocks in memory, and the engine that took each of them once. A reorg rewinds both. */
export class IngestedChain {
  readonly #options: IngestedChainOptions;
  readonly #flush: () => Promise<boolean>;
  /** The last ingested blocks, ascending: where a new subscription starts, and where a rewind ends. */
  #recent: Block[] = [];
  /** The lowest block that a rewind left since the reader of older blocks last reset it. */
  lowestRewind = Number.POSITIVE_INFINITY;
  profile: ChainProfile | null = null;
  /** When the chain restarted, which dropped older blocks; ms since epoch. `null`: it did not. */
  restartedAt: number | null = null;
  /** `null` before the first block, and once it failed. */
  engine: Engine | null = null;
  #next: Engine | null = null;
  /** The first block of the engine's unbroken run up to its head. */
  #first: Block | null = null;
  /** How far back the engine was rebuilt, or as far as stored history went; 0: it was not. */
  memorySec = 0;
  #updatedAt: number | null = null;
  /** The node's last believed answer to `eth_config`; `null`: none. */
  ethConfig: EthConfig | null = null;
  #rules: ChainRules = NO_RULES;
  /** What `#rules` were last told by: they are read for every response. */
  #rulesOf: readonly unknown[] = [];

  /** @param flush resolves once all ingested blocks are stored; to `false` where they cannot be */
  constructor(options: IngestedChainOptions, flush: () => Promise<boolean>) {
    this.#options = options;
    this.#flush = flush;
  }

  /** How the stored blocks differ from those in memory, as events of a source. `null`: none in memory is stored. */
  async changes(): Promise<readonly ChainEvent[] | null> {
    const { store } = this.#options;
    const { head } = this;
    if (head === null) return (await store.head()) === null ? [] : null;
    const [first, ...next] = await store.page(head.number, PAGE);
    if (first !== undefined && isSameBlock(first, head))
      return next.map((block) => ({ type: 'block', block }));
    if ((await store.head()) === null) return [];
    const known = this.#recent;
    const page = await store.page(known[0]?.number ?? head.number, known.length);
    const shared = known.findLast((block) => page.some((each) => isSameBlock(each, block)));
    return shared === undefined ? null : [{ type: 'reorg', commonAncestor: shared.number }];
  }

  get blockTimeSec(): number {
    return this.profile?.feeRule.blockTimeSec ?? 0;
  }

  get updateSec(): number {
    const advice = this.advice();
    return this.profile === null || advice === null
      ? this.blockTimeSec
      : updateFrequencySec(this.profile, advice.blockSec);
  }

  get head(): Block | null {
    return this.#recent.at(-1) ?? null;
  }

  /** The newest blocks, from which a source continues: those with a known hash, if it has hashes. */
  get known(): readonly KnownBlock[] {
    const newest = this.#recent.slice(-RECENT_BLOCKS);
    const unknown = this.head?.hash == null ? -1 : newest.findLastIndex(({ hash }) => hash === null);
    return newest.slice(unknown + 1).map(({ number, hash }) => ({ number, hash }));
  }

  /** When the last block came or its figures changed; ms since epoch, wall clock. A standby has the leader's time. */
  get updatedAt(): number | null {
    const report = this.#options.lease.leaderReport;
    return report !== null && report.block === this.head?.number ? report.updatedAt : this.#updatedAt;
  }

  /** Of the head; the same object while nothing changes. A standby has the leader's. */
  get rules(): ChainRules {
    const { head, profile, ethConfig } = this;
    const leaders = this.#options.lease.leaderReport?.rules;
    const of = [head, profile, ethConfig, leaders];
    if (of.every((each, at) => each === this.#rulesOf[at])) return this.#rules;
    this.#rulesOf = of;
    const own = head === null || profile === null ? NO_RULES : chainRules(head, profile, ethConfig);
    const rules = leaders ?? own;
    if (!isDeepStrictEqual(rules, this.#rules)) this.#rules = rules;
    return this.#rules;
  }

  /** Whether a rewind exceeded the engine's depth, which resets it. */
  get isBlank(): boolean {
    return this.engine?.head == null;
  }

  /** How far back from the head the engine's unbroken history goes. */
  get spanSec(): number {
    const { head } = this;
    return head === null || this.#first === null || this.isBlank ? 0 : head.timestamp - this.#first.timestamp;
  }

  /** Whether the engine has the newest `count` blocks, or all that there are. */
  hasNewest(count: number): boolean {
    const first = this.isBlank ? null : this.#first;
    return first !== null && (first.number === 0 || (this.head?.number ?? 0) - first.number + 1 >= count);
  }

  advice(): Advice | null {
    return this.engine?.advice() ?? null;
  }

  /** The advice for this patience, at the head; `undefined` before the first block. */
  recommendation(patienceSec: number): Recommendation | undefined {
    return this.engine?.recommendation(patienceSec) ?? undefined;
  }

  /** Probability of a price at or below `price` (wei per gas) within `withinSec`. */
  reachProbability(price: bigint, withinSec: number): Chance {
    const unknown = { probability: null, reason: 'no block is known yet' };
    return this.engine?.reachProbability(price, withinSec) ?? unknown;
  }

  /** The lanes' mean prices after the blocks `first`–`last`; `null`: not all of them are in memory. */
  meanPrices(first: number, last: number): MeanPrices | null {
    return this.engine?.meanPrices(first, last) ?? null;
  }

  /**
   * Loads the newest `count` stored blocks, or those of the last `pastSec` if they are more, so that there are prices
   * at once. Returns whether there are any.
   */
  async load(count: number, pastSec = 0): Promise<boolean> {
    const { store } = this.#options;
    const chainId = await store.chainId();
    const newest = chainId === null ? null : await store.head();
    if (chainId === null || newest === null) return false;
    const first = pastSec > 0 ? await store.latestAt(newest.timestamp - pastSec) : null;
    const wanted = pastSec > 0 ? Math.min(newest.number - (first?.number ?? 0), MOST_LOADED) : 0;
    const stored = await store.newest(Math.max(count, wanted));
    await learnCoin(chainId);
    this.profile = identifiedChain(chainId, await store.genesisHash());
    this.dropEngine();
    this.#recent = [];
    for (const [place, block] of stored.entries()) this.#feed(block, stored.length - place > NEAR_BLOCKS);
    // A rebuild from these blocks would give the same engine: none is a warm-up, and the oldest has the head's suggested tip.
    const isAsRebuilt = stored.length <= NEAR_BLOCKS && stored[0]?.suggestedTip === newest.suggestedTip;
    if (isAsRebuilt) this.memorySec = pastSec;
    this.#updatedAt = newest.timestamp * 1_000;
    return true;
  }

  /** Ingests `blocks` for prices alone, before the first live block: the history is filled in behind them. */
  show(blocks: readonly Block[]): void {
    for (const block of blocks) this.#feed(block);
  }

  /** Has the engine begin with those of `blocks` that lie right below its own, for prices alone. */
  showBelow(blocks: readonly Block[]): void {
    const first = this.#first;
    if (first === null) return;
    const below = blocks.filter(({ number }) => number < first.number);
    if (below.at(-1)?.number !== first.number - 1) return;
    const own = this.#recent.filter(({ number }) => number >= first.number);
    this.dropEngine();
    this.#recent = [];
    this.show([...below, ...own]);
  }

  /** Continues as this chain: with a new engine if there is none, or if its rules differ from the assumed ones. */
  async adopt(profile: ChainProfile): Promise<void> {
    const isSame = isDeepStrictEqual(profile.feeRule, this.profile?.feeRule);
    this.profile = profile;
    if (this.engine !== null && isSame) return;
    this.dropEngine();
    await this.rebuild();
  }

  /** The next `adopt` or block creates another. */
  dropEngine(): void {
    this.engine = null;
    this.forget();
  }

  /** The engine answers on, but is to be rebuilt from what is stored; a rebuild under way is of no use. */
  forget(): void {
    this.memorySec = 0;
    this.#next = null;
  }

  async readRestart(): Promise<void> {
    this.restartedAt = await this.#options.store.restartedAt();
  }

  has(block: Block): boolean {
    return this.#recent.some((each) => isSameBlock(each, block));
  }

  #feed(block: Block, isWarmUp = false): void {
    // First, so that a new engine gets the block if this one fails.
    this.#recent.push(block);
    // Trimmed rarely: a burst brings tens of thousands per second.
    if (this.#recent.length >= RECENT_BLOCKS * 8) this.#recent = this.#recent.slice(-RECENT_BLOCKS);
    if (this.profile === null) return;
    this.engine ??= this.#options.createEngine(this.profile);
    if (feed(this.engine, block, isWarmUp)) this.#first = block;
  }

  ingest(block: Block): void {
    this.#feed(block);
    this.#updatedAt = this.#options.wallNow();
  }

  rewindTo(number: number): void {
    this.lowestRewind = Math.min(this.lowestRewind, number);
    while ((this.head?.number ?? number) > number) this.#recent.pop();
    this.engine?.rewindTo(number);
    this.#next?.rewindTo(number);
  }

  beginAnew(): void {
    this.lowestRewind = -1;
    this.#recent = [];
    this.dropEngine();
  }

  /** The store has another chain: stops showing it, and leaves it unchanged. */
  disown(): void {
    this.#recent = [];
    this.dropEngine();
    this.profile = null;
    this.#updatedAt = null;
  }

  /**
   * Fills a new engine with the last `memorySec`, by default a day, which is enough for advice and quickly read: the
   * stored blocks, then the newest ones. Swaps it in at the end, unless it was aborted or superseded by a new chain or
   * another rebuild; until then the present one answers.
   */
  async rebuild(memorySec = DAY_SEC): Promise<void> {
    this.memorySec = 0;
    if (this.head === null || this.profile === null) return;
    const next = this.#options.createEngine(this.profile);
    this.#next = next;
    // Before, so that a `forget` meanwhile counts.
    this.memorySec = memorySec;
    try {
      const first = await this.#fillEngine(next, this.head, memorySec);
      if (first === null || next.head === null || this.#next !== next) return;
      this.engine = next;
      this.#first = first;
      this.#next = null;
      if (this.#updatedAt !== null) this.#updatedAt = this.#options.wallNow();
    } finally {
      if (this.#next === next) this.forget();
    }
  }

  /** The first block of its unbroken history; `null` when it was aborted or superseded. */
  async #fillEngine(next: Engine, head: Block, memorySec: number): Promise<Block | null> {
    if (!(await this.#flush())) return null;
    const { source, store, signal } = this.#options;
    // The demo must have advice for a day within seconds, without storing its past first. On a real chain each block
    // counts alike, so that a restarted service gives the same advice as one that ran on. The demo begins at round
    // numbers, so that demos started within the same hours agree.
    const isDemo = source.kind === 'simulated';
    const near = isDemo ? roundBlock(head.number - NEAR_BLOCKS) : 0;
    const start = isDemo
      ? roundBlock(head.number - Math.floor(memorySec / SLOT_SEC))
      : (((await store.latestAt(head.timestamp - memorySec)) ?? (await store.oldest()))?.number ?? 0);
    // All processes compute with the same blocks: the stored ones, which lack the fields of headers that tell the rules.
    const stored = await store.newest(this.#recent.length);
    this.#recent = this.#recent.map(({ blockAccessListHash, slotNumber, ...block }) => ({
      ...(stored.find((each) => isSameBlock(each, block)) ?? block),
      ...(blockAccessListHash !== undefined && { blockAccessListHash }),
      ...(slotNumber !== undefined && { slotNumber }),
    }));
    let first: Block | null = null;
    const slice = new TimeSlice();
    const add = async (block: Block) => {
      // A node takes no lower tips of a past that was read later than of its head: the engine carries that on.
      const isFirst = next.head === null && head.suggestedTip !== undefined;
      const told = isFirst ? { suggestedTip: head.suggestedTip, ...block } : block;
      if (feed(next, told, block.number < near)) first = block;
      if (slice.isOver()) await slice.next();
      return !signal.aborted && this.#next === next;
    };
    let [at, last] = [start, start - 1];
    for (;;) {
      const reached = next.head?.number ?? start - 1;
      // A reorg meanwhile took the last ones back.
      if (reached < last) at = reached + 1;
      last = reached;
      // The newest ones go on while it reads: in a burst they may leave a gap again.
      const newest = this.#recent[0]?.number ?? 0;
      if (at < newest) {
        if (!(await this.#flush())) return null;
        const page = await (isDemo ? source.blocks(at, at + PAGE - 1) : store.page(at, PAGE));
        const older = page.filter(({ number }) => number < newest);
        for (const block of older) if (!(await add(block))) return null;
        at = (older.at(-1)?.number ?? newest - 1) + 1;
      } else {
        const block = this.#recent.find(({ number }) => number >= at);
        if (block === undefined) return first;
        if (!(await add(block))) return null;
        at = block.number + 1;
      }
    }
  }
}

/** After a gap the engine restarts. Returns whether the block is its first. */
function feed(engine: Engine, block: Block, isWarmUp = false): boolean {
  if (engine.head !== null && block.number !== engine.head.number + 1) engine.rewindTo(-1);
  const isFirst = engine.head === null;
  engine.push(block, isWarmUp);
  return isFirst;
}

export function isSameBlock(a: Block, b: Block): boolean {
  if (a.number !== b.number) return false;
  if (a.hash !== null && b.hash !== null) return a.hash === b.hash;
  return a.baseFeePerGas === b.baseFeePerGas;
}

const roundBlock = (number: number) => Math.max(Math.floor(number / NEAR_BLOCKS) * NEAR_BLOCKS, 0);
