import { join } from 'node:path';
import { LANES } from '../../src/core/advice.ts';
import { evaluateAlerts } from '../../src/store/alert-evaluation.ts';
import { BlockStore } from '../../src/store/blocks.ts';
import { openDatabase } from '../../src/store/database.ts';
import { makeBlocks } from '../helpers/chain-blocks.ts';
import { priced, runOf, savePriced } from '../store/alerts/priced-blocks.ts';
import { insertAlerts } from './kept-rows.ts';
import type { Workshop } from './programs.ts';
import { atMost, compare, inTurns, median, type Row } from './row.ts';

const FEW = 1_000;
const MANY = 100_000;
const DAY_BLOCKS = 7_200;
const ROUNDS = 200;
const WARMING = 50;
const PRICE = 1_000_000;

/** What evaluation takes of a block's transaction that wakes no alert, with 1,000 and with 100,000 armed, in turns. */
export async function measureAlerts({ folder }: Workshop): Promise<Row[]> {
  const few = await openWith(folder, FEW);
  const many = await openWith(folder, MANY);
  const [ours, theirs] = await inTurns(ROUNDS, [many.evaluate, few.evaluate], WARMING);
  for (const each of [few, many]) await each.close();
  return [
    compare({
      measure: `a block that wakes none of ${MANY.toLocaleString('en')} armed alerts, evaluation`,
      ours: [median(ours)],
      against: `itself with ${FEW.toLocaleString('en')}`,
      theirs: [median(theirs)],
      unit: 'µs',
      runs: `from medians of ${ROUNDS}`,
      budget: (ratio) => [atMost(ratio, 2)],
    }),
  ];
}

async function openWith(folder: string, alerts: number) {
  const database = await openDatabase(join(folder, `alerts-${alerts}.db`));
  const store = new BlockStore(database);
  await store.saveBlocks(makeBlocks(0, DAY_BLOCKS - 1));
  await insertAlerts(database, alerts, (place) => {
    const away = 1n + BigInt((place * 7_919) % 500_000);
    return {
      lane: LANES[place % LANES.length] ?? 'average',
      condition: place % 2 === 0 ? 'LESS_THAN' : 'GREATER_THAN',
      threshold: BigInt(PRICE) + (place % 2 === 0 ? -away : away),
    };
  });
  await savePriced(store, priced(DAY_BLOCKS, PRICE));
  let next = DAY_BLOCKS;
  return {
    evaluate: () =>
      database.queries.transaction().execute(async (trx) => {
        next += 1;
        const run = runOf([priced(next, PRICE)]);
        const from = performance.now();
        await evaluateAlerts(trx, run);
        return (performance.now() - from) * 1_000;
      }),
    close: () => database.close(),
  };
}
