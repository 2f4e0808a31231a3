import { describe, expect, it } from 'vitest';
import {
  foresight,
  type Given,
  isSettled,
  judgeHorizon,
  judgeLane,
  judgeWaits,
} from '../../../src/core/backtest/judge.ts';
import type { Offer, Past } from '../../../src/core/backtest/past.ts';
import { pastOf } from './past-of.ts';

const fees = (...baseFees: number[]): Past => pastOf(baseFees.map((baseFee) => ({ baseFee })));

describe('one offer over a window of two blocks', () => {
  const PROMISE = { withinBlocks: 2, target: 0.9 };
  const judge = (past: Past, cap: number, tip = 0) => judgeLane(past, new Map([[0, { cap, tip }]]), PROMISE);
  const past = fees(90, 100, 80);
  const rising = fees(90, 100, 112);
  const tipped = pastOf([
    { baseFee: 90, tip: 3 },
    { baseFee: 100, tip: 5 },
    { baseFee: 98, tip: 2 },
  ]);

  it.each<[string, Past, [cap: number, tip?: number], Record<string, number | null>]>([
    ['above the next base fee is in at once', past, [150], { kept: 1, saving: 0, overhang: 0.5 }],
    [
      'below it waits for the first block that takes it',
      past,
      [84],
      { kept: 1, saving: 0.2, overhang: 0.05 },
    ],
    ['below all pays what the last block asks for', past, [79], { kept: 0, saving: 0.2, overhang: null }],
    ['below all pays that, though it is more', rising, [79], { kept: 0, saving: -0.12 }],
    ['that every block would take has survived', past, [100], { survived: 1 }],
    ['that one block would not take has not', past, [99], { kept: 1, survived: 0 }],
    ['is kept late where a later block takes it', past, [84], { keptLate: 1 }],
    ['is not kept late where none does', rising, [100], { kept: 1, keptLate: 0 }],
    ['is kept late where it covers the rise', rising, [112], { kept: 1, keptLate: 1 }],
    // Cheapest 80: a cap 20 above costs 10 % of that, a cap 5 below 90 %.
    ['has a pinball loss above the cheapest block', past, [100], { pinball: 0.02 }],
    ['has a pinball loss below it', past, [75], { pinball: 0.045 }],
    // 104 leaves 4 of the tip in the first block, which asks for 5; the second asks for 2 and gets all 6.
    ['needs the tip that is left', tipped, [104, 6], { kept: 1, survived: 0, saving: 1 - 104 / 105 }],
    ['misses with less', tipped, [200, 1], { kept: 0 }],
    ['pays its whole tip', tipped, [200, 9], { saving: 1 - 109 / 105 }],
    ['pays its cap at most', tipped, [107, 9], { overhang: 0 }],
    ['saves nothing where gas is free', fees(0, 0, 0), [0], { kept: 1, saving: 0, overhang: 0, pinball: 0 }],
  ])('%s', (_, blocks, [cap, tip], expected) => {
    const score = { ...judge(blocks, cap, tip) } as Record<string, unknown>;
    for (const [name, value] of Object.entries(expected)) {
      if (value === null) expect(score[name]).toBeNull();
      else expect(score[name], name).toBeCloseTo(value, 12);
    }
  });

  it('counts each the same among many; the overhang is that of those that got in', () => {
    const caps = [120, 60, 40];
    const offers = new Map(caps.map((cap, at): [number, Offer] => [at, { cap, tip: 0 }]));
    const score = judgeLane(fees(100, 100, 100, 50, 50), offers, PROMISE);
    expect(score?.judged).toBe(3);
    expect(score?.kept).toBeCloseTo(2 / 3, 12);
    // At once for 100; at 50 instead of 100; missed, and the last block asks for 50 as the next did.
    expect(score?.saving).toBeCloseTo((0 + 0.5 + 0) / 3, 12);
    expect(score?.overhang).toBeCloseTo((0.2 + 0.2) / 2, 12);
    expect(judgeLane(past, new Map(), PROMISE)).toBeNull();
  });

  it('by perfect foresight asks exactly for the cheapest block, base fee and tip together', () => {
    const blocks = [
      { baseFee: 90 },
      { baseFee: 100, tip: 5 },
      { baseFee: 98, tip: 1 },
      { baseFee: 10, tip: 0 },
    ];
    const past = pastOf(blocks);
    expect(foresight(past, 0, PROMISE)).toEqual({ cap: 99, tip: 1 });
    expect(judge(past, 99, 1)).toMatchObject({ kept: 1, overhang: 0, pinball: 0, saving: 1 - 99 / 105 });
    expect(foresight(past, 2, PROMISE)).toBeNull();
    expect([0, 1, 2].map((at) => isSettled(past, at, PROMISE))).toEqual([true, true, false]);
  });
});

