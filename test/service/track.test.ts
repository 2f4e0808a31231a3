import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { GasRecommendation } from '../../src/contract/advice.ts';
import { PATHS } from '../../src/contract/routes.ts';
import { ADVICE_VERSION } from '../../src/core/advice.ts';
import type { Block } from '../../src/core/block.ts';
import { ETHEREUM_FEE_RULE, gasUsedRatioFromBaseFees } from '../../src/core/eip1559.ts';
import { FeeEngine } from '../../src/core/engine/fee-engine.ts';
import type { AdviceRow } from '../../src/store/advice-rows.ts';
import { BLOCK_ZERO_TIME, blockHash, makeBlock as plausibleBlock } from '../helpers/chain-blocks.ts';
import { openDatabase } from '../helpers/open-database.ts';
import { ScriptedSource } from '../helpers/scripted-source.ts';
import {
  type RunningService,
  readyService,
  runService,
  shareService,
  temporaryFile,
} from '../helpers/service.ts';
import { waitFor } from '../helpers/wait-for.ts';

/** Blocks that keep to the rule of EIP-1559: nothing is promised on others. */
function makeBlock(number: number, overrides: Partial<Block> = {}): Block {
  const fee = (at: number) => plausibleBlock(at).baseFeePerGas;
  const gasUsedRatio = gasUsedRatioFromBaseFees(fee(number), fee(number + 1), ETHEREUM_FEE_RULE);
  return plausibleBlock(number, { gasUsed: null, gasLimit: null, gasUsedRatio, ...overrides });
}

const makeBlocks = (from: number, to: number) => upTo(from, to).map((number) => makeBlock(number));

const advice = async (service: RunningService, query = '') =>
  GasRecommendation.parse(await service.read(`${PATHS.gasRecommendation}${query}`));

async function rowsIn(path: string): Promise<AdviceRow[]> {
  const database = await openDatabase(path);
  const rows = await database.queries.selectFrom('advice').selectAll().orderBy('block_number').execute();
  await database.close();
  return rows;
}

/** Whether advice on a block is stored; cheaper than opening the history for each question. */
function storedIn(path: string, block: number): boolean {
  const reader = new DatabaseSync(path, { readOnly: true });
  try {
    return reader.prepare('select 1 from advice where block_number = ?').get(block) !== undefined;
  } finally {
    reader.close();
  }
}

async function change(path: string, row: Partial<AdviceRow>, below = Number.MAX_SAFE_INTEGER): Promise<void> {
  const database = await openDatabase(path);
  await database.queries.updateTable('advice').set(row).where('block_number', '<', below).execute();
  await database.close();
}

const numbersIn = async (path: string) => (await rowsIn(path)).map((row) => row.block_number);

const upTo = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** Blocks that come one after the other, each answered from before the next. */
async function live(source: ScriptedSource, path: string, blocks: readonly Block[]): Promise<void> {
  for (const block of blocks) {
    source.mine(block);
    await waitFor(() => storedIn(path, block.number), { what: `advice on ${block.number}` });
  }
}

