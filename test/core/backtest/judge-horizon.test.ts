import { describe, expect, it } from 'vitest';
import { judgeHorizon, type Target } from '../../../src/core/backtest/judge.ts';
import type { Past } from '../../../src/core/backtest/past.ts';
import { pastOf } from './past-of.ts';

const judge = (past: Past, targets: readonly Target[], horizonSec = 24) =>
  judgeHorizon(
    past,
    (at) => targets[at] ?? { price: 0, probability: Number.NaN },
    [...targets.keys()],
    horizonSec,
  );

/** 100 at t = 0, then 100, 80, 120, 120, each 12 s on. */
const past = pastOf([100, 100, 80, 120, 120].map((baseFee, index) => ({ baseFee, time: index * 12 })));

describe('a target price', () => {
  it('is reached by a block within its time at or below it, at that block’s price', () => {
    expect(judge(past, [{ price: 85, probability: 0.9 }])).toMatchObject({
      judged: 1,
      kept: 1,
      stated: 0.9,
      saving: 1 - 80 / 100,
      foresight: 1 - 80 / 100,
    });
  });

  it('is paid at the first block that reaches it, not at the cheapest', () => {
    const score = judge(past, [{ price: 100, probability: 0.9 }]);
    expect(score).toMatchObject({ kept: 1, saving: 0 });
    expect(score?.foresight).toBeCloseTo(0.2, 12);
  });

  it('pays the price of its last block after a miss', () => {
    const score = judge(past, [
      { price: 0, probability: Number.NaN },
      { price: 79, probability: 0.5 },
    ]);
    // From the second block: next 80, then 120.
    expect(score).toMatchObject({ judged: 1, kept: 0, saving: 1 - 120 / 80, foresight: 0 });
  });

  it('compares base fee plus minimum tip where tips are known', () => {
    const tipped = pastOf([
      { baseFee: 100, tip: 1 },
      { baseFee: 90, tip: 15 },
      { baseFee: 100, tip: 2 },
      { baseFee: 100, tip: 1 },
    ]);
    expect(judge(tipped, [{ price: 102, probability: 0.9 }])).toMatchObject({
      kept: 1,
      saving: 1 - 102 / 105,
    });
  });
});

describe('a base fee of 0', () => {
  it('leaves nothing to be saved', () => {
    const free = pastOf([0, 0, 0, 0, 0].map((baseFee, index) => ({ baseFee, time: index * 12 })));
    expect(judge(free, [{ price: 0, probability: 0.9 }])).toMatchObject({ kept: 1, saving: 0, foresight: 0 });
  });
});

describe('targets without a judgement', () => {
  it('lack a probability, or had not ended with the recording', () => {
    expect(judge(past, [{ price: 85, probability: Number.NaN }])).toBeNull();
    const late = [0, 1, 2, 3, 4].map(() => ({ price: 200, probability: 0.9 }));
    // 24 s after the third block the recording ends: nobody knows whether another block came in that second.
    expect(judge(past, late)?.judged).toBe(2);
  });

  it('is a horizon without any block in it', () => {
    const slow = pastOf([
      { baseFee: 100, time: 0 },
      { baseFee: 90, time: 60 },
      { baseFee: 90, time: 120 },
    ]);
    expect(judge(slow, [{ price: 95, probability: 0.9 }])).toBeNull();
    expect(judge(slow, [{ price: 95, probability: 0.9 }], 60)?.judged).toBe(1);
  });
});

describe('calibration', () => {
  it('is the distance between stated and kept in groups of five points', () => {
    const flat = pastOf(Array.from({ length: 10 }, () => ({ baseFee: 100 })));
    // Four at 0.9 all kept, two at 0.6 both missed.
    const targets = [0, 1, 2, 3, 4, 5].map((index) =>
      index < 4 ? { price: 100, probability: 0.9 } : { price: 99, probability: 0.6 },
    );
    const score = judge(flat, targets);
    expect(score?.calibration).toEqual([
      { size: 2, stated: 0.6, kept: 0 },
      { size: 4, stated: 0.9, kept: 1 },
    ]);
    expect(score?.calibrationError).toBeCloseTo((2 * 0.6 + 4 * 0.1) / 6, 12);
  });

  it('of a probability of 1 has a group', () => {
    expect(judge(past, [{ price: 100, probability: 1 }])?.calibration).toEqual([
      { size: 1, stated: 1, kept: 1 },
    ]);
  });
});
