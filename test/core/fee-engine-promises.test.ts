import { describe, expect, it } from 'vitest';
import { type Advice, LANE_PROMISES, LANES, type LaneName } from '../../src/core/advice.ts';
import { type Block, tipAt } from '../../src/core/block.ts';
import { ETHEREUM_FEE_RULE } from '../../src/core/eip1559.ts';
import { FeeEngine } from '../../src/core/engine/fee-engine.ts';
import { isSlowRun } from '../helpers/rounds.ts';
import { demandSteps, makeBlocks, restlessSteps } from './support/made-blocks.ts';
import { recordedBlocks } from './support/recorded-blocks.ts';
import { simulatedBlocks } from './support/simulated-blocks.ts';

/** One piece of advice that stated a probability, and what came of it: judged here, apart from the engine. */
interface Verdict {
  readonly stated: number;
  readonly kept: boolean;
  readonly savingRatio: number;
}

interface LaneVerdict extends Verdict {
  /** Told, paid, tipped, and the lowest tip that any of the lane's blocks let in; wei per gas. */
  readonly price: number;
  readonly paid: number;
  readonly tip: number;
  readonly neededTip: number;
}

interface Walk {
  readonly lanes: Record<LaneName, LaneVerdict[]>;
  readonly horizons: Map<number, Verdict[]>;
  readonly waits: Verdict[];
}

function walk(blocks: readonly Block[], unjudged = 0, feeRule = ETHEREUM_FEE_RULE): Walk {
  const engine = new FeeEngine({ feeRule });
  const found: Walk = { lanes: { slow: [], average: [], fast: [] }, horizons: new Map(), waits: [] };
  blocks.forEach((block, index) => {
    engine.push(block);
    if (index < unjudged) return;
    const advice = engine.advice();
    if (advice !== null) judge(advice, block, blocks.slice(index + 1, index + 400), found);
  });
  return found;
}

function judge(advice: Advice, head: Block, future: readonly Block[], found: Walk): void {
  const nextPrice = Number(future[0]?.baseFeePerGas ?? 0);
  for (const lane of LANES) {
    const { price, maxFeePerGas, maxPriorityFeePerGas, probability } = advice.lanes[lane];
    const window = future.slice(0, LANE_PROMISES[lane].withinBlocks);
    if (probability === null || window.length < LANE_PROMISES[lane].withinBlocks) continue;
    const included = window.find((block) => {
      const asked = tipAt(block, 10) ?? 0n;
      return (maxPriorityFeePerGas ?? 0n) >= asked && maxFeePerGas >= block.baseFeePerGas + asked;
    });
    const baseFee = Number((included ?? window.at(-1))?.baseFeePerGas ?? 0);
    const tip = Number(maxPriorityFeePerGas);
    found.lanes[lane].push({
      stated: probability,
      kept: included !== undefined,
      savingRatio: 1 - baseFee / nextPrice,
      price: Number(price),
      paid: Math.min(baseFee + tip, Number(maxFeePerGas)),
      tip,
      neededTip: Math.min(...window.map((block) => Number(tipAt(block, 10) ?? 0n))),
    });
  }
  const targets = advice.recommendation.alternatives.map((target) => ({
    ...target,
    into: target.horizonSec,
  }));
  for (const { horizonSec, price, probability } of targets) {
    const verdict = price === null ? null : judgeTarget(horizonSec, price, probability, head, future);
    if (verdict !== null)
      found.horizons.set(horizonSec, [...(found.horizons.get(horizonSec) ?? []), verdict]);
  }
  const { action, deadlineSec, targetPrice, probability } = advice.recommendation;
  if (action === null || action === 'SEND_NOW') return;
  const verdict = judgeTarget(deadlineSec, targetPrice, probability, head, future);
  if (verdict !== null) found.waits.push(verdict);
}

function judgeTarget(
  horizonSec: number,
  price: bigint,
  stated: number | null,
  head: Block,
  future: readonly Block[],
): Verdict | null {
  const end = head.timestamp + horizonSec;
  const window = future.filter(({ timestamp }) => timestamp <= end);
  if (stated === null || window.length === 0 || window.length === future.length) return null;
  const reached = window.find((block) => askOf(block) <= price);
  const paid = Number(askOf(reached ?? window.at(-1) ?? head));
  return {
    stated,
    kept: reached !== undefined,
    savingRatio: 1 - paid / Number(askOf(future[0] ?? head)),
  };
}

/** The price at which a block lets in. */
function askOf(block: Block): bigint {
  return block.baseFeePerGas + (tipAt(block, 10) ?? 0n);
}

function means(verdicts: readonly Verdict[]) {
  const mean = (of: (verdict: Verdict) => number): number =>
    verdicts.reduce((sum, verdict) => sum + of(verdict), 0) / verdicts.length;
  return {
    stated: mean(({ stated }) => stated),
    kept: mean(({ kept }) => (kept ? 1 : 0)),
    savingRatio: mean(({ savingRatio }) => savingRatio),
  };
}

function tipOverNeeded(verdicts: readonly LaneVerdict[]): number {
  const tips = verdicts.reduce((sum, { tip }) => sum + tip, 0);
  return tips / verdicts.reduce((sum, { neededTip }) => sum + neededTip, 0);
}

