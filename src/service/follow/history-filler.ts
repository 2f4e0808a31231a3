import { setImmediate } from 'node:timers/promises';
import type { ChainSource } from '../../chain/chain-source.ts';
import type { Block } from '../../core/block.ts';
import { SLOT_SEC } from '../../core/simulation.ts';
import type { NumberRange } from '../../store/block-rows.ts';
import type { BlockStore } from '../../store/blocks.ts';
import { StoreError } from '../../store/errors.ts';
import { abortable, sleep } from '../async.ts';
import type { ChainState } from './chain-state.ts';
import type { FollowerOptions } from './follower.ts';

const HOUR_SEC = 3_600;
const DAY_SEC = 86_400;
/** What the engine looks back on, an hour more than the longest horizon takes; older history is for charts alone. */
const MEMORY_SEC = 7 * DAY_SEC + HOUR_SEC;
/**
 * The most blocks that are filled in, however quick the chain: a few hundred megabytes of history, a quarter of an
 * hour of asking.
 */
const MOST_BLOCKS = 1_500_000;
const TIDY_MS = 3_600_000;
const RETRY_MS = 30_000;
/** A write that was refused means that another process fills now; so long this one waits until it has heard so. */
const TURN_MS = 1_000;
/** How often it is looked how far another process has filled the history, while one does. */
const RECALL_MS = 15_000;

interface FillerOptions {
  readonly source: ChainSource;
  readonly store: BlockStore;
  readonly historySec: number;
  /** Ms since epoch. */
  readonly wallNow: () => number;
  readonly signal: AbortSignal;
  readonly onError: (error: unknown) => void;
}

interface FilledEngine {
  head(): Block | null;
  /** Whether this process fills the store; otherwise another one does. */
  isWriting(): boolean;
  /** Resolves when the store holds every block up to the present head. */
  flush(): Promise<void>;
  /** Tells `listener` of every reorg until the function it answers is called. */
  onRewind(listener: (ancestor: number) => void): () => void;
  /** Whether the engine was given all blocks from `number` on. */
  remembers(number: number): boolean;
  /** Called when the history from block `from` on is worth being remembered. */
  rebuild(from: number): Promise<void>;
  /** Called when all that is to be had up to the block of this time (Unix seconds) is stored. */
  filled(until: number): void;
}

/**
 * Fills the history in the background: the last hour, the day, then all of it; holes as they appear; prunes. While
 * another process does that, it has the engine remember what that one has filled.
 */
export class HistoryFiller {
  readonly #options: FillerOptions;
  readonly #engine: FilledEngine;
  #running: Promise<void> | null = null;
  #pass: Promise<void> = Promise.resolve();
  readonly #filled = Promise.withResolvers<void>();
  /** Whether `filled` has resolved. */
  isFilled = false;
  #wake = new AbortController();
  /** How far back the engine's memory goes; a restart begins with a day. */
  #rememberedSec = DAY_SEC;
  /**
   * Of a history that another process fills: how many blocks the engine was last given of it, and how many were
   * stored at the last look.
   */
  #recalled = { remembered: 0, seen: 0 };

  constructor(options: FillerOptions, engine: FilledEngine) {
    this.#options = options;
    this.#engine = engine;
  }

  /** Begins; again is nothing new. */
  start(): void {
    this.#running ??= this.#run();
    this.fillSoon();
  }

  /** A hole has appeared. */
  fillSoon(): void {
    this.#wake.abort();
  }

  /** The engine has forgotten: give it its memory again. */
  remindSoon(): void {
    this.#rememberedSec = 0;
    this.fillSoon();
  }

  /** Resolves once the signal has aborted and nothing runs any more; never rejects. */
  get stopped(): Promise<void> {
    return this.#running ?? Promise.resolve();
  }

  /** Resolves once what is being filled in is stored, or cannot be; never rejects. */
  get settled(): Promise<void> {
    return this.#pass.catch(() => {});
  }

  /** Resolves once all of the past that is to be had was read for the first time, or could not be; never rejects. */
  get filled(): Promise<void> {
    return this.#filled.promise;
  }

