import { join } from 'node:path';
import { eachLane } from '../../src/core/advice.ts';
import { NO_RULES } from '../../src/core/chain-rules.ts';
import { chainProfile } from '../../src/core/chains.ts';
import { AutoTxSchedule } from '../../src/service/auto-txs/schedule.ts';
import type { FreshChain } from '../../src/service/follow/fresh-head.ts';
import { AutoTxStore } from '../../src/store/auto-txs.ts';
import { BlockStore } from '../../src/store/blocks.ts';
import { openDatabase } from '../../src/store/database.ts';
import { HistoryStore } from '../../src/store/history.ts';
import { makeBlock } from '../helpers/chain-blocks.ts';
import { GWEI, NOW } from '../store/auto-txs/stored-auto-txs.ts';
import type { Workshop } from './programs.ts';
import { atMost, compare, inTurns, median, type Row } from './row.ts';
import { blockFeed } from './stored.ts';
import { insertAutoTxs } from './stored-rows.ts';

const FEW = 100;
const MANY = 10_000;
const ROUNDS = 200;
const WARMING = 20;
const PRICE = 50n * GWEI;

/** A block written and the engine's whole turn after it, with 100 and with 10,000 auto-txs waiting that it does not reach. */
export async function measureAutoTxs({ folder }: Workshop): Promise<Row[]> {
  const few = await openWith(folder, FEW);
  const many = await openWith(folder, MANY);
  const [ours, theirs] = await inTurns(ROUNDS, [many.block, few.block], WARMING);
  for (const each of [few, many]) await each.close();
  return [
    compare({
      measure: `a block and the schedule's turn, none of ${MANY.toLocaleString('en')} auto-txs reached`,
      ours: [median(ours)],
      against: `itself with ${FEW}`,
      theirs: [median(theirs)],
      unit: 'ms',
      digits: 2,
      runs: `from medians of ${ROUNDS}`,
      budget: (ratio) => [atMost(ratio, 2)],
    }),
  ];
}

async function openWith(folder: string, waiting: number) {
  const database = await openDatabase(join(folder, `auto-tx-turns-${waiting}.db`));
  await insertAutoTxs(database, waiting);
  const blocks = new BlockStore(database);
  let next = 0;
  let present: FreshChain | null = null;
  const engine = new AutoTxSchedule(
    {
      source: {
        ...blockFeed([makeBlock(0)], 1).source,
        kind: 'rpc',
        nonce: async () => 0,
        balance: async () => 10n ** 24n,
      },
      store: new AutoTxStore(database),
      blocks,
      history: new HistoryStore(database),
      profile: () => chainProfile(1),
      confirmations: () => 12,
      freshChain: () => present,
      coinPrice: () => ({ nativeUsd: null }),
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
    async block(): Promise<number> {
      const block = makeBlock(next++);
      const from = performance.now();
      await blocks.saveBlocks([block]);
      present = {
        head: block,
        updatedAt: Date.now(),
        advice: {
          nextBaseFee: PRICE - GWEI,
          nextBlobBaseFee: null,
          lanes: eachLane(() => ({ price: PRICE })),
        },
        rules: NO_RULES,
      };
      await engine.turn();
      await engine.idle();
      return performance.now() - from;
    },
    close: () => database.close(),
  };
}
