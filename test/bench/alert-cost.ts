import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { sql } from 'kysely';
import { LANES } from '../../src/core/advice.ts';
import { evaluateAlerts } from '../../src/store/alert-evaluation.ts';
import { toAlertRow } from '../../src/store/alert-rows.ts';
import { BlockStore } from '../../src/store/blocks.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { makeBlock, makeBlocks } from '../helpers/chain-blocks.ts';
import { keptAlert } from '../store/alerts/kept-alerts.ts';
import { priced, runOf, savePriced } from '../store/alerts/priced-blocks.ts';
import type { Row } from './row.ts';
import { median, range, ratios } from './statistics.ts';

const FEW = 1_000;
const MANY = 100_000;
const FIRING = 1_000;
const DAY_BLOCKS = 7_200;
const QUIET_ROUNDS = 200;
const FIRING_ROUNDS = 7;
/** Prices in wei: between all thresholds, and below those of the alerts that are to fire. */
const QUIET = 1_000_000;
const DIP = 900_000;

/**
 * One block, evaluated in its transaction with 1,000 and with 100,000 alerts armed: while none fires, and while 1,000
 * do; and what an alert takes on the disk and in memory. The databases take turns.
 */
export async function measureAlertCost({ folder }: { readonly folder: string }): Promise<Row[]> {
  const bare = await openWith(folder, 0);
  const before = liveBytes();
  const few = await openWith(folder, FEW);
  const many = await openWith(folder, MANY);
  for (const each of [few, many]) for (let round = 0; round < 50; round += 1) await each.evaluate(QUIET);
  const quiet: { few: number[]; many: number[] } = { few: [], many: [] };
  for (let round = 0; round < QUIET_ROUNDS; round += 1) {
    quiet.few.push(await few.evaluate(QUIET));
    quiet.many.push(await many.evaluate(QUIET));
  }
  const written = { bare: [] as number[], many: [] as number[] };
  for (let round = 0; round < QUIET_ROUNDS; round += 1) {
    written.bare.push(await bare.write(false));
    written.many.push(await many.write(true));
  }
  const firing: { few: number[]; many: number[] } = { few: [], many: [] };
  const stalls: number[] = [];
  for (let round = 0; round < FIRING_ROUNDS; round += 1) {
    firing.few.push(await few.evaluate(DIP));
    const stall = longestStall();
    firing.many.push(await many.evaluate(DIP));
    stalls.push(await stall.end());
    // They leave, and are armed again.
    for (const each of [few, many]) await each.evaluate(QUIET);
  }
  const held = liveBytes() - before;
  const disk = ((await many.bytes()) - (await few.bytes())) / (MANY - FEW);
  for (const each of [bare, few, many]) await each.close();
  return [
    {
      measure: `a block that wakes none of ${MANY.toLocaleString('en')} armed alerts, evaluation`,
      gastop: `${micros(quiet.many)} µs`,
      yardstick: `itself with ${FEW.toLocaleString('en')}, ${micros(quiet.few)} µs`,
      ratio: median(quiet.many) / median(quiet.few),
      spread: `medians of ${QUIET_ROUNDS}`,
      budget: [{ atMost: 2 }],
    },
    {
      measure: `the same block written, ${MANY.toLocaleString('en')} alerts armed`,
      gastop: `${micros(written.many)} µs`,
      yardstick: `without evaluation, ${micros(written.bare)} µs`,
      ratio: median(written.many) / median(written.bare),
      spread: `medians of ${QUIET_ROUNDS}`,
      budget: [],
    },
    {
      measure: `a block that has ${FIRING.toLocaleString('en')} of ${MANY.toLocaleString('en')} fire, evaluation`,
      gastop: `${millis(firing.many)} ms`,
      yardstick: `${FIRING.toLocaleString('en')} of ${FEW.toLocaleString('en')}, ${millis(firing.few)} ms`,
      ratio: median(firing.many) / median(firing.few),
      spread: `${range(ratios(firing.many, firing.few))} (${FIRING_ROUNDS} rounds)`,
      budget: [],
    },
    {
      measure: 'longest that nothing else is answered while they do',
      gastop: `${millis(stalls)} ms`,
      yardstick: `the evaluation, ${millis(firing.many)} ms`,
      ratio: median(stalls) / median(firing.many),
      spread: `${range(ratios(stalls, firing.many))} (${FIRING_ROUNDS} rounds)`,
      budget: [{ atMost: 0.5 }],
    },
    {
      measure: 'memory of an armed alert, bytes',
      gastop: (held / (MANY + FEW)).toFixed(0),
      yardstick: `on the disk, ${disk.toFixed(0)}`,
      ratio: held / (MANY + FEW) / disk,
      spread: `${(MANY + FEW).toLocaleString('en')} alerts`,
      budget: [],
    },
  ];
}

