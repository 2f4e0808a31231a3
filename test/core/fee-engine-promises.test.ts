import { beforeAll, describe, expect, it } from 'vitest';
import { type Advice, getsInto, LANE_PROMISES, LANES, type LaneName } from '../../src/core/advice.ts';
import { type BacktestReport, backtest } from '../../src/core/backtest/backtest.ts';
import { type Block, tipAt } from '../../src/core/block.ts';
import { ETHEREUM_FEE_RULE } from '../../src/core/eip1559.ts';
import { isSlowRun } from '../helpers/rounds.ts';
import { demandSteps, makeBlocks, restlessSteps } from './support/made-blocks.ts';
import { recordedBlocks } from './support/recorded-blocks.ts';
import { simulatedBlocks } from './support/simulated-blocks.ts';

function walk(blocks: readonly Block[], from = 0, feeRule = ETHEREUM_FEE_RULE) {
  const advice: Advice[] = [];
  const steps = backtest({ blocks, feeRule, from: blocks[from]?.number ?? 0 });
  for (;;) {
    const step = steps.next();
    if (step.done) return { report: step.value, advice };
    if (step.value.prediction !== null) advice.push(step.value.prediction.advice);
  }
}

function laneOf({ lanes }: BacktestReport, name: LaneName) {
  const { stated, rules } = lanes.find(({ lane }) => lane === name) ?? {};
  const own = rules?.[0];
  if (own === undefined || stated == null) throw new Error(`${name} was not judged`);
  return { ...own, stated };
}

const horizonOf = ({ horizons }: BacktestReport, sec: number) =>
  horizons.find(({ horizonSec }) => horizonSec === sec) ?? {
    judged: 0,
    kept: Number.NaN,
    stated: Number.NaN,
  };

function waitsOf({ waits }: BacktestReport) {
  const judged = waits.reduce((sum, each) => sum + each.judged, 0);
  const mean = (of: 'kept' | 'stated' | 'saving') =>
    waits.reduce((sum, each) => sum + each[of] * each.judged, 0) / judged;
  return { judged, kept: mean('kept'), stated: mean('stated'), saving: mean('saving') };
}

describe('on 2,001 recorded mainnet blocks', () => {
  const { report } = walk(recordedBlocks());

  it.each(LANES)('the %s lane keeps its target and what it states, within two points', (lane) => {
    const { stated, kept, judged } = laneOf(report, lane);
    expect(judged).toBeGreaterThan(1_300);
    expect(kept).toBeGreaterThan(LANE_PROMISES[lane].target - 0.02);
    expect(Math.abs(kept - stated)).toBeLessThan(0.02);
  });

  it('Slow keeps nine of ten, neither more nor less, and saves against sending in the next block, misses counted', () => {
    const { kept, saving } = laneOf(report, 'slow');
    expect(Math.abs(kept - 0.9)).toBeLessThan(0.015);
    expect(saving).toBeGreaterThan(0.015);
  });

  it.each([300, 900])('targets within %i s are reached as often as stated, to five points', (sec) => {
    const { stated, kept, judged } = horizonOf(report, sec);
    // Nothing is stated before four horizons were judged.
    expect(judged).toBeGreaterThan(800);
    expect(Math.abs(kept - stated)).toBeLessThan(0.05);
  });

  it('states nothing for horizons that six hours of history cannot measure', () => {
    for (const sec of [21_600, 86_400]) expect(horizonOf(report, sec).judged).toBe(0);
  });

  it('advice to wait is kept about as often as stated and pays', () => {
    const { judged, stated, kept, saving } = waitsOf(report);
    expect(judged).toBeGreaterThan(40);
    expect(stated - kept).toBeLessThan(0.03);
    expect(saving).toBeGreaterThan(0.02);
  });
});

