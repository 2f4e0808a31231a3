import { describe, expect, it } from 'vitest';
import { judgePatience, type WaitAdvice } from '../../../src/core/backtest/patience.ts';
import { pastOf } from './past-of.ts';

/** Nine blocks at 100 and one at 50, over and over. */
const PAST = pastOf(Array.from({ length: 700 }, (_, number) => ({ baseFee: number % 10 === 9 ? 50 : 100 })));
const PATIENCE_SEC = 300;

function judge(advice: WaitAdvice | null, past = PAST) {
  const all = new Map(past.blocks.map((_, at) => [at, advice]));
  const score = judgePatience(past, all, PATIENCE_SEC) ?? expect.fail('nothing was judged');
  const ruleOf = (name: string) => score.rules.find(({ rule }) => rule === name) ?? expect.fail(name);
  return { ...score, own: ruleOf('gastop'), ruleOf };
}

describe('the score of a patience, over all arrivals', () => {
  it('counts whoever waits and whoever sends together', () => {
    const { own, judged } = judge({ price: 50, probability: 0.9 });
    // One of ten comes when the next block is the cheap one.
    expect(judged).toBeGreaterThan(300);
    expect(own.waits).toBeCloseTo(0.9, 1);
    expect(own.saving).toBeCloseTo(0.45, 1);
    expect(own).toMatchObject({ kept: 1, stated: expect.closeTo(0.9), missRatio: null });
  });

  it('has nothing saved by who sends at once', () => {
    expect(judge(null).own).toMatchObject({ waits: 0, saving: 0, stated: null, kept: null, missRatio: null });
    // At or above the price of the next block there is nothing to wait for.
    expect(judge({ price: 100, probability: 0.9 }).own).toMatchObject({ waits: 0, saving: 0 });
  });

  it('has a miss pay what the last block of the time asks for', () => {
    const { own } = judge({ price: 49, probability: 0.9 });
    expect(own).toMatchObject({ kept: 0, waits: 1 });
    // Some end at the cheap block, and as many begin there.
    expect(own.saving).toBeCloseTo(0.05 - 0.1, 1);
    const rising = pastOf(Array.from({ length: 700 }, (_, number) => ({ baseFee: 1_000 + number })));
    expect(judge({ price: 1, probability: 0.9 }, rising).own.missRatio).toBeCloseTo(24 / 1_500, 2);
  });

  it('ends a wait at its own horizon, if that is shorter than the patience', () => {
    const soon = judge({ price: 50, probability: 0.9, withinSec: 24 }).own;
    // The cheap block is one of the next two in one of ten cases, beside those in which it is the next.
    expect(soon.kept).toBeCloseTo(1 / 9, 1);
  });

  it('scores the low quantile, the naive rule and perfect foresight on the same arrivals', () => {
    const { ruleOf } = judge(null);
    for (const name of ['low-quantile rule', 'perfect foresight']) {
      expect(ruleOf(name), name).toMatchObject({ kept: 1 });
    }
    // Also where the next block is the cheap one it waits for half of its price.
    expect(ruleOf('naive rule').waits).toBe(1);
    expect(ruleOf('naive rule').kept).toBeCloseTo(0.9, 1);
    expect(ruleOf('low-quantile rule').saving).toBeCloseTo(0.45, 1);
    expect(ruleOf('perfect foresight').saving).toBeCloseTo(0.45, 1);
    expect(ruleOf('a quantile that waits as often').waits).toBeLessThan(0.05);
  });

  it('is none where no time was over or the naive rule has too little history', () => {
    const short = pastOf(Array.from({ length: 200 }, () => ({ baseFee: 100 })));
    expect(judgePatience(short, new Map([[150, null]]), PATIENCE_SEC)).toBeNull();
    expect(judgePatience(PAST, new Map([[699, null]]), PATIENCE_SEC)).toBeNull();
  });
});
