import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { LANES } from '../../../src/core/advice.ts';
import {
  type BacktestOptions,
  type BacktestReport,
  backtest,
  type Prediction,
} from '../../../src/core/backtest/backtest.ts';
import { NAIVE_RULE, PEERS } from '../../../src/core/backtest/baselines.ts';
import { Past } from '../../../src/core/backtest/past.ts';
import type { Block } from '../../../src/core/block.ts';
import { ETHEREUM_FEE_RULE } from '../../../src/core/eip1559.ts';
import { FeeEngine } from '../../../src/core/engine/fee-engine.ts';
import { isSlowRun, rounds, slowIt } from '../../helpers/rounds.ts';
import { makeBlocks, restlessSteps } from '../support/made-blocks.ts';
import { recordedBlocks } from '../support/recorded-blocks.ts';

const feeRule = ETHEREUM_FEE_RULE;

function run(options: Omit<BacktestOptions, 'feeRule'>) {
  const predictions: Prediction[] = [];
  const done: number[] = [];
  const walk = backtest({ feeRule, ...options });
  for (;;) {
    const step = walk.next();
    if (step.done) return { report: step.value, predictions, done };
    done.push(step.value.done);
    if (step.value.prediction !== null) predictions.push(step.value.prediction);
  }
}

const text = (value: unknown): string =>
  JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? `${each}n` : each));

function othersAt(blocks: readonly Block[]): string[] {
  const past = new Past();
  const engine = new FeeEngine({ feeRule });
  for (const block of blocks) {
    engine.push(block);
    past.push(block, Number(engine.advice()?.nextBaseFee));
  }
  const rules = [...PEERS, NAIVE_RULE];
  return blocks.map((_, at) => text(rules.map((rule) => LANES.map((lane) => rule.offer(past, at, lane)))));
}

/** The same blocks up to index `cut`; after it base fees, tips, fullness and times of others, in another order. */
function withOtherFuture(blocks: readonly Block[], cut: number, seed: number): Block[] {
  const future = makeBlocks(restlessSteps(blocks.length, seed), { firstBaseFee: 77_000_000_000n });
  return blocks.map((block, index) => {
    const other = future[blocks.length - 1 - index];
    if (index <= cut || other === undefined) return block;
    return { ...other, number: block.number, timestamp: block.timestamp + 1 };
  });
}

const COUNT = isSlowRun ? 400 : 80;

it('nothing looks ahead: advice and offers are the same when all later blocks change', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000 }), fc.integer({ min: 0, max: COUNT - 1 }), (seed, cut) => {
      const blocks = makeBlocks(restlessSteps(COUNT, seed));
      const changed = withOtherFuture(blocks, cut, seed + 1);
      const [one, other] = [run({ blocks }), run({ blocks: changed })];
      expect(text(other.predictions.slice(0, cut + 1))).toBe(text(one.predictions.slice(0, cut + 1)));
      const [signed, signedOther] = [othersAt(blocks), othersAt(changed)];
      expect(signedOther.slice(0, cut + 1)).toEqual(signed.slice(0, cut + 1));
      if (cut < COUNT - 1) {
        expect(text(other.predictions)).not.toBe(text(one.predictions));
        expect(signedOther).not.toEqual(signed);
      }
    }),
    { numRuns: rounds(20) },
  );
});

it('a gap restarts the engine: later advice depends on later blocks alone, and nothing is judged across the gap', () => {
  const blocks = makeBlocks(restlessSteps(isSlowRun ? 900 : 600, 4));
  const [before, after] = [blocks.slice(0, 400), blocks.slice(401)];
  const broken = run({ blocks: [...before, ...after] });
  const [first, second] = [run({ blocks: before }), run({ blocks: after })];
  expect(broken.report.stretch.gaps).toBe(1);
  expect(text(broken.predictions)).toBe(text([...first.predictions, ...second.predictions]));
  const judged = ({ report }: typeof broken) =>
    report.lanes.slice(0, 2).map(({ rules, unstated }) => (rules[0]?.judged ?? 0) + unstated.judged);
  expect(judged(broken)).toEqual(judged(first).map((count, lane) => count + (judged(second)[lane] ?? 0)));
  const five = ({ report }: typeof broken) =>
    report.horizons.find(({ horizonSec }) => horizonSec === 300)?.judged;
  expect(five(first)).toBeGreaterThan(0);
  expect(five(broken)).toBe((five(first) ?? 0) + (five(second) ?? 0));
});

