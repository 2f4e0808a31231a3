import { describe, expect, it } from 'vitest';
import { foresight, isSettled, judgeLane } from '../../../src/core/backtest/judge.ts';
import { type Offer, OfferColumn, type Past } from '../../../src/core/backtest/past.ts';
import { pastOf } from './past-of.ts';

const PROMISE = { withinBlocks: 2, target: 0.9 };

function judge(past: Past, offer: Offer, at = 0) {
  const column = new OfferColumn(past.length);
  column.put(at, offer);
  const score = judgeLane(past, column, [at], PROMISE);
  if (score === null) throw new Error('nothing was judged');
  return score;
}

describe('one offer over a window of two blocks', () => {
  const past = pastOf([{ baseFee: 90 }, { baseFee: 100 }, { baseFee: 80 }]);

  it('above the next base fee is in at once, saves nothing, and pays the base fee, not the cap', () => {
    expect(judge(past, { cap: 150, tip: 0 })).toMatchObject({ kept: 1, saving: 0, overhang: 0.5 });
  });

  it('below the next base fee waits for the first block that takes it', () => {
    const { kept, saving, overhang } = judge(past, { cap: 84, tip: 0 });
    expect({ kept, saving }).toEqual({ kept: 1, saving: 1 - 80 / 100 });
    expect(overhang).toBeCloseTo(84 / 80 - 1, 12);
  });

  it('misses below all prices: pays the price of the window’s last block, and has no overhang', () => {
    expect(judge(past, { cap: 79, tip: 0 })).toMatchObject({ kept: 0, saving: 1 - 80 / 100, overhang: null });
    const rising = pastOf([{ baseFee: 90 }, { baseFee: 100 }, { baseFee: 130 }]);
    expect(judge(rising, { cap: 79, tip: 0 }).saving).toBeCloseTo(-0.3, 12);
  });

  it('survives only where every block of the window would take it', () => {
    expect(judge(past, { cap: 100, tip: 0 }).survived).toBe(1);
    expect(judge(past, { cap: 99, tip: 0 })).toMatchObject({ kept: 1, survived: 0 });
  });

  it('is kept late only where a block after the first would take it', () => {
    expect(judge(past, { cap: 84, tip: 0 }).keptLate).toBe(1);
    const rising = pastOf([{ baseFee: 90 }, { baseFee: 100 }, { baseFee: 112 }]);
    expect(judge(rising, { cap: 100, tip: 0 })).toMatchObject({ kept: 1, keptLate: 0 });
    expect(judge(rising, { cap: 112, tip: 0 })).toMatchObject({ kept: 1, keptLate: 1 });
  });

  it('has the pinball loss of its cap against the cheapest block, at the promise, over the next price', () => {
    // Cheapest 80: a cap 20 above costs 10 % of that, a cap 5 below 90 %.
    expect(judge(past, { cap: 100, tip: 0 }).pinball).toBeCloseTo((0.1 * 20) / 100, 12);
    expect(judge(past, { cap: 75, tip: 0 }).pinball).toBeCloseTo((0.9 * 5) / 100, 12);
  });
});

describe('where blocks ask for a tip', () => {
  const past = pastOf([
    { baseFee: 90, tip: 3 },
    { baseFee: 100, tip: 5 },
    { baseFee: 98, tip: 2 },
  ]);

  it('the tip left under the cap has to reach it', () => {
    // 104 leaves 4 of the tip in the first block, which asks for 5; the second asks for 2 and gets all 6.
    expect(judge(past, { cap: 104, tip: 6 })).toMatchObject({ kept: 1, survived: 0 });
    expect(judge(past, { cap: 104, tip: 6 }).saving).toBeCloseTo(1 - 104 / 105, 12);
    expect(judge(past, { cap: 200, tip: 1 }).kept).toBe(0);
  });

  it('pays a tip above the minimum, so that the price is above the cheapest', () => {
    expect(judge(past, { cap: 200, tip: 9 }).saving).toBeCloseTo(1 - 109 / 105, 12);
    expect(judge(past, { cap: 107, tip: 9 }).overhang).toBe(0);
  });
});

describe('many offers', () => {
  it('count each the same; the overhang is that of those that got in', () => {
    const past = pastOf([100, 100, 100, 50, 50].map((baseFee) => ({ baseFee })));
    const column = new OfferColumn(past.length);
    column.put(0, { cap: 120, tip: 0 });
    column.put(1, { cap: 60, tip: 0 });
    column.put(2, { cap: 40, tip: 0 });
    const score = judgeLane(past, column, [0, 1, 2], PROMISE);
    expect(score?.judged).toBe(3);
    expect(score?.kept).toBeCloseTo(2 / 3, 12);
    // At once for 100; at 50 instead of 100; missed, and the last block asks for 50 as the next did.
    expect(score?.saving).toBeCloseTo((0 + 0.5 + 0) / 3, 12);
    expect(score?.overhang).toBeCloseTo((0.2 + 0.2) / 2, 12);
  });

  it('none is no score, and an offer that was not made is a mistake of the caller', () => {
    const past = pastOf([{ baseFee: 1 }, { baseFee: 1 }, { baseFee: 1 }]);
    expect(judgeLane(past, new OfferColumn(3), [], PROMISE)).toBeNull();
    expect(() => judgeLane(past, new OfferColumn(3), [0], PROMISE)).toThrow(RangeError);
  });
});

describe('a base fee of 0', () => {
  it('gives finite figures', () => {
    const past = pastOf([{ baseFee: 0 }, { baseFee: 0 }, { baseFee: 0 }]);
    for (const figure of Object.values(judge(past, { cap: 0, tip: 0 }))) {
      expect(figure).toSatisfy(Number.isFinite);
    }
  });

  it('has neither savings nor overhang on a free chain', () => {
    const past = pastOf([{ baseFee: 0 }, { baseFee: 0 }, { baseFee: 0 }]);
    expect(judge(past, { cap: 0, tip: 0 })).toMatchObject({ kept: 1, saving: 0, overhang: 0 });
  });
});

describe('perfect foresight', () => {
  const past = pastOf([
    { baseFee: 90 },
    { baseFee: 100, tip: 5 },
    { baseFee: 98, tip: 1 },
    { baseFee: 10, tip: 0 },
  ]);

  it('asks exactly for the cheapest block of the window, base fee and tip together', () => {
    const offer = foresight(past, 0, PROMISE);
    expect(offer).toEqual({ cap: 99, tip: 1 });
    if (offer !== null) {
      expect(judge(past, offer)).toMatchObject({ kept: 1, overhang: 0, pinball: 0, saving: 1 - 99 / 105 });
    }
  });

  it('says nothing where the window is not over', () => {
    expect(foresight(past, 2, PROMISE)).toBeNull();
    expect([0, 1, 2].map((at) => isSettled(past, at, PROMISE))).toEqual([true, true, false]);
  });
});
