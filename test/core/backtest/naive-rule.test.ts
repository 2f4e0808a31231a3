import { describe, expect, it } from 'vitest';
import { NaiveRule } from '../../../src/core/backtest/baselines.ts';
import type { Offer } from '../../../src/core/backtest/past.ts';
import { type PastBlock, pastOf } from './past-of.ts';

/** What it signs at each block, asked at every one of them as the blocks come. */
function offersOf(blocks: readonly PastBlock[], stretch = blocks.length): (Offer | null)[] {
  const rule = new NaiveRule(stretch);
  return blocks.map((_, index) => rule.offer(pastOf(blocks.slice(0, index + 1))));
}

/** Every 25 blocks the base fee falls to a `share` of 1,000 for one block. */
const dips = (count: number, share: number): PastBlock[] =>
  Array.from({ length: count }, (_, index) => ({
    baseFee: index % 25 === 0 ? 1_000 * share : 1_000,
    next: 1_000,
  }));

describe('the naive rule', () => {
  it('makes no offer before 300 whole windows, 600 on long stretches', () => {
    const offers = offersOf(dips(340, 0.8));
    expect(offers.findIndex((offer) => offer !== null)).toBe(324);
    const long = offersOf(dips(640, 0.8), 3_000);
    expect(long.findIndex((offer) => offer !== null)).toBe(624);
  });

  it('waits for the fall that nine of ten past windows had', () => {
    // Windows of 25 blocks always hold one dip to 80 %; the one that begins with it falls no further.
    expect(offersOf(dips(340, 0.8)).at(-1)).toEqual({ cap: 800, tip: 0 });
  });

  it('signs the next price where blocks rather rise', () => {
    const rising = Array.from({ length: 340 }, (_, index) => ({ baseFee: 1_000 + index }));
    expect(offersOf(rising).at(-1)).toEqual({ cap: 1_339, tip: 0 });
  });

  it('where tips are known takes the highest that the last blocks asked for, and waits for both together', () => {
    const blocks = Array.from({ length: 340 }, (_, index) => ({
      baseFee: 1_000,
      tip: index % 25 === 0 ? 50 : 10,
    }));
    expect(offersOf(blocks).at(-1)).toEqual({ cap: 1_050, tip: 50 });
  });
});