interface Measured {
  /** Nanoseconds that the alerts take of the next block's transaction, at this price. */
  evaluate(price: number): Promise<number>;
  /** Nanoseconds to write the next block, with or without alerts. */
  write(evaluates: boolean): Promise<number>;
  /** What it takes on the disk. */
  bytes(): Promise<number>;
  close(): Promise<void>;
}

/** A day of history and so many armed alerts, of which at most 1,000 fire at the dip. */
async function openWith(folder: string, alerts: number): Promise<Measured> {
  const database = await openDatabase(join(folder, `alerts-${alerts}.db`));
  const store = new BlockStore(database);
  await store.saveBlocks(makeBlocks(0, DAY_BLOCKS - 1));
  await insert(database, alerts);
  await savePriced(store, priced(DAY_BLOCKS, QUIET));
  let next = DAY_BLOCKS + 1;
  return {
    async evaluate(price) {
      const number = next++;
      let took = 0n;
      await database.queries.transaction().execute(async (trx) => {
        const run = runOf([priced(number, price)]);
        const from = process.hrtime.bigint();
        await evaluateAlerts(trx, run);
        took = process.hrtime.bigint() - from;
      });
      return Number(took);
    },
    async write(evaluates) {
      const block = makeBlock(next++);
      const run = evaluates ? runOf([priced(block.number, QUIET)]) : null;
      const from = process.hrtime.bigint();
      await store.saveBlocks([block], null, run);
      return Number(process.hrtime.bigint() - from);
    },
    async bytes() {
      const { rows } = await sql<{ pages: number; size: number }>`
        select page_count as pages, page_size as size from pragma_page_count, pragma_page_size`.execute(
        database.queries,
      );
      return rows.reduce((sum, { pages, size }) => sum + pages * size, 0);
    },
    close: () => database.close(),
  };
}

/** Armed on either side of the price, in all lanes, as far from it as alerts of all kinds are. */
async function insert({ queries }: Database, alerts: number): Promise<void> {
  const rows = Array.from({ length: alerts }, (_, place) => {
    const firesAtDip = place < FIRING;
    const isBelow = firesAtDip || place % 2 === 0;
    const away = BigInt((place * 7_919) % 500_000);
    const rule = {
      lane: LANES[place % LANES.length] ?? 'average',
      condition: isBelow ? ('LESS_THAN' as const) : ('GREATER_THAN' as const),
      threshold: firesAtDip ? BigInt(DIP + 1 + place) : isBelow ? BigInt(DIP) - away : BigInt(QUIET) + away,
    };
    return toAlertRow(
      keptAlert(`0000-${String(place).padStart(20, '0')}`, rule, {
        method: 'WEBHOOK',
        channels: ['WEBHOOK'],
        targets: { WEBHOOK: 'https://receiver.example/hooks/gas' },
        note: 'time to move the treasury',
      }),
    );
  });
  await queries.transaction().execute(async (trx) => {
    for (let at = 0; at < rows.length; at += 500) {
      await trx
        .insertInto('alerts')
        .values(rows.slice(at, at + 500))
        .execute();
    }
  });
}

/** What is in use after a collection, JavaScript and buffers. */
function liveBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** The longest that the event loop stands still from now until the end, nanoseconds. */
function longestStall(): { end(): Promise<number> } {
  let longest = 0;
  let isEnding = false;
  const watch = async () => {
    for (let last = process.hrtime.bigint(); !isEnding; ) {
      await setImmediate();
      const now = process.hrtime.bigint();
      longest = Math.max(longest, Number(now - last));
      last = now;
    }
  };
  const watching = watch();
  return {
    async end() {
      isEnding = true;
      await watching;
      return longest;
    },
  };
}

const micros = (nanos: readonly number[]) => (median(nanos) / 1e3).toFixed(0);
const millis = (nanos: readonly number[]) => (median(nanos) / 1e6).toFixed(1);
