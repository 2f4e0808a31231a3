import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readBlockFile } from '../../src/chain/block-file.ts';
import type { Advice, Horizon } from '../../src/core/advice.ts';
import type { Block, BlockTips } from '../../src/core/block.ts';
import { ETHEREUM_FEE_RULE, type FeeRule } from '../../src/core/eip1559.ts';
import { FeeEngine } from '../../src/core/engine/fee-engine.ts';
import { createHistory } from '../../src/core/engine/history.ts';
import { createHorizons } from '../../src/core/engine/horizons.ts';
import { BLOCKS_PER_DAY, simulateDay, timestampOf } from '../../src/core/simulation.ts';
import { isSlowRun, rounds } from '../helpers/rounds.ts';
import { demandSteps, makeBlocks, restlessSteps } from './support/made-blocks.ts';
import { recordedBlocks } from './support/recorded-blocks.ts';

const PATIENCES_SEC = [299, 300, 900, 3_600, 20_000, 86_400];
const HOLD_BLOCKS = 3;
const ROLLUP: FeeRule = { elasticity: 6, denominator: 250, blockTimeSec: 2 };

const BESIDE = new URL('../../../shared/data/blocks/', import.meta.url);
const beside = () => (existsSync(BESIDE) ? readdirSync(BESIDE).filter((name) => name.endsWith('.csv')) : []);
const NO_TIPS: BlockTips = [0n, 0n, 0n, 0n, 0n, 0n, 0n];

/** As `expect`, a hundred times as quickly: it is asked of every figure at every block. */
function must(holds: boolean, what: () => string): void {
  if (!holds) expect.fail(what());
}

/** What the rule says of a table: the largest mean saving within the patience that is worth it and likely enough. */
function bestOf(rows: readonly Horizon[], patienceSec: number): number {
  let best: Horizon | null = null;
  for (const row of rows) {
    const { horizonSec, probability, savingRatio } = row;
    if (horizonSec > patienceSec || probability === null || savingRatio === null) continue;
    if (probability < 0.6 || savingRatio < (horizonSec > 3_600 ? 0.1 : 0.005)) continue;
    if (best === null || savingRatio > (best.savingRatio ?? 0)) best = row;
  }
  return best?.horizonSec ?? 0;
}

/** A longer horizon never has a higher price, a lower mean saving, or a lower probability of one price. */
function expectCoherent(engine: FeeEngine, rows: readonly Horizon[], at: string): void {
  const known = rows.filter(({ probability }) => probability !== null);
  const now = Number(engine.advice()?.lanes.average.price ?? 0n);
  for (const { isCeiling, windows, windowsKept, price, missRatio } of known) {
    // A wait that missed its price ended above it.
    const least = Number(price) / now - 1 - 1e-6;
    must((missRatio ?? 0) >= least, () => `${at}: ${price} of ${now} was missed, and paid ${missRatio}`);
    must(
      isCeiling !== true || windowsKept === windows,
      () => `${at}: a ceiling at ${windowsKept} of ${windows}`,
    );
  }
  for (const [index, longer] of known.entries()) {
    const shorter = known[index - 1];
    if (shorter === undefined) continue;
    const pair = () =>
      `${at}: ${JSON.stringify([shorter, longer], (_, value) => (typeof value === 'bigint' ? String(value) : value))}`;
    must((longer.price ?? 0n) <= (shorter.price ?? 0n), pair);
    must((longer.savingRatio ?? 0) >= (shorter.savingRatio ?? 0), pair);
    must(longer.price !== shorter.price || (longer.probability ?? 0) >= (shorter.probability ?? 0), pair);
    // The same to the last digit only where it is the most that so many windows support.
    must(longer.probability !== shorter.probability || longer.isCeiling === true, pair);
    must((longer.windowsKept ?? 0) <= (longer.windows ?? 0), pair);
  }
  for (const { price } of known) {
    const chances = known.map(
      ({ horizonSec }) => engine.reachProbability(price ?? 0n, horizonSec).probability,
    );
    for (const [index, chance] of chances.entries()) {
      const shorter = chances[index - 1];
      if (chance == null || shorter == null) continue;
      must(chance >= shorter, () => `${at}: ${price} within ${known[index]?.horizonSec} s is less likely`);
    }
  }
}

/** 25 blocks of Ethereum are five minutes: of Slow's price and the row's the higher one is the likelier. */
function expectNoOtherThanSlow({ lanes: { slow } }: Advice, row: Horizon | undefined, at: string): void {
  if (row?.probability == null || slow.probability === null) return;
  const [price, probability] = [row.price ?? 0n, row.probability];
  const words = () =>
    `${at}: 5 min ${price} at ${probability}, Slow ${slow.maxFeePerGas} at ${slow.probability}`;
  must(price < slow.maxFeePerGas || probability >= slow.probability, words);
  must(price > slow.maxFeePerGas || probability <= slow.probability, words);
}