describe('what is advised', () => {
  test('is stored as it was answered, for every head from the first one on, with the price to sign; for none before', async () => {
    const path = await temporaryFile('chain-1.db');
    // No more than are read at once: a memory that grows meanwhile may change the answer.
    const source = new ScriptedSource(makeBlocks(200, 299));
    const service = await readyService({ source, database: path });
    await live(source, path, makeBlocks(300, 303));
    const rows = await rowsIn(path);
    expect(rows.map((row) => row.block_number)).toEqual([299, 300, 301, 302, 303]);
    const said = await advice(service);
    expect(rows.at(-1)).toMatchObject({
      block_hash: blockHash(303),
      version: ADVICE_VERSION,
      // Without advice yet the figures are those of sending now, and so is what they promise.
      action: said.action ?? 'SEND_NOW',
      target_price: said.targetPrice,
      probability: said.probability,
      verdict: null,
    });
    const engine = new FeeEngine({ feeRule: source.profile.feeRule });
    for (const block of makeBlocks(200, 303)) engine.push(block);
    const { recommendation, lanes } = engine.advice() ?? expect.fail('no advice');
    const { probability, deadlineSec } = recommendation;
    const action = recommendation.action ?? 'SEND_NOW';
    const isNow = action === 'SEND_NOW';
    expect(rows.at(-1)).toMatchObject({
      action,
      probability,
      due_block: isNow ? 306 : null,
      due_at: isNow ? null : makeBlock(303).timestamp + deadlineSec,
      ...(isNow ? { max_fee: Number(lanes.average.maxFeePerGas) } : {}),
    });
    expect(service.errors).toEqual([]);
  });

  test('of blocks that are only caught up with is said to nobody and not stored', async () => {
    const path = await temporaryFile('chain-1.db');
    const source = new ScriptedSource(makeBlocks(850, 999));
    const first = await readyService({ source, database: path });
    await first.stop();
    expect(await numbersIn(path)).toEqual([999]);
    source.mine(...makeBlocks(1_000, 1_199));
    source.clock = (makeBlock(1_199).timestamp + 1) * 1_000;
    await readyService({ source, database: path });
    await waitFor(async () => (await numbersIn(path)).includes(1_199));
    // What is as new as the patience with a late chain counts as said if anybody could have been answered with it.
    expect((await numbersIn(path)).filter((number) => number < 1_194)).toEqual([999]);
  });
});

test('the record is of the walk over history until fifty are judged, then of what was given; a restart keeps it, waits apart, and so does another version; what is judged late is answered anew', async () => {
  const path = await temporaryFile('chain-1.db');
  const source = new ScriptedSource(makeBlocks(850, 999));
  const first = await readyService({ source, database: path });
  const early = (await advice(first)).track;
  expect(early).toMatchObject({
    basis: 'walked',
    since: null,
    versions: [ADVICE_VERSION],
    waits: { evaluated: 0 },
  });
  await live(source, path, makeBlocks(1_000, 1_060));
  await waitFor(async () => (await advice(first)).track.basis === 'given');
  await waitFor(async () => judged(await rowsIn(path)).every((row) => row.block_number <= 1_057));
  await first.stop();

  const rows = judged(await rowsIn(path)).filter((row) => row.probability !== null);
  // Nothing new comes: what is answered is what was stored.
  const second = await readyService({ source, database: path });
  const { track } = await advice(second);
  expect(track).toEqual({
    evaluated: rows.length,
    hitRatio: rows.filter((row) => row.verdict === 'kept').length / rows.length,
    statedProbability: expect.closeTo(
      rows.reduce((sum, row) => sum + (row.probability ?? 0), 0) / rows.length,
      9,
    ),
    basis: 'given',
    since: new Date(Math.min(...rows.map((row) => row.timestamp)) * 1_000).toISOString(),
    versions: [ADVICE_VERSION],
    unjudged: 0,
    waits: recordOf(rows.filter(isWait)),
    sends: recordOf(rows.filter((row) => !isWait(row))),
  });
  expect(track.evaluated).toBeGreaterThanOrEqual(50);
  await second.stop();

  // Of what was said to be sent, some as if it had been to wait: only the kind of promise tells them apart.
  await change(path, { due_at: 1, due_block: null, version: ADVICE_VERSION - 1 }, 1_010);
  const third = await readyService({ source, database: path });
  const apart = (await advice(third)).track;
  const judgedRows = judged(await rowsIn(path)).filter((row) => row.probability !== null);
  expect(judgedRows.filter((row) => row.due_at !== null).length).toBeGreaterThan(4);
  expect(apart.waits).toEqual({ ...recordOf(judgedRows.filter(isWait)), versions: [ADVICE_VERSION - 1] });
  expect(apart.evaluated).toBe(judgedRows.length);
  await third.stop();

  await change(path, { version: ADVICE_VERSION + 1 });
  const fourth = await readyService({ source, database: path });
  expect((await advice(fourth)).track).toMatchObject({ basis: 'given', versions: [ADVICE_VERSION + 1] });
  await live(source, path, makeBlocks(1_061, 1_068));
  await waitFor(async () => (await advice(fourth)).track.versions.length === 2);
  expect((await advice(fourth)).track.versions).toEqual([ADVICE_VERSION, ADVICE_VERSION + 1]);

  // What is judged after its block was answered for is answered anew.
  const before = await advice(fourth);
  const other = new DatabaseSync(path);
  other.exec('begin immediate');
  source.mine(makeBlock(1_069));
  await waitFor(async () => (await advice(fourth)).updatedAt !== before.updatedAt);
  const held = (await advice(fourth)).track.evaluated;
  other.exec('commit');
  other.close();
  await waitFor(async () => (await advice(fourth)).track.evaluated > held);
});

