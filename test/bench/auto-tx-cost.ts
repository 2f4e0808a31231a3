import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { AutoTxStore } from '../../src/store/auto-txs.ts';
import { BlockStore } from '../../src/store/blocks.ts';
import { openDatabase } from '../../src/store/database.ts';
import { makeBlock } from '../helpers/chain-blocks.ts';
import { flat } from '../store/alerts/priced-blocks.ts';
import { GWEI, NOW, stepped } from '../store/auto-txs/kept-auto-txs.ts';
import { DIP, insertAutoTxs, QUIET, SENT } from './auto-tx-rows.ts';
import { measureAutoTxTurns } from './auto-tx-turn-cost.ts';
import type { Row } from './row.ts';
import { median, range, ratios } from './statistics.ts';

const FEW = 100;
const MANY = 10_000;
const QUIET_ROUNDS = 300;
const SENT_ROUNDS = 7;

/**
 * What the store does for auto-txs at one block, with 100 and with 10,000 of 1,000 senders waiting: while none is reached,
 * and while twenty are and each is decided on. The databases take turns.
 */
export async function measureAutoTxCost({ folder }: { readonly folder: string }): Promise<Row[]> {
  const few = await openWith(folder, FEW);
  const many = await openWith(folder, MANY);
  for (const each of [few, many]) for (let round = 0; round < 50; round += 1) await each.look(QUIET);
  const quiet: { few: number[]; many: number[] } = { few: [], many: [] };
  const written: { few: number[]; many: number[] } = { few: [], many: [] };
  for (let round = 0; round < QUIET_ROUNDS; round += 1) {
    // Whichever comes after a pause finds less of itself in the processor's caches.
    const turns = [
      [few, quiet.few, written.few],
      [many, quiet.many, written.many],
    ] as const;
    for (const [each, looks, writes] of round % 2 === 0 ? turns : turns.toReversed()) {
      looks.push(await each.look(QUIET));
      writes.push(await each.write());
    }
    await setImmediate();
  }
  const sent: { few: number[]; many: number[] } = { few: [], many: [] };
  for (let round = 0; round < SENT_ROUNDS; round += 1) {
    sent.few.push(await few.send());
    sent.many.push(await many.send());
  }
  for (const each of [few, many]) await each.close();
  const yardstick = `itself with ${FEW.toLocaleString('en')}`;
  return [
    {
      measure: `a block that reaches none of ${MANY.toLocaleString('en')} waiting auto-txs, their lookups`,
      gastop: `${micros(quiet.many)} µs`,
      yardstick: `${yardstick}, ${micros(quiet.few)} µs`,
      ratio: median(quiet.many) / median(quiet.few),
      spread: `medians of ${QUIET_ROUNDS}`,
      budget: [{ atMost: 2 }],
    },
    {
      measure: `the same block written, ${MANY.toLocaleString('en')} auto-txs waiting`,
      gastop: `${micros(written.many)} µs`,
      yardstick: `${yardstick}, ${micros(written.few)} µs`,
      ratio: median(written.many) / median(written.few),
      spread: `medians of ${QUIET_ROUNDS}`,
      budget: [],
    },
    {
      measure: `a block that reaches ${SENT} of ${MANY.toLocaleString('en')}, each decided on and written for good`,
      gastop: `${millis(sent.many)} ms`,
      yardstick: `${SENT} of ${FEW.toLocaleString('en')}, ${millis(sent.few)} ms`,
      ratio: median(sent.many) / median(sent.few),
      spread: `${range(ratios(sent.many, sent.few))} (${SENT_ROUNDS} rounds)`,
      budget: [{ atMost: 2 }],
    },
    ...(await measureAutoTxTurns(folder)),
  ];
}

interface Measured {
  /** Nanoseconds to find what the next block, at this price, has to do with. */
  look(price: bigint): Promise<number>;
  /** Nanoseconds to write the next block. */
  write(): Promise<number>;
  /** Nanoseconds to find what is reached at the dip, and to decide to send each of them. */
  send(): Promise<number>;
  close(): Promise<void>;
}

async function openWith(folder: string, waiting: number): Promise<Measured> {
  const database = await openDatabase(join(folder, `auto-txs-${waiting}.db`));
  const blocks = new BlockStore(database);
  const store = new AutoTxStore(database);
  await insertAutoTxs(database, waiting);
  let next = 0;
  const find = async (price: bigint) => {
    await store.expiring(NOW, 100);
    await store.following({ limit: 500, after: null });
    return store.reached({ prices: flat(price), nextBaseFee: price - GWEI }, { now: NOW, limit: 100 });
  };
  return {
    async look(price) {
      const from = process.hrtime.bigint();
      await find(price);
      return Number(process.hrtime.bigint() - from);
    },
    async write() {
      const block = makeBlock(next++);
      const from = process.hrtime.bigint();
      await blocks.saveBlocks([block]);
      return Number(process.hrtime.bigint() - from);
    },
    async send() {
      const from = process.hrtime.bigint();
      const reached = await find(DIP);
      for (const { id } of reached) {
        await store.change({ owner: '', id }, (kept) => stepped(kept, { type: 'submit' }), 'engine');
      }
      const took = Number(process.hrtime.bigint() - from);
      if (reached.length !== SENT) throw new Error(`${reached.length} were reached, not ${SENT}`);
      const obstacle = { code: 'declined', message: 'no node took it' };
      const decline = { type: 'decline', obstacle, retryAt: NOW } as const;
      for (const { id } of reached) {
        await store.change({ owner: '', id }, (kept) => back(stepped(kept, decline)), 'engine');
      }
      return took;
    },
    close: () => database.close(),
  };
}

/** As if it had never been with a node, so that each round begins like the first. */
const back = (change: ReturnType<typeof stepped>) =>
  change && {
    ...change,
    autoTx: { ...change.autoTx, state: { ...change.autoTx.state, mayBeOut: false, hold: null } },
  };

const micros = (nanos: readonly number[]) => (median(nanos) / 1e3).toFixed(0);
const millis = (nanos: readonly number[]) => (median(nanos) / 1e6).toFixed(1);