/** Walks a chain; returns how many rows were stated and waits advised, so that a walk that saw nothing is found. */
function walk(blocks: readonly Block[], feeRule: FeeRule = ETHEREUM_FEE_RULE) {
  const engine = new FeeEngine({ feeRule });
  const bests = PATIENCES_SEC.map((): number[] => []);
  let stated = 0;
  let waits = 0;
  for (const block of blocks) {
    engine.push(block);
    const advice = engine.advice() ?? expect.fail('no advice');
    const rows = advice.recommendation.alternatives;
    const at = `block ${block.number}`;
    // Asking for a price costs as much as a block.
    if (block.number % 7 === 0) expectCoherent(engine, rows, at);
    if (feeRule.blockTimeSec === 12) expectNoOtherThanSlow(advice, rows[0], at);
    stated += rows.filter(({ probability }) => probability !== null).length;
    for (const [index, patienceSec] of PATIENCES_SEC.entries()) {
      const wait = engine.waitFor(patienceSec);
      const waitSec = wait?.horizonSec ?? 0;
      bests[index]?.push(bestOf(rows, patienceSec));
      const lately = bests[index]?.slice(-1 - HOLD_BLOCKS) ?? [];
      must(lately.includes(waitSec), () => `${at}: for ${patienceSec} s it advises ${waitSec} s`);
      if (wait === null) continue;
      must(waitSec <= patienceSec, () => `${at}: ${waitSec} s is over ${patienceSec} s`);
      expect(rows.find(({ horizonSec }) => horizonSec === waitSec)).toEqual(wait);
      must((wait.probability ?? 0) >= 0.6, () => `${at}: a wait at ${wait.probability}`);
      waits += 1;
    }
  }
  return { stated, waits };
}

describe('the table of waits is coherent at every block, and the headline is its best row', () => {
  it('on 2,001 recorded blocks', () => {
    const { stated, waits } = walk(isSlowRun ? recordedBlocks() : recordedBlocks().slice(0, 1_200));
    expect(stated).toBeGreaterThan(1_000);
    expect(waits).toBeGreaterThan(1_000);
  });

  // Recordings without a licence lie beside the project on some machines.
  it.runIf(isSlowRun).each(beside())('on the recorded blocks of %s', { timeout: 300_000 }, async (name) => {
    const blocks: Block[] = [];
    for await (const block of readBlockFile(fileURLToPath(new URL(name, BESIDE)))) {
      blocks.push({ ...block, tips: NO_TIPS });
    }
    expect(walk(blocks).waits).toBeGreaterThan(1_000);
  });

  it.each(Array.from({ length: rounds(20) }, (_, seed) => seed + 1))('on made chain %i', (seed) => {
    const steps = seed % 2 === 0 ? restlessSteps(1_600, seed) : demandSteps(1_600, ETHEREUM_FEE_RULE, seed);
    const { stated, waits } = walk(makeBlocks(steps));
    expect(stated).toBeGreaterThan(2_000);
    expect(waits).toBeGreaterThan(100);
  });

  it('on a rollup of two seconds', () => {
    const { stated } = walk(makeBlocks(demandSteps(2_400, ROLLUP, 3), { rule: ROLLUP }), ROLLUP);
    expect(stated).toBeGreaterThan(1_500);
  });
});

it('a price that is missed is never said to end below itself, on two simulated days with bursts', () => {
  const history = createHistory(8 * BLOCKS_PER_DAY);
  const horizons = createHorizons(history, ETHEREUM_FEE_RULE.blockTimeSec);
  let fallen = 0;
  for (const day of [3_600, 3_601]) {
    const fees = simulateDay(1, day).baseFee;
    for (const [index, fee] of fees.subarray(0, BLOCKS_PER_DAY).entries()) {
      const number = day * BLOCKS_PER_DAY + index;
      const now = fees[index + 1] ?? fee;
      history.moveHead(number);
      history.time.put(number, timestampOf(number));
      history.ask.put(number, fee);
      history.sendNow.put(number, now);
      horizons.push(null, false);
      history.follow();
      for (const { price, probability, missRatio } of horizons.forecasts()) {
        if (probability === null) continue;
        if (missRatio < 0) fallen += 1;
        must(missRatio >= price / now - 1 - 1e-9, () => `block ${number}: ${price} of ${now}, ${missRatio}`);
      }
    }
  }
  expect(fallen).toBeGreaterThan(1_000);
});
