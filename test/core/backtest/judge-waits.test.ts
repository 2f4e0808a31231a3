import { describe, expect, it } from 'vitest';
import { judgeWaits, type Waiting } from '../../../src/core/backtest/judge.ts';
import { pastOf } from './past-of.ts';

/** 100 at t = 0, then 100, 80, 120, 120, each 12 s on. */
const past = pastOf([100, 100, 80, 120, 120].map((baseFee, index) => ({ baseFee, time: index * 12 })));

const wait = (at: number, price: number, more: Partial<Waiting> = {}): Waiting => ({
  at,
  action: 'WAIT',
  price,
  deadlineSec: 24,
  probability: 0.9,
  expectedSaving: 0.1,
  ...more,
});

describe('the advice to wait', () => {
  it('is reached by the first timely block at or below it, at that block’s price', () => {
    expect(judgeWaits(past, [wait(0, 85)], 4)).toEqual([
      {
        action: 'WAIT',
        judged: 1,
        share: 0.25,
        stated: 0.9,
        kept: 1,
        expectedSaving: 0.1,
        saving: 1 - 80 / 100,
      },
    ]);
  });

  it('pays the price of the last block before the deadline after a miss', () => {
    expect(judgeWaits(past, [wait(1, 79)], 4)).toMatchObject([{ kept: 0, saving: 1 - 120 / 80 }]);
  });

  it('counts nothing while its time is not over, and where no block came in it', () => {
    expect(judgeWaits(past, [wait(2, 79), wait(0, 85, { deadlineSec: 5 })], 4)).toEqual([]);
  });

  it('is scored apart from the advice to set an alert', () => {
    const scores = judgeWaits(past, [wait(0, 79, { action: 'SET_ALERT' }), wait(0, 85)], 4);
    expect(scores.map(({ action, kept }) => [action, kept])).toEqual([
      ['WAIT', 1],
      ['SET_ALERT', 0],
    ]);
  });
});
