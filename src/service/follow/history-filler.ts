import { setImmediate } from 'node:timers/promises';
import type { NumberRange } from '../../store/block-rows.ts';
import type { BlockStore } from '../../store/blocks.ts';
import { StoreError } from '../../store/errors.ts';
import { Alarm, abortable, sleep } from '../async.ts';
import type { ChainState } from './chain-state.ts';
import type { FollowerOptions } from './follower.ts';

const HOUR_SEC = 3_600;
const DAY_SEC = 86_400;
/** History for the engine, an hour more than the longest horizon needs; older history is only for charts. */
const MEMORY_SEC = 7 * DAY_SEC + HOUR_SEC;
/** Blocks to fill at most, however fast the chain: a few hundred megabytes, a quarter of an hour of requests. */
const MOST_BLOCKS = 1_500_000;
const TIDY_MS = 3_600_000;
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 30_000;
/** After so many failures in a row the history counts as one that cannot be read. */
const TRIES = 6;
/** A refused write means that another process fills now; this one waits until the lease has noticed. */
const TURN_MS = 1_000;
const RECALL_MS = 15_000;

type FillerOptions = Pick<
  FollowerOptions,
  'source' | 'store' | 'track' | 'lease' | 'historySec' | 'wallNow' | 'signal' | 'onError'
>;

/** Fills the last hour, the day, then all, and holes; prunes. A standby rebuilds the engine once the leader has filled. */
export class HistoryFiller {
  readonly #options: FillerOptions;
  readonly #chain: ChainState;
  #running: Promise<void> | null = null;
  #pass: Promise<void> = Promise.resolve();
  readonly #filled = Promise.withResolvers<void>();
  isFilled = false;
  readonly #alarm = new Alarm();
  /** How far back the engine's history goes; a restart begins with a day. */
  #rememberedSec: number;

  constructor(options: FillerOptions, chain: ChainState) {
    this.#options = options;
    this.#chain = chain;
    this.#rememberedSec = options.source.kind === 'simulated' ? 0 : DAY_SEC;
  }

  start(): void {
    this.#running ??= this.#run();
    this.fillSoon();
  }

  fillSoon(): void {
    this.#alarm.ring();
  }

  /** Call it after the engine was reset, to rebuild it. */
  rebuildSoon(): void {
    this.#rememberedSec = 0;
    this.fillSoon();
  }

  get stopped(): Promise<void> {
    return this.#running ?? Promise.resolve();
  }

  get settled(): Promise<void> {
    return this.#pass.catch(() => {});
  }

  /** Resolves once all available history was read for the first time, or could not be; never rejects. */
  get filled(): Promise<void> {
    return this.#filled.promise;
  }

  async #run(): Promise<void> {
    const { signal, onError } = this.#options;
    signal.addEventListener('abort', this.#alarm.ring, { once: true });
    for (let failures = 0; !signal.aborted; ) {
      let pause = this.#chain.isWriting ? TIDY_MS : RECALL_MS;
      try {
        this.#pass = this.#chain.isWriting ? this.#fill() : this.#recall();
        await this.#pass;
        failures = 0;
        this.#noteFilled();
      } catch (error) {
        const isElsewhere = error instanceof StoreError && error.code === 'not-holder';
        pause = isElsewhere ? TURN_MS : Math.min(FIRST_RETRY_MS * 2 ** failures, LAST_RETRY_MS);
        failures += isElsewhere ? 0 : 1;
        if (failures === TRIES && !signal.aborted) onError(error);
        if (failures === TRIES) this.#noteFilled();
      }
      await this.#alarm.pause(pause);
    }
  }

  #noteFilled(): void {
    this.isFilled = true;
    this.#filled.resolve();
  }

  /** Another process fills: rebuilds the engine once that is done, or after a reset. */
  async #recall(): Promise<void> {
    const { lease, historySec } = this.#options;
    const isDone = lease.leaderReport?.isFilled ?? true;
    const memory = Math.min(historySec, isDone ? MEMORY_SEC : DAY_SEC);
    const isNew = isDone ? this.#rememberedSec < memory : this.#rememberedSec === 0;
    if (isNew && this.#chain.head !== null) await this.#rebuild(memory);
  }

  async #rebuild(memorySec: number): Promise<void> {
    void this.#options.track.lookBack();
    await this.#chain.rebuild(memorySec);
    if (!this.#options.signal.aborted) this.#rememberedSec = memorySec;
  }

  async #fill(): Promise<void> {
    const { source, store, track, historySec, wallNow, signal } = this.#options;
    // The engine reads the simulated past before it is stored, all at once.
    const isSimulated = source.kind === 'simulated';
    const stages = [HOUR_SEC, DAY_SEC, MEMORY_SEC].filter((sec) => sec < historySec);
    let filledUntil: number | null = null;
    for (const sec of [...stages, historySec]) {
      const head = this.#chain.head;
      if (head === null || signal.aborted || !this.#chain.isWriting) return;
      await this.#chain.flush();
      const until = head.timestamp - sec;
      const from = (await store.latestAt(until))?.number ?? Math.max(0, head.number - MOST_BLOCKS);
      const range = { from, to: head.number };
      const written = await backfill({ source, store, range, until, chain: this.#chain, signal });
      filledUntil = head.timestamp;
      const reach = Math.min(isSimulated ? historySec : sec, MEMORY_SEC);
      const isNews = !isSimulated && written > 0 && sec <= MEMORY_SEC;
      if (isNews || this.#rememberedSec < reach) await this.#rebuild(Math.max(reach, this.#rememberedSec));
    }
    if (signal.aborted || !this.#chain.isWriting) return;
    if (filledUntil !== null) void track.lookBack(filledUntil);
    const head = this.#chain.head;
    // A head may claim any time: blocks that are recent by our clock stay.
    if (head !== null) await store.prune(Math.min(head.timestamp, Math.floor(wallNow() / 1_000)));
  }
}

const NODE_PAGE = 1_024;
/** Public nodes allow a few pages per second; a recording or a simulation costs only our own time. */
const NODE_PACE_MS = 300;
const LOCAL_PAGE = 512;
const SEARCHED = 50_000;

interface BackfillOptions extends Pick<FillerOptions, 'source' | 'store' | 'signal'> {
  readonly range: NumberRange;
  /** Stops at the first block before this time, Unix seconds. */
  readonly until: number;
  readonly chain: Pick<ChainState, 'lowestRewind'>;
}

/** Fills the holes of `range` from the newest block back, until the source's history begins; returns how many it wrote. */
export async function backfill(options: BackfillOptions): Promise<number> {
  const { source, store, until, chain, signal } = options;
  const pageSize = source.kind === 'rpc' ? NODE_PAGE : LOCAL_PAGE;
  let written = 0;
  for await (const hole of holesOf(store, options.range)) {
    if (await reaches(store, hole.to + 1, until)) return written;
    for (let to = hole.to; to >= hole.from && !signal.aborted; ) {
      const from = Math.max(hole.from, to - pageSize + 1);
      // Blocks read before a reorg may be orphaned: only those below it are stored.
      chain.lowestRewind = Number.POSITIVE_INFINITY;
      const page = await abortable(source.blocks(from, to, { signal }), signal);
      const kept = Math.min(to, chain.lowestRewind);
      const blocks = page.filter((block) => block.number >= from && block.number <= kept);
      const oldest = blocks[0];
      if (signal.aborted) return written;
      // All of it is above a reorg: the follower ingests that, and the rest of the hole is lower.
      if (kept < from) {
        to = from - 1;
        continue;
      }
      // The source has no older blocks: a pruned node, the beginning of a recording.
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