/** 100 at t = 0, then 100, 80, 120, 120, each 12 s on. */
const past = fees(100, 100, 80, 120, 120);

describe('a target price', () => {
  type Stated = readonly [price: number, probability: number | null];
  const NO_TARGET: Stated[] = [[0, null]];
  const judge = (past: Past, stated: readonly Stated[], horizonSec = 24) => {
    const given = stated.map(([price, probability], at) => ({
      at,
      targets: [{ horizonSec, price, probability }],
    }));
    return judgeHorizon(past, given, horizonSec);
  };

  it.each<[string, Past, Stated[], [kept: number, saving: number, foresight: number]]>([
    ['is reached at the price of its block', past, [[85, 0.9]], [1, 0.2, 0.2]],
    ['is paid at the first block, not the cheapest', past, [[100, 0.9]], [1, 0, 0.2]],
    // From the second block: next 80, then 120.
    ['pays its last block after a miss', past, [...NO_TARGET, [79, 0.5]], [0, -0.5, 0]],
    ['saves nothing where gas is free', fees(0, 0, 0, 0, 0), [[0, 0.9]], [1, 0, 0]],
  ])('%s', (_, past, stated, expected) => {
    const { judged, kept, saving, foresight } = judge(past, stated) ?? expect.fail('not judged');
    expect(judged).toBe(1);
    for (const [at, value] of [kept, saving, foresight].entries())
      expect(value).toBeCloseTo(expected[at] ?? 0, 12);
  });

  it('is compared with base fee plus minimum tip where tips are known', () => {
    const tips = [1, 15, 2, 1];
    const tipped = pastOf([100, 90, 100, 100].map((baseFee, at) => ({ baseFee, tip: tips[at] ?? 0 })));
    expect(judge(tipped, [[102, 0.9]])).toMatchObject({ kept: 1, saving: 1 - 102 / 105 });
  });

  it('is not judged without a probability, before its time is over, or without a block in it', () => {
    expect(judge(past, [[85, null]])).toBeNull();
    // 24 s after the third block the recording ends: whether another block came in that second is unknown.
    expect(judge(past, Array(5).fill([200, 0.9]))?.judged).toBe(2);
    const slow = pastOf([0, 60, 120].map((time) => ({ baseFee: 90, time })));
    expect(judge(slow, [[95, 0.9]])).toBeNull();
    expect(judge(slow, [[95, 0.9]], 60)?.judged).toBe(1);
  });

  it('is calibrated by the distance between stated and kept in groups of five points', () => {
    // Four at 0.9 all kept, two at 0.6 both missed.
    const stated = Array.from({ length: 6 }, (_, at): Stated => (at < 4 ? [100, 0.9] : [99, 0.6]));
    const score = judge(fees(...Array<number>(10).fill(100)), stated);
    expect(score?.calibration).toEqual([
      { size: 2, stated: 0.6, kept: 0 },
      { size: 4, stated: 0.9, kept: 1 },
    ]);
    expect(score?.calibrationError).toBeCloseTo((2 * 0.6 + 4 * 0.1) / 6, 12);
    expect(judge(past, [[100, 1]])?.calibration).toEqual([{ size: 1, stated: 1, kept: 1 }]);
  });
});

describe('the advice to wait', () => {
  const wait = (
    at: number,
    price: number,
    more: Partial<Given['wait']> = {},
  ): Pick<Given, 'at' | 'wait'> => ({
    at,
    wait: { action: 'WAIT', price, deadlineSec: 24, probability: 0.9, expectedSaving: 0.1, ...more },
  });
  const others = [1, 2, 3].map((at) => ({ at, wait: null }));

  it('is reached by the first timely block at or below it, at that block’s price', () => {
    expect(judgeWaits(past, [wait(0, 85), ...others])).toEqual([
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
    expect(judgeWaits(past, [wait(1, 79)])).toMatchObject([{ kept: 0, saving: 1 - 120 / 80 }]);
  });

  it('counts nothing while its time is not over, and where no block came in it', () => {
    expect(judgeWaits(past, [wait(2, 79), wait(0, 85, { deadlineSec: 5 })])).toEqual([]);
  });

  it('is scored apart from the advice to set an alert', () => {
    const scores = judgeWaits(past, [wait(0, 79, { action: 'SET_ALERT' }), wait(0, 85)]);
    expect(scores.map(({ action, kept }) => [action, kept])).toEqual([
      ['WAIT', 1],
      ['SET_ALERT', 0],
    ]);
  });
});
