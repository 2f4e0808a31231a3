import { join } from 'node:path';
import type { ChainSource } from '../../src/chain/chain-source.ts';
import type { KeptAutoTx } from '../../src/core/auto-txs/kept-auto-tx.ts';
import { NEW_PENDING } from '../../src/core/auto-txs/state-machine.ts';
import { chainProfile } from '../../src/core/chains.ts';
import { AutoTxEngine } from '../../src/service/auto-txs/engine.ts';
import type { Present } from '../../src/service/follow/chain-state.ts';
import { AutoTxStore } from '../../src/store/auto-txs.ts';
import { BlockStore } from '../../src/store/blocks.ts';
import { openDatabase } from '../../src/store/database.ts';
import { HistoryStore } from '../../src/store/history.ts';
import { makeBlock } from '../helpers/chain-blocks.ts';
import { flat } from '../store/alerts/priced-blocks.ts';
import { GWEI, NOW } from '../store/auto-txs/kept-auto-txs.ts';
import { DIP, insertAutoTxs, QUIET, SENT } from './auto-tx-rows.ts';
import { blockFeed } from './block-feed.ts';
import type { Row } from './row.ts';
import { median, range, ratios } from './statistics.ts';

const FEW = 100;
const MANY = 10_000;
const QUIET_ROUNDS = 200;
const SENT_ROUNDS = 7;

/**
 * A block written and the engine's whole turn after it, with 100 and with 10,000 auto-txs of 1,000 senders waiting: while none
 * is reached, and while twenty of two senders are, which are decided on, sent to a node that answers at once, and taken down.
 */
export async function measureAutoTxCost({ folder }: { readonly folder: string }): Promise<Row[]> {
  const few = await openWith(folder, FEW);
  const many = await openWith(folder, MANY);
  const quiet: { few: number[]; many: number[] } = { few: [], many: [] };
  for (let round = -20; round < QUIET_ROUNDS; round += 1) {
    const turns = [
      [few, quiet.few],
      [many, quiet.many],
    ] as const;
    for (const [each, taken] of round % 2 === 0 ? turns : turns.toReversed()) {
      const took = await each.block(QUIET);
      if (round >= 0) taken.push(took);
    }
  }
  const sent: { few: number[]; many: number[] } = { few: [], many: [] };
  for (let round = 0; round < SENT_ROUNDS; round += 1) {
    for (const [each, taken] of [
      [few, sent.few],
      [many, sent.many],
    ] as const) {
      taken.push(await each.block(DIP));
      await each.takeBack();
    }
  }
  for (const each of [few, many]) await each.close();
  const row = (measure: string, taken: { few: number[]; many: number[] }, spread: string): Row => ({
    measure,
    gastop: `${millis(taken.many)} ms`,
    yardstick: `itself with ${FEW.toLocaleString('en')}, ${millis(taken.few)} ms`,
    ratio: median(taken.many) / median(taken.few),
    spread,
    budget: [{ atMost: 2 }],
  });
  const waiting = `${MANY.toLocaleString('en')} auto-txs`;
  return [
    row(`a block and the engine's turn, none of ${waiting} reached`, quiet, `medians of ${QUIET_ROUNDS}`),
    row(
      `a block and the engine's turn, ${SENT} of ${waiting} sent`,
      sent,
      `${range(ratios(sent.many, sent.few))} (${SENT_ROUNDS} rounds)`,
    ),
  ];
}

async function openWith(folder: string, waiting: number) {
  const database = await openDatabase(join(folder, `auto-tx-turns-${waiting}.db`));
  await insertAutoTxs(database, waiting);
  const blocks = new BlockStore(database);
  const store = new AutoTxStore(database);
  let next = 0;
  let present: Present | null = null;
  let sent = 0;
  const source: ChainSource = {
    ...blockFeed([makeBlock(0)], 1).source,
    kind: 'rpc',
    nonce: async () => 0,
    balance: async () => 10n ** 24n,
    receipt: async () => null,
    transaction: async () => null,
    sendRawTransaction: async () => {
      sent += 1;
      return `0x${'1'.repeat(64)}`;
    },
  };
  const engine = new AutoTxEngine(
    {
      source,
      store,
      blocks,
      history: new HistoryStore(database),
      profile: () => chainProfile(1),
      confirmations: () => 12,
      present: () => present,
      nativeUsd: () => null,
      wallNow: () => NOW,
      agreedNow: () => NOW,
      steadyNow: () => performance.now(),
      onError: (error) => {
        throw error;
      },
    },
    new AbortController().signal,
  );
  return {
    /** Nanoseconds that a block at this price takes until nothing is left to do. */
    async block(price: bigint): Promise<number> {
      const block = makeBlock(next++);
      const before = sent;
      const from = process.hrtime.bigint();
      await blocks.saveBlocks([block]);
      present = { head: block, nextBaseFee: price - GWEI, nextBlobBaseFee: null, prices: flat(price) };
      await engine.turn();
      await engine.idle();
      const took = Number(process.hrtime.bigint() - from);
      const wanted = price === DIP ? SENT : 0;
      if (sent - before !== wanted) throw new Error(`${sent - before} were sent, not ${wanted}`);
      return took;
    },
    /** As if nothing had been sent, so that each round begins like the first. */
    async takeBack(): Promise<void> {
      for (const from of await store.followedSenders()) {
        for (const { id } of await store.following(from)) {
          const back = (kept: KeptAutoTx) => ({
            autoTx: { ...kept, state: NEW_PENDING },
            notes: [],
            at: NOW,
          });
          await store.change({ owner: '', id }, back, 'engine');
        }
      }
    },
    close: () => database.close(),
  };
}

const millis = (nanos: readonly number[]) => (median(nanos) / 1e6).toFixed(2);
