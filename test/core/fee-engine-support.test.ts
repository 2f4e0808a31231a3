import { describe, expect, it } from 'vitest';
import { type Advice, type Chance, LANES, type LaneName } from '../../src/core/advice.ts';
import type { Block } from '../../src/core/block.ts';
import { chainProfile } from '../../src/core/chains.ts';
import { ETHEREUM_FEE_RULE, type FeeRule } from '../../src/core/eip1559.ts';
import type { FeeEngine } from '../../src/core/engine/fee-engine.ts';
import { isSlowRun, slowIt } from '../helpers/rounds.ts';
import { engineAfter, type MadeBlock, makeBlocks, restlessSteps } from './support/made-blocks.ts';

function figures(value: unknown, path = 'advice'): [string, number | bigint][] {
  if (typeof value === 'number' || typeof value === 'bigint') return [[path, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => figures(inner, `${path}.${key}`));
}

/** As `expect`, a hundred times as quickly: it is asked of every figure at every block. */
function must(holds: boolean, what: () => string): void {
  if (!holds) expect.fail(what());
}

function expectOrdered({ lanes: { slow, average, fast } }: Advice): void {
  for (const field of ['price', 'maxFeePerGas', 'maxPriorityFeePerGas'] as const) {
    const [low, middle, high] = [slow[field], average[field], fast[field]];
    if (low === null || middle === null || high === null) {
      must(low === middle && middle === high, () => `${field}: ${low}, ${middle}, ${high}`);
      continue;
    }
    must(low <= middle && middle <= high, () => `${field}: ${low}, ${middle}, ${high}`);
  }
}

function expectNested({ recommendation: { alternatives } }: Advice): void {
  expect(alternatives.map(({ horizonSec }) => horizonSec)).toEqual([300, 900, 3_600, 21_600, 86_400]);
  alternatives.slice(1).forEach((longer, index) => {
    const shorter = alternatives[index];
    if (shorter === undefined) return;
    if (shorter.price === null || longer.price === null || longer.probability === null) return;
    const [low, high] = [longer.price, shorter.price];
    const isNoLess = longer.probability >= (shorter.probability ?? 0);
    must(low <= high, () => `${longer.horizonSec} s: ${low} over ${high}`);
    must(low !== high || isNoLess, () => `${longer.horizonSec} s is less likely`);
  });
}

function expectExplained(name: string, { probability, reason }: Chance): void {
  must((probability === null) === (reason !== null), () => `${name}: ${reason}`);
}

function expectOneFigure({ recommendation }: Advice): void {
  const { action, alternatives, deadlineSec, targetPrice, probability, expectedSavingRatio } = recommendation;
  if (action === null || action === 'SEND_NOW') return;
  expect(alternatives.find(({ horizonSec }) => horizonSec === deadlineSec)).toMatchObject({
    price: targetPrice,
    probability,
    savingRatio: expectedSavingRatio,
  });
}

/** No figure that is none, no price below 0, no share beyond 0 to 1, and every order that advice must have. */
function expectSane(advice: Advice): void {
  for (const [path, figure] of figures(advice)) {
    must(typeof figure === 'number' ? Number.isFinite(figure) : figure >= 0n, () => `${path} = ${figure}`);
  }
  expectOrdered(advice);
  for (const lane of LANES) {
    const { price, maxFeePerGas, maxPriorityFeePerGas, probability, waitSec } = advice.lanes[lane];
    must(price <= maxFeePerGas, () => `${lane}: price ${price} above cap ${maxFeePerGas}`);
    must((maxPriorityFeePerGas ?? 0n) <= maxFeePerGas, () => `${lane}: tip above cap`);
    const least = advice.nextBaseFee + (maxPriorityFeePerGas ?? 0n);
    if (lane !== 'slow')
      must(price >= least || price === maxFeePerGas, () => `${lane}: price ${price} below ${least}`);
    expectExplained(lane, advice.lanes[lane]);
    must((probability ?? 0) >= 0 && (probability ?? 1) <= 1, () => `${lane}: probability ${probability}`);
    must(waitSec.p50 > 0 && waitSec.p95 >= waitSec.p50, () => `${lane}: waits ${JSON.stringify(waitSec)}`);
  }
  const { baseFeeFan, congestion, percentileRank24h } = advice.trend;
  for (const { min, expected, max } of baseFeeFan)
    must(min <= expected && expected <= max, () => `a fan of ${min}, ${expected}, ${max}`);
  for (const share of [congestion, percentileRank24h])
    must(share >= 0 && share <= 1, () => `a share of ${share}`);
  for (const horizon of advice.recommendation.alternatives) {
    expectExplained(`${horizon.horizonSec} s`, horizon);
    const { price, probability, savingRatio } = horizon;
    expect([price === null, savingRatio === null]).toEqual([probability === null, probability === null]);
  }
  expectOneFigure(advice);
  expectNested(advice);
  expect(advice.recommendation.reasons.join()).not.toMatch(/NaN|undefined|Infinity/);
}

const ROLLUP: FeeRule = { elasticity: 6, denominator: 250, blockTimeSec: 2 };
/** Judged promises, and blocks that those of Slow had to choose from, before a lane states anything. */
const LEAST_BLOCKS: Readonly<Record<LaneName, number>> = { fast: 102, average: 103, slow: 249 };
/** A horizon states nothing before so many of its windows have ended, one after another. */
const LEAST_WINDOWS = 4;
const EIGHT_DAYS = 57_600;
const LEAST_TIMES = 6;

type Step = (step: MadeBlock, index: number, count: number) => MadeBlock;

interface Shape {
  readonly rule?: FeeRule;
  readonly firstBaseFee?: bigint;
  readonly step?: Step;
}

const spaced =
  (spacingSec: (index: number, count: number) => number): Step =>
  (step, index, count) => ({ ...step, spacingSec: spacingSec(index, count) });

const SHAPES: Readonly<Record<string, Shape>> = {
  'a chain as usual': {},
  'a base fee that stands still': { step: (step) => ({ ...step, gasUsedRatio: 0.5 }) },
  'a base fee of 0': { firstBaseFee: 0n },
  'a base fee of 7 wei': { firstBaseFee: 7n },
  'a base fee of 7 wei and no tips known': { firstBaseFee: 7n, step: (step) => ({ ...step, lowTip: null }) },
  'two-second blocks': {
    rule: ROLLUP,
    step: (step) => ({ ...step, gasUsedRatio: step.gasUsedRatio / 3 }),
  },
  'a gap of twenty minutes': {
    step: spaced((index, count) => (index === Math.floor(count * 0.7) ? 1_200 : 12)),
  },
  'empty blocks for ever': { step: (step) => ({ ...step, gasUsedRatio: 0, lowTip: 0 }) },
  'full blocks for ever': { step: (step) => ({ ...step, gasUsedRatio: 1, lowTip: 1 }), firstBaseFee: 7n },
  'tips that come and go': {
    step: (step, index) => ({ ...step, lowTip: [null, 0, 3_000_000_000, 7][(index >> 2) % 4] ?? null }),
  },
  'tips beyond all bounds': { step: (step) => ({ ...step, lowTip: Number.MAX_SAFE_INTEGER }) },
  'hours without a block': { step: spaced((index) => (index % 200 === 199 ? 40_000 : 12)) },
  'several blocks a second': { step: spaced((index) => (index % 4 === 0 ? 1 : 0)) },
  'a clock that runs backwards': { step: spaced((index) => (index % 5 === 0 ? -3 : 12)) },
  'time that stands still': { step: spaced(() => 0) },
};

/** That nothing is promised which so many blocks, over so much time, cannot bear; and that its absence is explained. */
function expectSupported(engine: FeeEngine, advice: Advice, blocks: readonly Block[]): void {
  const spanSec = (blocks.at(-1)?.timestamp ?? 0) - (blocks[0]?.timestamp ?? 0);
  for (const lane of LANES) {
    if (blocks.length < LEAST_BLOCKS[lane]) expect(advice.lanes[lane].probability, lane).toBeNull();
  }
  const { action, alternatives, probability, reasons, track } = advice.recommendation;
  for (const { horizonSec, probability: stated } of alternatives) {
    if (spanSec < (LEAST_WINDOWS + 1) * horizonSec) expect(stated, `${horizonSec} s`).toBeNull();
    const reach = engine.reachProbability(advice.nextBaseFee, horizonSec);
    if (spanSec < LEAST_TIMES * horizonSec) expect(reach.probability, `${horizonSec} s`).toBeNull();
    expect(reach.probability === null, reach.reason ?? 'no reason').toBe(reach.reason !== null);
    expect(reach.probability ?? 0).toBeGreaterThanOrEqual(0);
    expect(reach.probability ?? 1).toBeLessThanOrEqual(1);
  }
  if (alternatives.every((each) => each.probability === null)) {
    expect(action).toBeNull();
    expect(reasons[0]).toMatch(/^no advice yet: \S/);
  } else expect(action).not.toBeNull();
  if (action === 'WAIT' || action === 'SET_ALERT') expect(probability).not.toBeNull();
  if (track.evaluated === 0) expect(track).toMatchObject({ hitRatio: null, statedProbability: null });
}

describe.each(Object.entries(SHAPES))('%s', (_, { rule = ETHEREUM_FEE_RULE, step, ...chain }) => {
  const shaped = (steps: readonly MadeBlock[]) =>
    makeBlocks(step ? steps.map((each, index) => step(each, index, steps.length)) : steps, {
      ...chain,
      rule,
    });

  it('has sane advice at every block and promises no more than the blocks bear, also after a reorg', () => {
    const blocks = shaped(restlessSteps(isSlowRun ? 900 : 600));
    const engine = engineAfter([], { feeRule: rule, capacity: 7_000 });
    for (const [index, block] of blocks.entries()) {
      engine.push(block);
      if (index % 23 !== 0 && index !== 10 && index !== blocks.length - 1) continue;
      const advice = engine.advice() ?? expect.fail('no advice');
      expectSane(advice);
      expectSupported(engine, advice, blocks.slice(0, index + 1));
    }
    const kept = blocks.slice(0, -12);
    engine.rewindTo(kept.at(-1)?.number ?? 0);
    const fresh = engineAfter(kept, { feeRule: rule, capacity: 7_000 });
    // The branch that takes over has full blocks where the others were not.
    const branch = shaped(
      restlessSteps(blocks.length).map((each, at) =>
        at < kept.length ? each : { ...each, gasUsedRatio: 1 },
      ),
    );
    for (const block of [null, ...branch.slice(kept.length)]) {
      if (block !== null) for (const each of [engine, fresh]) each.push(block);
      expect(engine.advice()).toEqual(fresh.advice());
      const price = fresh.advice()?.nextBaseFee ?? 0n;
      expect(engine.reachProbability(price, 300)).toEqual(fresh.reachProbability(price, 300));
    }
  });
});

const blocks = makeBlocks(
  Array.from({ length: 1_200 }, () => ({ gasUsedRatio: 0.2 })),
  { firstBaseFee: 0n },
);

it('where nobody pays anything every price is 0, no tip is known, and nothing is there to be waited for', () => {
  const advice = engineAfter(blocks).advice();
  if (advice === null) throw new Error('no advice');
  for (const lane of LANES) {
    expect(advice.lanes[lane].price).toBe(0n);
    // EIP-1559 lets even a base fee of 0 rise by 1 wei.
    expect(advice.lanes[lane].maxFeePerGas).toBeLessThanOrEqual(1n);
    expect(advice.lanes[lane]).toMatchObject({ probability: null, maxPriorityFeePerGas: null });
  }
  const { action, alternatives, targetPrice } = advice.recommendation;
  expect({ action, targetPrice }).toEqual({ action: null, targetPrice: 0n });
  for (const { price, savingRatio, probability } of alternatives)
    expect([price, savingRatio]).toEqual(probability === null ? [null, null] : [0n, 0]);
  expect(alternatives[0]?.reason).toContain('no tips');
});

it('too little history for one probability is enough for a shorter one: after 80 minutes of blocks the quarter of an hour is promised, the hour is not', () => {
  const { recommendation } = engineAfter(makeBlocks(restlessSteps(400))).advice() ?? {};
  const stated = recommendation?.alternatives.map(({ horizonSec, probability }) => [
    horizonSec,
    probability === null ? null : 'stated',
  ]);
  expect(stated).toEqual([
    [300, 'stated'],
    [900, 'stated'],
    [3_600, null],
    [21_600, null],
    [86_400, null],
  ]);
});

const paces = isSlowRun ? [0.3, 0.75, 1.5, 3] : [1.5];
const profiles = (isSlowRun ? [1, 10, 56, 100] : [1, 100]).map((id) => chainProfile(id));
const cases = profiles.flatMap(({ name, feeRule }) => paces.map((pace) => [name, pace, feeRule] as const));

it.each(cases)(
  'a chain that does not keep the pace of its profile %s at %f times its spacing has five minutes promised after 75 minutes or 380 blocks',
  (_, pace, rule) => {
    const spacingSec = rule.blockTimeSec * pace;
    const count = Math.max(Math.ceil(4_500 / spacingSec), 380);
    const steps = restlessSteps(count).map((step) => ({
      ...step,
      spacingSec,
      gasUsedRatio: (step.gasUsedRatio * 2) / rule.elasticity,
    }));
    const [five] =
      engineAfter(makeBlocks(steps, { rule }), { feeRule: rule, capacity: EIGHT_DAYS }).advice()
        ?.recommendation.alternatives ?? [];
    expect(five?.reason).toBeNull();
    expect(five?.probability).toBeGreaterThan(0.5);
  },
);

describe('a time of which not enough blocks are ever kept', () => {
  it('has no probability because the chain is too fast for it', () => {
    const fast = restlessSteps(600).map((step) => ({ ...step, spacingSec: 2 }));
    const engine = engineAfter(makeBlocks(fast), { capacity: EIGHT_DAYS });
    const reasons = engine.advice()?.recommendation.alternatives.map(({ reason }) => reason);
    const { reason } = engine.reachProbability(1n, 86_400);
    // Eight days of blocks at 12 s are 32 hours of blocks at 2 s.
    expect(reasons?.[2]).toMatch(/^too little history, 19m58s of the 5h that it takes$/);
    const tooFast = (days: number) =>
      new RegExp(`^it takes ${days}d of blocks, and 1d\\d+h are kept of a chain this fast$`);
    expect(reasons?.[4]).toMatch(tooFast(5));
    expect(reason).toMatch(tooFast(7));
  });

  slowIt('there is none of on a chain of 12 s: a day is answered once seven have passed', () => {
    const engine = engineAfter(makeBlocks(restlessSteps(50_405)), { capacity: EIGHT_DAYS });
    expect(engine.reachProbability(1n, 86_400).reason).toBeNull();
  });
});
