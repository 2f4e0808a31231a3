import { setImmediate } from 'node:timers/promises';
import type { ChainSource } from '../chain/chain-source.ts';
import type { BlockStore } from '../store/block-store.ts';
import type { NumberRange } from '../store/number-range.ts';
import { abortable, sleep } from './async.ts';

/** The most that `eth_feeHistory` gives at once. */
const NODE_PAGE = 1_024;
/** Public nodes bear a few pages per second; a recording or a simulation only costs our own time. */
const NODE_PACE_MS = 300;
const LOCAL_PAGE = 512;
/** Block numbers searched for holes at once. */
const SEARCHED = 50_000;
const TRIES = 6;
const FIRST_RETRY_MS = 1_000;

export interface BackfillOptions {
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
