import { join } from 'node:path';
import { type Service, startService } from '../../src/service/service.ts';
import { BlockStore } from '../../src/store/blocks.ts';
import { openDatabase } from '../../src/store/database.ts';
import { makeBlocks, restlessSteps } from '../core/support/made-blocks.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { blockFeed } from './block-feed.ts';

const MAINNET = 1;
const DAY_BLOCKS = 7_200;

export interface StoredService extends AsyncDisposable {
  readonly service: Service;
  /** Gives out the blocks after the stored ones. */
  readonly feed: ReturnType<typeof blockFeed>;
}

/** A service with `days` of mainnet-like blocks stored, of which `more` are still to come; it has nothing left to read. */
export async function startStoredService(folder: string, days: number, more: number): Promise<StoredService> {
  const stored = days * DAY_BLOCKS;
  const blocks = makeBlocks(restlessSteps(stored + more));
  const database = await openDatabase(join(folder, `${days}-days-and-${more}.db`));
  const store = new BlockStore(database);
  await store.claimChain({ id: MAINNET });
  for (let at = 0; at < stored; at += 4_096) {
    await store.saveBlocks(blocks.slice(at, Math.min(at + 4_096, stored)));
  }
  const feed = blockFeed(blocks, stored);
  const stop = new AbortController();
  const service = await startService({ source: feed.source, database, signal: stop.signal });
  await service.ready;
  // What is stored is read into the engine first.
  await waitFor(() => feed.isHeard());
  await quiet();
  return {
    service,
    feed,
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await service.done;
    },
  };
}

/** Resolves when the process has had next to nothing to do for a second. */
export async function quiet(): Promise<void> {
  for (;;) {
    const from = process.cpuUsage();
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const { user, system } = process.cpuUsage(from);
    if (user + system < 50_000) return;
  }
}