describe('the report on recorded blocks', () => {
  const blocks = recordedBlocks().map((block) => ({ ...block, tips: null }));
  let whole: ReturnType<typeof run>;
  let report: BacktestReport;
  let done: number[];
  beforeAll(() => {
    whole = run({ blocks });
    ({ report, done } = whole);
  });

  it('describes the recording', () => {
    expect(report.stretch).toEqual({
      firstBlock: 20_973_164,
      lastBlock: 20_975_164,
      blocks: 2_001,
      gaps: 0,
      firstTime: 1_729_021_859,
      lastTime: 1_729_046_015,
      baseFee: { lowest: 7_709_445_197n, median: 10_484_045_237n, highest: 21_493_716_770n },
      withTips: 0,
      gasUsed: 'derived',
    });
    expect(report.judged).toEqual({ from: 20_973_164, to: 20_975_164, blocks: 2_001 });
  });

  it('judges every rule of a lane on the same blocks, own first, perfect foresight last', () => {
    expect(report.lanes.map(({ lane }) => lane)).toEqual(['fast', 'average', 'slow']);
    for (const { lane, rules } of report.lanes) {
      expect(new Set(rules.map(({ judged }) => judged)).size).toBe(1);
      expect(rules[0]?.kind).toBe('own');
      expect(rules.at(-1)?.kind).toBe('foresight');
      expect(rules.filter(({ kind }) => kind === 'peer')).toHaveLength(4);
      expect(rules.some(({ kind }) => kind === 'naive')).toBe(lane === 'slow');
    }
  });

  it('nothing saves more than perfect foresight, which keeps every promise', () => {
    for (const { rules } of report.lanes) {
      const best = rules.at(-1);
      expect(best?.kept).toBe(1);
      for (const { saving } of rules) expect(saving).toBeLessThanOrEqual(best?.saving ?? 0);
    }
    for (const { saving, foresight } of report.horizons) expect(saving).toBeLessThanOrEqual(foresight);
  });

  it('names the peers with the smallest margin above the price they pay', () => {
    const [fast] = report.lanes;
    // Without tips whoever signs the next base fee itself is in; a block late only what covers a rise is.
    expect(fast?.tightest).toEqual({ keeping: 'Blockscout', late: 'viem' });
  });

  it('comes with its progress, which only rises', () => {
    expect(done.length).toBeGreaterThan(2_001);
    expect(done).toEqual(done.toSorted((a, b) => a - b));
    expect(done.at(-1)).toBeLessThanOrEqual(1);
  });

  slowIt('judges the advice of a part alone, which is the same advice', () => {
    const part = run({ blocks: blocks.slice(0, 1_000), from: 20_974_000, to: 20_974_099 });
    expect(part.report.judged).toEqual({ from: 20_974_000, to: 20_974_099, blocks: 100 });
    expect(text(part.predictions)).toBe(
      text(whole.predictions.filter(({ block }) => block >= 20_974_000 && block <= 20_974_099)),
    );
    // What lies behind the part still tells what came of it.
    expect(part.report.lanes.find(({ lane }) => lane === 'slow')?.rules[0]?.judged).toBe(100);
  });
});

describe('a stretch that is too short', () => {
  it('is no score, but no failure either', () => {
    const { report } = run({ blocks: makeBlocks(restlessSteps(20)) });
    expect(report.lanes.flatMap(({ rules }) => rules)).toEqual([]);
    expect(report.lanes.map(({ stated, tightest }) => ({ stated, tightest }))).toEqual(
      Array(3).fill({ stated: null, tightest: { keeping: null, late: null } }),
    );
    expect(report.horizons).toEqual([]);
    expect(() => run({ blocks: [] })).toThrow(RangeError);
  });

  slowIt('is judged beside the naive rule only from where that had seen enough', () => {
    // Of 3,000 blocks and more it wants 600 windows before it speaks.
    const blocks = makeBlocks(restlessSteps(3_000), { firstNumber: 0 });
    const slow = (to: number) =>
      run({ blocks, from: 400, to }).report.lanes.find(({ lane }) => lane === 'slow')?.rules ?? [];
    const early = slow(600);
    expect(early[0]?.judged).toBeGreaterThan(0);
    expect(early.map(({ kind }) => kind)).not.toContain('naive');
    expect(slow(1_200).map(({ kind }) => kind)).toContain('naive');
  });
});

it('a chain without base fees gives finite figures', () => {
  const blocks = makeBlocks(restlessSteps(200), { firstBaseFee: 0n }).map((block) => ({
    ...block,
    baseFeePerGas: 0n,
    tips: null,
  }));
  const { report } = run({ blocks });
  for (const { rules } of report.lanes) {
    for (const { kept, saving, pinball, overhang } of rules) {
      expect([kept, saving, pinball, overhang ?? 0].every(Number.isFinite)).toBe(true);
    }
  }
});