describe('on 2,001 recorded mainnet blocks', () => {
  const { lanes, horizons, waits } = walk(recordedBlocks());

  it.each(LANES)('the %s lane keeps its target and what it states, within two points', (lane) => {
    const { stated, kept } = means(lanes[lane]);
    expect(lanes[lane].length).toBeGreaterThan(1_300);
    expect(kept).toBeGreaterThan(LANE_PROMISES[lane].target - 0.02);
    expect(Math.abs(kept - stated)).toBeLessThan(0.02);
  });

  it('Slow keeps nine of ten, neither more nor less, and saves against sending in the next block, misses counted', () => {
    expect(Math.abs(means(lanes.slow).kept - 0.9)).toBeLessThan(0.015);
    expect(means(lanes.slow).savingRatio).toBeGreaterThan(0.015);
  });

  it.each([300, 900])(
    'targets within %i s are reached as often as stated, within five points',
    (horizonSec) => {
      const { stated, kept } = means(horizons.get(horizonSec) ?? []);
      // Nothing is stated before four horizons were judged.
      expect(horizons.get(horizonSec)?.length).toBeGreaterThan(800);
      expect(Math.abs(kept - stated)).toBeLessThan(0.05);
    },
  );

  it('states nothing for horizons that six hours of history cannot measure', () => {
    expect([...horizons.keys()].toSorted((a, b) => a - b)).not.toContain(21_600);
    expect([...horizons.keys()]).not.toContain(86_400);
  });

  it('advice to wait is kept about as often as stated and pays', () => {
    const { stated, kept, savingRatio } = means(waits);
    expect(waits.length).toBeGreaterThan(40);
    expect(stated - kept).toBeLessThan(0.03);
    expect(savingRatio).toBeGreaterThan(0.02);
  });
});

describe.runIf(isSlowRun)('on two days of the simulated chain with drifting tips', () => {
  let walked: Promise<Walk> | null = null;
  const walkOnce = () => {
    walked ??= simulatedBlocks(4, 14_400).then((blocks) => walk(blocks, 3_600));
    return walked;
  };

  it.each(LANES)('the %s lane keeps its promise, hardly more, and what it states', async (lane) => {
    const { stated, kept } = means((await walkOnce()).lanes[lane]);
    const { target } = LANE_PROMISES[lane];
    expect(kept).toBeGreaterThan(target - 0.01);
    expect(kept).toBeLessThan(target + 0.04);
    expect(Math.abs(kept - stated)).toBeLessThan(0.01);
  });

  it.each(LANES)('the price that the %s lane tells is what is paid, within half a percent', async (lane) => {
    const included = (await walkOnce()).lanes[lane].filter(({ kept }) => kept);
    const sum = (of: (verdict: LaneVerdict) => number) =>
      included.reduce((total, verdict) => total + of(verdict), 0);
    expect(Math.abs(sum(({ price }) => price) / sum(({ paid }) => paid) - 1)).toBeLessThan(0.005);
  });

  it.each([300, 900, 3_600])(
    'targets within %i s are reached as often as stated, within five points',
    async (horizonSec) => {
      const { stated, kept } = means((await walkOnce()).horizons.get(horizonSec) ?? []);
      expect(Math.abs(kept - stated)).toBeLessThan(0.05);
    },
  );

  it('advice to wait is kept about as often as stated and pays', async () => {
    const { stated, kept, savingRatio } = means((await walkOnce()).waits);
    expect((await walkOnce()).waits.length).toBeGreaterThan(1_000);
    expect(stated - kept).toBeLessThan(0.06);
    expect(savingRatio).toBeGreaterThan(0.03);
  });

  it('Fast tips at most five times the minimum in hindsight, Average two and a half times', async () => {
    const { fast, average } = (await walkOnce()).lanes;
    expect(tipOverNeeded(fast)).toBeLessThan(5);
    expect(tipOverNeeded(average)).toBeLessThan(2.5);
  });
});

describe.runIf(isSlowRun).each([
  ['a rollup of 2 s', { elasticity: 6, denominator: 250, blockTimeSec: 2 }],
  ['a chain without tips', ETHEREUM_FEE_RULE],
])('on %s, whose buyers turn away from what is dear', (_, rule) => {
  it('every lane keeps its promise, and Slow no more than that', () => {
    const { lanes } = walk(makeBlocks(demandSteps(3_000, rule, 2), { rule }), 0, rule);
    for (const lane of LANES)
      expect(means(lanes[lane]).kept).toBeGreaterThan(LANE_PROMISES[lane].target - 0.015);
    expect(means(lanes.slow).kept).toBeLessThan(0.915);
  });
});

describe('on an artificial chain with jumping tips', () => {
  const { lanes } = walk(makeBlocks(restlessSteps(isSlowRun ? 4_000 : 2_000, 7)));

  it.each(LANES)('the %s lane keeps its target and what it states, within two points', (lane) => {
    const { stated, kept } = means(lanes[lane]);
    expect(kept).toBeGreaterThan(LANE_PROMISES[lane].target - 0.02);
    expect(Math.abs(kept - stated)).toBeLessThan(0.02);
  });
});