  async #run(): Promise<void> {
    const { signal, onError } = this.#options;
    while (!signal.aborted) {
      this.#wake = new AbortController();
      let pause = this.#engine.isWriting() ? TIDY_MS : RECALL_MS;
      try {
        this.#pass = this.#engine.isWriting() ? this.#fill() : this.#recall();
        await this.#pass;
        this.#noteFilled();
      } catch (error) {
        const isElsewhere = error instanceof StoreError && error.code === 'not-holder';
        if (!signal.aborted && !isElsewhere) onError(error);
        if (!isElsewhere) this.#noteFilled();
        pause = isElsewhere ? TURN_MS : RETRY_MS;
      }
      await sleep(pause, AbortSignal.any([signal, this.#wake.signal]));
    }
  }

  #noteFilled(): void {
    this.isFilled = true;
    this.#filled.resolve();
  }

  /** Another process fills: each time there is twice as much, or no more than before, it is worth remembering. */
  async #recall(): Promise<void> {
    const head = this.#engine.head();
    if (head === null) return;
    const { store, historySec } = this.#options;
    const memory = Math.min(historySec, MEMORY_SEC);
    const from = (await store.latestAt(head.timestamp - memory))?.number ?? (await store.oldest())?.number;
    if (from === undefined || from > head.number) return;
    const holes = await store.missingRanges({ from, to: head.number });
    const seen = holes.reduce((left, hole) => left - (hole.to - hole.from + 1), head.number - from + 1);
    const { remembered, seen: before } = this.#recalled;
    const isWorthIt = seen >= 2 * remembered || (seen <= before && seen > 1.01 * remembered);
    const hasForgotten = this.#rememberedSec === 0;
    this.#recalled = { remembered, seen };
    if (!isWorthIt && !hasForgotten) return;
    await this.#engine.rebuild(from);
    this.#rememberedSec = memory;
    this.#recalled = { remembered: seen, seen };
  }

