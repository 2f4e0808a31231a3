import { setImmediate } from 'node:timers/promises';
import { Alarm, abortable, sleep } from '../../chain/async.ts';
import type { ChainSource } from '../../chain/chain-source.ts';
import type { Block } from '../../core/block.ts';
import { backOffMs, DAY_SEC, HOUR_MS, HOUR_SEC } from '../../core/time.ts';
import type { BlockStore, NumberRange } from '../../store/blocks.ts';
import { StoreError } from '../../store/errors.ts';
import type { Lease } from '../lease.ts';
import type { AdviceJudge } from './advice-judge.ts';
import type { BlockWriter } from './block-writer.ts';
import type { IngestedChain } from './ingested-chain.ts';

/** History for the engine, an hour more than the longest horizon needs; older history is only for charts. */
const MEMORY_SEC = 7 * DAY_SEC + HOUR_SEC;
/** Blocks to fill at most, however fast the chain: a few hundred megabytes, a quarter of an hour of requests. */
const MOST_BLOCKS = 1_500_000;
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 30_000;
/** After so many failures in a row the history counts as one that cannot be read. */
const TRIES = 6;
/** A refused write means that another process fills now; this one waits until the lease has noticed. */
const TURN_MS = 1_000;
/** How often a standby looks whether the stored history has grown. */
const RECALL_MS = 1_000;

export interface FillerOptions {
  readonly source: ChainSource;
  readonly store: BlockStore;
  readonly track: Pick<AdviceJudge, 'lookBack'>;
  readonly lease: Pick<Lease, 'leaderReport'>;
  /** How far back to fill. */
  readonly historySec: number;
  /** Whether more than the newest blocks is read only once `filled` is called. */
  readonly isFilledOnDemand: boolean;
  readonly wallNow: () => number;
  readonly onError: (error: unknown) => void;
  readonly signal: AbortSignal;
}

export type HistoryFiller = ReturnType<typeof createHistoryFiller>;

/** Fills the last hour, the day, then all, and holes; prunes. A standby rebuilds the engine from what is filled. */
export function createHistoryFiller(options: FillerOptions, chain: IngestedChain, writer: BlockWriter) {
  const { source, store, track, lease, historySec, isFilledOnDemand, wallNow, signal, onError } = options;
  // The engine reads the simulated past before it is stored.
  const isSimulated = source.kind === 'simulated';
  const alarm = new Alarm();
  const filled = Promise.withResolvers<void>();
  let hasFilled = false;
  let running: Promise<void> | null = null;
  let pass: Promise<void> = Promise.resolve();

  async function run(): Promise<void> {
    signal.addEventListener('abort', alarm.ring, { once: true });
    for (let failures = 0; !signal.aborted; ) {
      let pause = writer.isWriting ? HOUR_MS : RECALL_MS;
      try {
        pass = writer.isWriting ? fill() : recall();
        await pass;
        failures = 0;
        noteFilled();
      } catch (error) {
        const isElsewhere = error instanceof StoreError && error.code === 'not-holder';
        pause = isElsewhere ? TURN_MS : backOffMs(failures, FIRST_RETRY_MS, LAST_RETRY_MS);
        failures += isElsewhere ? 0 : 1;
        if (failures === TRIES && !signal.aborted) onError(error);
        if (failures === TRIES) noteFilled();
      }
      await alarm.pause(pause);
    }
  }

  function noteFilled(): void {
    hasFilled = true;
    filled.resolve();
  }

  /** Another process fills: rebuilds the engine each time the history has doubled, when it is done, or after a reset. */
  async function recall(): Promise<void> {
    const { head } = chain;
    const memorySec = Math.min(historySec, MEMORY_SEC);
    if (head === null || chain.memorySec >= memorySec) return;
    const isDone = lease.leaderReport?.isFilled ?? true;
    const isWorthIt =
      isDone || chain.memorySec === 0 || (await storedSec(head, memorySec)) > 2 * chain.spanSec;
    // Until it is done there is more to come.
    if (isWorthIt) await rebuild(isDone ? memorySec : memorySec - 1);
  }

  /** How far back from the head the stored history goes without a hole. */
  async function storedSec({ number, timestamp }: Block, memorySec: number): Promise<number> {
    const oldest = (await store.latestAt(timestamp - memorySec)) ?? (await store.oldest());
    const from = oldest?.number ?? number;
    const [hole] = await store.missingRanges({ from, to: number });
    const [first] = await store.page(hole === undefined ? from : hole.to + 1, 1);
    return timestamp - (first?.timestamp ?? timestamp);
  }

  function rebuild(memorySec: number): Promise<void> {
    void track.lookBack();
    return chain.rebuild(memorySec);
  }

  async function fill(): Promise<void> {
    const stages = [HOUR_SEC, DAY_SEC, MEMORY_SEC].filter((sec) => sec < historySec);
    let filledUntil: number | null = null;
    for (const sec of [...stages, historySec]) {
      const { head } = chain;
      if (head === null || signal.aborted || !writer.isWriting) return;
      await writer.flush();
      const until = head.timestamp - sec;
      const from = (await store.latestAt(until))?.number ?? Math.max(0, head.number - MOST_BLOCKS);
      const range = { from, to: head.number };
      const written = await backfill({ source, store, range, until, chain, signal });
      filledUntil = head.timestamp;
      const reach = Math.min(isSimulated ? historySec : sec, MEMORY_SEC);
      // Its advice by a day's blocks comes a few seconds before that by a week's.
      if (isSimulated && chain.memorySec === 0 && reach > DAY_SEC) await chain.rebuild();
      const isNews = !isSimulated && written > 0 && sec <= MEMORY_SEC;
      if (isNews || chain.memorySec < reach) await rebuild(Math.max(reach, chain.memorySec));
    }
    if (signal.aborted || !writer.isWriting) return;
    if (filledUntil !== null) void track.lookBack(filledUntil);
    // A head may claim any time: blocks that are recent by our clock stay.
    if (chain.head !== null) await store.prune(Math.min(chain.head.timestamp, Math.floor(wallNow() / 1_000)));
  }

  function begin(): void {
    running ??= run();
    alarm.ring();
  }

  return {
    /** Once there are live prices. */
    start(): void {
      if (!isFilledOnDemand) begin();
    },
    /** What is stored of the last day, from which there is advice before the rest is filled in. */
    async readDay(): Promise<void> {
      if (!isFilledOnDemand) await chain.rebuild();
    },
    fillSoon: alarm.ring,
    rebuildSoon(): void {
      chain.forget();
      alarm.ring();
    },
    stopped: (): Promise<void> => running ?? Promise.resolve(),
    settled: (): Promise<void> => pass.catch(() => {}),
    /** Whether the history is read; in a standby, whether the leader has read it, too. */
    isFilled: () => hasFilled && (lease.leaderReport?.isFilled ?? true),
    /** Resolves once all available history was read for the first time, or could not be; never rejects. */
    filled(): Promise<void> {
      if (isFilledOnDemand) begin();
      return filled.promise;
    },
  };
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
  readonly chain: Pick<IngestedChain, 'lowestRewind'>;
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
      const newest = Math.min(to, chain.lowestRewind);
      const blocks = page.filter((block) => block.number >= from && block.number <= newest);
      const oldest = blocks[0];
      if (signal.aborted) return written;
      // All of it is above a reorg: the follower ingests that, and the rest of the hole is lower.
      if (newest < from) {
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
