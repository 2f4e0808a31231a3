import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChainEvent, ChainSource } from '../../src/chain/chain-source.ts';
import type { Block } from '../../src/core/block.ts';
import { chainProfile } from '../../src/core/chains.ts';
import { startService } from '../../src/service/service.ts';
import { BlockStore } from '../../src/store/blocks.ts';
import { openDatabase } from '../../src/store/database.ts';
import { makeBlocks, restlessSteps } from '../core/support/made-blocks.ts';
import { waitFor } from '../helpers/wait-for.ts';
import type { Workshop } from './programs.ts';
import { atMost, compare, inTurns, quantile, type Row } from './row.ts';

export function blockFeed(blocks: readonly Block[], known: number) {
  let given = known;
  let wake = () => {};
  const heard = Promise.withResolvers<void>();
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
    chain: async () => chainProfile(1),
    head: async () => head(),
    blocks: async (from, to) => blocks.slice(0, given).filter(({ number }) => number >= from && number <= to),
    async *subscribe({ signal }): AsyncGenerator<ChainEvent> {
      heard.resolve();
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
  const next = () => {
    given += 1;
    wake();
    return head().number;
  };
  /** `heard`: what is stored has been read, and the next block is waited for. */
  return { source, next, heard: heard.promise };
}

/** Resolves when the process has had next to nothing to do for a second. */
export async function quiet(): Promise<void> {
  for (;;) {
    const from = process.cpuUsage();
    await sleep(1_000);
    const { user, system } = process.cpuUsage(from);
    if (user + system < 50_000) return;
  }
}

const DAY_BLOCKS = 7_200;

/** A service with `days` of mainnet-like blocks stored and `more` still to come, which has nothing left to read. */
async function startStored(folder: string, days: number, more: number) {
  const stored = days * DAY_BLOCKS;
  const blocks = makeBlocks(restlessSteps(stored + more));
  const database = await openDatabase(join(folder, `${days}-days-and-${more}.db`));
  const store = new BlockStore(database);
  await store.claimChain({ id: 1 });
  for (let at = 0; at < stored; at += 4_096) {
    await store.saveBlocks(blocks.slice(at, Math.min(at + 4_096, stored)));
  }
  const feed = blockFeed(blocks, stored);
  const stop = new AbortController();
  const service = await startService({ source: feed.source, database, signal: stop.signal });
  await service.ready;
  await feed.heard;
  await quiet();
  return {
    next: feed.next,
    read: async (path: string) => {
      const response = await service.fetch(new Request(`http://bench.internal/be/api/v1${path}`));
      if (response.status !== 200) throw new Error(`${path} answered ${response.status}`);
      return response.text();
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await service.done;
    },
  };
}

const ROUNDS = 5;
const QUESTIONS = 200;

export async function measureChart({ folder }: Workshop): Promise<Row[]> {
  await using stored = await startStored(folder, 30, 1);
  const p99 = async (timeFrame: '24h' | '30d') => {
    const times: number[] = [];
    for (let question = 0; question < QUESTIONS; question++) {
      const from = performance.now();
      await stored.read(`/dashboard/stats/chart?timeFrame=${timeFrame}`);
      times.push(performance.now() - from);
    }
    return quantile(times, 0.99);
  };
  const [months, days] = await inTurns(ROUNDS, [() => p99('30d'), () => p99('24h')]);
  return [
    compare({
      measure: 'stats/chart?timeFrame=30d, 216,000 blocks stored, p99',
      ours: months,
      against: 'timeFrame=24h',
      theirs: days,
      unit: 'ms',
      digits: 1,
      runs: `in ${ROUNDS} rounds of ${QUESTIONS}`,
      budget: (_, own) => [atMost(own, 50, 'ms')],
    }),
  ];
}

const MEASURED = 300;
const WARMING = 50;
/** Apart far enough that each block is a transaction of its own, as on a chain. */
const APART_MS = 70;

/** What a block costs on its whole way, with 30 days stored against one day. */
export async function measurePath({ folder }: Workshop): Promise<Row[]> {
  const day = await cpuPerBlock(folder, 1);
  const month = await cpuPerBlock(folder, 30);
  return [
    compare({
      measure: 'one block from source to answer, 30 days stored, CPU',
      ours: [month],
      against: 'itself with 1 day stored',
      theirs: [day],
      unit: 'ms',
      digits: 2,
      runs: `from means of ${MEASURED} blocks`,
      budget: (ratio) => [atMost(ratio, 1.2)],
    }),
  ];
}

/** CPU that one block costs with `days` of history stored, from the source until `gas/current` tells it. */
async function cpuPerBlock(folder: string, days: number): Promise<number> {
  await using stored = await startStored(folder, days, MEASURED + WARMING);
  const blocks = async (count: number) => {
    for (let block = 0; block < count; block++) {
      const told = `"blockNumber":${stored.next()}`;
      await sleep(APART_MS);
      await waitFor(async () => (await stored.read('/gas/current')).includes(told));
    }
  };
  await blocks(WARMING);
  const from = process.cpuUsage();
  await blocks(MEASURED);
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1_000 / MEASURED;
}