  async #fill(): Promise<void> {
    const { source, store, historySec, wallNow, signal } = this.#options;
    // The engine reads the simulated past before it is stored, all that it can remember at once.
    const isSimulated = source.kind === 'simulated';
    const stages = [HOUR_SEC, DAY_SEC, MEMORY_SEC].filter((sec) => sec < historySec);
    let filledUntil: number | null = null;
    for (const sec of [...stages, historySec]) {
      const head = this.#engine.head();
      if (head === null || signal.aborted || !this.#engine.isWriting()) return;
      // What only waits to be written is no hole.
      await this.#engine.flush();
      const until = head.timestamp - sec;
      const from = (await store.latestAt(until))?.number ?? Math.max(0, head.number - MOST_BLOCKS);
      const range = { from, to: head.number };
      const written = await backfill({
        source,
        store,
        range,
        until,
        onRewind: this.#engine.onRewind,
        signal,
      });
      filledUntil = head.timestamp;
      const reach = Math.min(isSimulated ? historySec : sec, MEMORY_SEC);
      const isNews = !isSimulated && written > 0 && sec <= MEMORY_SEC;
      if (!isSimulated && !isNews && this.#rememberedSec >= reach) continue;
      const memory = Math.max(reach, this.#rememberedSec);
      const start = isSimulated
        ? Math.max(head.number - Math.floor(memory / SLOT_SEC), 0)
        : (((await store.latestAt(head.timestamp - memory)) ?? (await store.oldest()))?.number ?? 0);
      // A young history is remembered from its beginning, however far back the memory may go.
      if (isNews || !this.#engine.remembers(start)) await this.#engine.rebuild(start);
      if (!signal.aborted) this.#rememberedSec = memory;
    }
    if (signal.aborted || !this.#engine.isWriting()) return;
    if (filledUntil !== null) this.#engine.filled(filledUntil);
    const head = this.#engine.head();
    // A head may claim any time: what is not old by our own clock stays.
    if (head !== null) await store.prune(Math.min(head.timestamp, Math.floor(wallNow() / 1_000)));
  }
}

/** The most that `eth_feeHistory` gives at once. */
const NODE_PAGE = 1_024;
/** Public nodes bear a few pages per second; a recording or a simulation only costs our own time. */
const NODE_PACE_MS = 300;
const LOCAL_PAGE = 512;
/** Block numbers searched for holes at once. */
const SEARCHED = 50_000;
const TRIES = 6;
const FIRST_RETRY_MS = 1_000;

interface BackfillOptions {
  readonly source: ChainSource;
  readonly store: BlockStore;
  /** Block numbers to look for holes in. */
  readonly range: NumberRange;
  /** Stops at the first block before this time, Unix seconds. */
  readonly until: number;
  /** Calls `listener` with the common ancestor of every reorg, until the function it answers is called. */
  readonly onRewind: (listener: (ancestor: number) => void) => () => void;
  readonly signal: AbortSignal;
}

/**
 * Fills the holes of `range` from the newest block back. Ends early where the source's past begins. A page that
 * cannot be had after several tries rejects with the source's error: what was filled stays.
 * @returns how many blocks were written.
 */
export async function backfill(options: BackfillOptions): Promise<number> {
  const { source, store, until, signal } = options;
  const pageSize = source.kind === 'rpc' ? NODE_PAGE : LOCAL_PAGE;
  let written = 0;
  for await (const hole of holesOf(store, options.range)) {
    if (await reaches(store, hole.to + 1, until)) return written;
    for (let to = hole.to; to >= hole.from && !signal.aborted; ) {
      const from = Math.max(hole.from, to - pageSize + 1);
      // What was read before a reorg may be of the branch that is gone: only what lies below it is kept.
      let kept = to;
      const stop = options.onRewind((ancestor) => {
        kept = Math.min(kept, ancestor);
      });
      const page = await readPage(source, { from, to }, signal).finally(stop);
      const blocks = page.filter((block) => block.number >= from && block.number <= kept);
      const oldest = blocks[0];
      if (signal.aborted) return written;
      // All of it is above a reorg: following brings that, the rest lies further down.
      if (kept < from) {
        to = from - 1;
        continue;
      }
      // Below this the source has nothing: a pruned node, the beginning of a recording.
      if (oldest === undefined) return written;
      await store.saveBlocks(blocks);
      written += blocks.length;
      if (oldest.timestamp < until) return written;
      if (oldest.number > from) break;
      to = from - 1;
      await sleep(source.kind === 'rpc' ? NODE_PACE_MS : 1, signal);
    }
    if (signal.aborted) return written;
  }
  return written;
}

/** Looked for in stretches that take a few milliseconds each, however long the history. */
async function* holesOf(store: BlockStore, range: NumberRange): AsyncGenerator<NumberRange> {
  for (let to = range.to; to >= range.from; to -= SEARCHED) {
    yield* await store.missingRanges({ from: Math.max(range.from, to - SEARCHED + 1), to });
    await setImmediate();
  }
}

async function reaches(store: BlockStore, number: number, until: number): Promise<boolean> {
  const above = (await store.page(number, 1))[0];
  return above !== undefined && above.timestamp < until;
}

async function readPage(source: ChainSource, { from, to }: NumberRange, signal: AbortSignal) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await abortable(source.blocks(from, to, { signal }), signal);
    } catch (error) {
      if (signal.aborted) return [];
      if (attempt === TRIES) throw error;
      await sleep(FIRST_RETRY_MS * 2 ** (attempt - 1), signal);
    }
  }
}

/** What fills the holes in the history of a chain that is followed: what is found is gone through and judged anew. */
export function fillerOf(options: FollowerOptions, chain: ChainState): HistoryFiller {
  const { track } = options;
  return new HistoryFiller(options, {
    head: () => chain.head,
    isWriting: () => chain.isWriting,
    flush: () => chain.flush(),
    remembers: (number) => chain.remembers(number),
    rebuild: async (from) => {
      void track.lookBack();
      await chain.rebuild(from);
    },
    filled: (until) => void track.filled(until),
    onRewind: (listener) => chain.onRewind(listener),
  });
}
