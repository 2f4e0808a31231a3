import { join } from 'node:path';
import type { ChainEvent, ChainSource } from '../../src/chain/chain-source.ts';
import type { Block } from '../../src/core/block.ts';
import { chainProfile } from '../../src/core/chains.ts';
import { startService } from '../../src/service/service.ts';
import { BlockStore } from '../../src/store/block-store.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { makeBlocks, restlessSteps } from '../core/support/made-blocks.ts';
import { waitFor } from '../helpers/wait-for.ts';

const MAINNET = 1;
const DAY_BLOCKS = 7_200;
const MEASURED = 300;
/** Apart far enough that each block is a transaction of its own, as on a chain. */
const APART_MS = 70;
const URL = 'http://bench.internal/be/api/v1/gas/current';

/**
 * Milliseconds of CPU that one block costs with `days` of history stored: taken from the source, digested, written
 * with its rollups, and told by `gas/current`.
 */
export async function measureWholePath(folder: string, days: number): Promise<number> {
  const stored = days * DAY_BLOCKS;
  const blocks = makeBlocks(restlessSteps(stored + MEASURED + 50));
  const database = await openDatabase(join(folder, `${days}-days.db`));
  const store = new BlockStore(database);
  await store.claimChain(MAINNET);
  for (let at = 0; at < stored; at += 4_096) {
    await store.saveBlocks(blocks.slice(at, Math.min(at + 4_096, stored)));
  }
  const feed = blockFeed(blocks, stored);
  const stop = new AbortController();
  const service = await startService({ source: feed.source, database, signal: stop.signal });
  await service.ready;
  const oneBlock = async () => {
    const number = feed.next();
    await new Promise((resolve) => setTimeout(resolve, APART_MS));
    await waitFor(async () => {
      const answer: unknown = await (await service.fetch(new Request(URL))).json();
      return JSON.stringify(answer).includes(`"blockNumber":${number}`);
    });
  };
  // What is stored is read into the engine first; then code is warm.
  await waitFor(() => feed.isHeard());
  await quiet();
  for (let count = 0; count < 50; count++) await oneBlock();
  const from = process.cpuUsage();
  for (let count = 0; count < MEASURED; count++) await oneBlock();
  const { user, system } = process.cpuUsage(from);
  stop.abort();
  await service.done;
  return (user + system) / 1_000 / MEASURED;
}

/** Resolves when the process has had next to nothing to do for a second. */
async function quiet(): Promise<void> {
  for (;;) {
    const from = process.cpuUsage();
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const { user, system } = process.cpuUsage(from);
    if (user + system < 50_000) return;
  }
}

/** A recording whose next block comes when it is asked for. */
function blockFeed(blocks: readonly Block[], known: number) {
  let given = known;
  let wake = () => {};
  let heard = false;
  const head = () => {
    const block = blocks[given - 1];
    if (block === undefined) throw new Error('no block is left');
    return block;
  };
  const none = () => Promise.reject(new Error('a bench has none'));
  const source: ChainSource = {
    kind: 'replay',
    name: 'bench',
    now: () => head().timestamp * 1_000,
    chain: async () => chainProfile(MAINNET),
    head: async () => head(),
    blocks: async (from, to) => blocks.slice(0, given).filter(({ number }) => number >= from && number <= to),
    async *subscribe({ signal }): AsyncGenerator<ChainEvent> {
      heard = true;
      for (let told = given; !signal.aborted; ) {
        const block = told < given ? blocks[told] : undefined;
        if (block !== undefined) {
          told += 1;
          yield { type: 'block', block };
          continue;
        }
        await new Promise<void>((resolve) => {
          wake = resolve;
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
      }
    },
    call: none,
    sendRawTransaction: none,
    transaction: none,
    receipt: none,
    block: none,
    transactionsOf: none,
    nonce: none,
    balance: none,
    health: () => [],
  };
  return {
    source,
    isHeard: () => heard,
    /** Gives out one more block and answers its number. */
    next: () => {
      given += 1;
      wake();
      return head().number;
    },
  };
}