describe.runIf(isSlowRun)('on two days of the simulated chain with drifting tips', () => {
  const FROM = 3_600;
  let blocks: readonly Block[];
  let walked: ReturnType<typeof walk>;
  beforeAll(async () => {
    blocks = await simulatedBlocks(4, 14_400);
    walked = walk(blocks, FROM);
  });
  const outcomes = (lane: LaneName) =>
    walked.advice.flatMap(({ lanes }, index) => {
      const { price, maxFeePerGas, maxPriorityFeePerGas, withinBlocks } = lanes[lane];
      const window = blocks.slice(FROM + index + 1, FROM + index + 1 + withinBlocks);
      const tip = maxPriorityFeePerGas ?? 0n;
      const included = window.find((block) => getsInto(block, { maxFeePerGas, maxPriorityFeePerGas: tip }));
      if (included === undefined) return [];
      const paid = Math.min(Number(included.baseFeePerGas + tip), Number(maxFeePerGas));
      const needed = Math.min(...window.map((block) => Number(tipAt(block, 10) ?? 0n)));
      return [{ price: Number(price), paid, tip: Number(tip), needed }];
    });
  const ratio = (lane: LaneName, over: 'price' | 'tip', under: 'paid' | 'needed') => {
    const sum = (name: 'price' | 'tip' | 'paid' | 'needed') =>
      outcomes(lane).reduce((total, each) => total + each[name], 0);
    return sum(over) / sum(under);
  };

  it.each(LANES)('the %s lane keeps its promise, hardly more, and what it states', (lane) => {
    const { stated, kept } = laneOf(walked.report, lane);
    const { target } = LANE_PROMISES[lane];
    expect(kept).toBeGreaterThan(target - 0.01);
    expect(kept).toBeLessThan(target + 0.04);
    expect(Math.abs(kept - stated)).toBeLessThan(0.01);
  });

  it.each(LANES)('the price that the %s lane tells is what is paid, within half a percent', (lane) => {
    expect(Math.abs(ratio(lane, 'price', 'paid') - 1)).toBeLessThan(0.005);
  });

  it.each([300, 900, 3_600])('targets within %i s are reached as often as stated, to five points', (sec) => {
    const { stated, kept } = horizonOf(walked.report, sec);
    expect(Math.abs(kept - stated)).toBeLessThan(0.05);
  });

  it('advice to wait is kept about as often as stated and pays', () => {
    const { judged, stated, kept, saving } = waitsOf(walked.report);
    expect(judged).toBeGreaterThan(1_000);
    expect(stated - kept).toBeLessThan(0.06);
    expect(saving).toBeGreaterThan(0.02);
  });

  it('Fast tips at most five times the minimum in hindsight, Average two and a half times', () => {
    expect(ratio('fast', 'tip', 'needed')).toBeLessThan(5);
    expect(ratio('average', 'tip', 'needed')).toBeLessThan(2.5);
  });
});

describe.runIf(isSlowRun).each([
  ['a rollup of 2 s', { elasticity: 6, denominator: 250, blockTimeSec: 2 }],
  ['a chain without tips', ETHEREUM_FEE_RULE],
])('on %s, whose buyers turn away from what is dear', (_, rule) => {
  it('every lane keeps its promise, and Slow no more than that', () => {
    const { report } = walk(makeBlocks(demandSteps(3_000, rule, 2), { rule }), 0, rule);
    for (const lane of LANES)
      expect(laneOf(report, lane).kept).toBeGreaterThan(LANE_PROMISES[lane].target - 0.015);
    expect(laneOf(report, 'slow').kept).toBeLessThan(0.915);
  });
});

const { report } = walk(makeBlocks(restlessSteps(isSlowRun ? 4_000 : 2_000, 7)));

it.each(LANES)(
  'on an artificial chain with jumping tips the %s lane keeps its target and what it states, within two points',
  (lane) => {
    const { stated, kept } = laneOf(report, lane);
    expect(kept).toBeGreaterThan(LANE_PROMISES[lane].target - 0.02);
    expect(Math.abs(kept - stated)).toBeLessThan(0.02);
  },
);