test('a downtime of more than a day whose blocks are not to be had leaves open what needed them, and says so', async () => {
  const path = await temporaryFile('chain-1.db');
  const slow = (from: number, to: number) =>
    makeBlocks(from, to).map((block) => ({ ...block, timestamp: BLOCK_ZERO_TIME + block.number * 600 }));
  const source = new ScriptedSource(slow(0, 299));
  const service = await readyService({ source, database: path });
  await live(source, path, slow(300, 305));
  await service.stop();
  expect((await rowsIn(path)).filter((row) => row.verdict === null).length).toBeGreaterThan(0);
  const later = new ScriptedSource([...slow(0, 305), ...slow(400, 644)]);
  await (await runService({ source: later, database: path })).ready;
  await waitFor(
    async () => (await rowsIn(path)).find((row) => row.block_number === 305)?.verdict === 'unknown',
  );
});

const isWait = (row: AdviceRow) => row.due_at !== null;

function recordOf(rows: readonly AdviceRow[]) {
  const mean = (of: (row: AdviceRow) => number | null) =>
    rows.length === 0
      ? null
      : expect.closeTo(rows.reduce((sum, row) => sum + (of(row) ?? 0), 0) / rows.length, 9);
  const since = Math.min(...rows.map((row) => row.timestamp));
  return {
    evaluated: rows.length,
    hitRatio: mean((row) => Number(row.verdict === 'kept')),
    savingRatio: mean((row) => row.saved_ratio),
    statedProbability: mean((row) => row.probability),
    since: rows.length === 0 ? null : new Date(since * 1_000).toISOString(),
    versions: [...new Set(rows.map((row) => row.version))],
  };
}

const isJudged = (row: AdviceRow) => row.verdict === 'kept' || row.verdict === 'missed';
const judged = (rows: readonly AdviceRow[]) => rows.filter(isJudged);

describe('how likely a price is reached', () => {
  const history = shareService(async (run) => {
    const service = await run({ source: new ScriptedSource(makeBlocks(0, 799), { kind: 'replay' }) });
    await service.ready;
    // A month of this chain is there in moments; the answer is from what is.
    await waitFor(
      async () => (await advice(service, '?targetGwei=1&deadlineSec=900')).reach?.probability !== null,
    );
    return service;
  });

  test('is answered with the recommendation, and rises with the price and the time', async () => {
    const service = history();
    const likely = async (gwei: string, sec: number) => {
      const { reach } = await advice(service, `?targetGwei=${gwei}&deadlineSec=${sec}`);
      expect(reach).toMatchObject({
        targetPrice: Math.round(Number(gwei) * 1e9),
        deadlineSec: sec,
        reason: null,
      });
      return reach?.probability ?? expect.fail('no probability');
    };
    expect(await likely('0.000000001', 300)).toBeLessThan(0.05);
    expect(await likely('1000000', 300)).toBeGreaterThan(0.95);
    const byPrice = [await likely('0.6', 600), await likely('0.9', 600), await likely('1.2', 600)];
    expect(byPrice).toEqual(byPrice.toSorted((a, b) => a - b));
    const byTime = [await likely('0.9', 60), await likely('0.9', 600), await likely('0.9', 900)];
    expect(byTime).toEqual(byTime.toSorted((a, b) => a - b));
  });

  test('that history is too short for has no probability and says why', async () => {
    const service = history();
    const { reach } = await advice(service, '?targetGwei=1&deadlineSec=604800');
    expect(reach).toMatchObject({ targetPrice: 1e9, deadlineSec: 604_800, probability: null });
    expect(reach?.reason).toMatch(/^it takes 49d of blocks/);
  });
});
