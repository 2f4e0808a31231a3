import { setTimeout as sleep } from 'node:timers/promises';
import type { ChainSource } from '../chain/chain-source.ts';
import { BlockStore } from '../store/block-store.ts';
import type { Database } from '../store/open-database.ts';

const LOOK_AGAIN_MS = 200;
/** Nodes that give nothing for so long will not give it soon. */
const STANDSTILL_MS = 20_000;

export interface HistoryFilledOptions {
  readonly database: Database;
  readonly source: ChainSource;
  /** The chain's present, Unix seconds: what was digested last may not be stored yet. */
  readonly presentSec: number;
  readonly windowSec: number;
  readonly onProgress: (filledSec: number) => void;
  readonly signal: AbortSignal;
}

/**
 * Watches the service fill its history, newest first, until it holds the last `windowSec`, the chain has no more,
 * or nothing has come for a while. Answers the time of the oldest block without a hole behind it (ms since epoch).
 */
export async function historyFilled(options: HistoryFilledOptions): Promise<number | null> {
  const { source, presentSec, windowSec, onProgress, signal } = options;
  const store = new BlockStore(options.database);
  let movedAt = performance.now();
  let before = Number.POSITIVE_INFINITY;
  for (;;) {
    signal.throwIfAborted();
    const head = await store.head();
    const oldest = head && (await oldestWithoutHole(store, head.number));
    if (head && oldest) {
      const filledSec = Math.max(presentSec, head.timestamp) - oldest.timestamp;
      onProgress(filledSec);
      if (filledSec >= windowSec || (await isFirst(source, oldest.number))) return oldest.timestamp * 1_000;
      if (oldest.number < before) movedAt = performance.now();
      before = oldest.number;
      if (performance.now() - movedAt > STANDSTILL_MS) return oldest.timestamp * 1_000;
    } else if (performance.now() - movedAt > STANDSTILL_MS) return null;
    await sleep(LOOK_AGAIN_MS, undefined, { signal });
  }
}

async function oldestWithoutHole(
  store: BlockStore,
  head: number,
): Promise<{ number: number; timestamp: number } | null> {
  const oldest = await store.oldest();
  if (oldest === null) return null;
  const [newestHole] = await store.missingRanges({ from: oldest.number, to: head });
  if (newestHole === undefined) return oldest;
  return (await store.page(newestHole.to + 1, 1))[0] ?? null;
}

/** Whether the chain has nothing older. Nodes are not asked for it: their history is as good as endless. */
async function isFirst(source: ChainSource, number: number): Promise<boolean> {
  if (number === 0) return true;
  return source.kind !== 'rpc' && (await source.blocks(number - 1, number - 1)).length === 0;
}
