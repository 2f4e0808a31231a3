import { describe, expect, it } from 'vitest';
import { LANES } from '../../../src/core/advice.ts';
import { NAIVE_RULE, PEERS } from '../../../src/core/backtest/baselines.ts';
import type { Past } from '../../../src/core/backtest/past.ts';
import { type PastBlock, pastOf } from './past-of.ts';

const GWEI = 1e9;

const offers = (name: string, past: Past) =>
  LANES.map((lane) => PEERS.find(({ rule }) => rule === name)?.offer(past, past.blocks.length - 1, lane));

const repeated = (count: number, block: PastBlock): PastBlock[] => Array.from({ length: count }, () => block);

/** p10 tips of 10, 30, 90, 50 gwei, 15 gwei more at p25 and 25 more again at p50; 20 gwei of base fee at the head. */
const tipped = pastOf(
  [10, 30, 90, 50].map((tip) => ({
    baseFee: 20 * GWEI,
    ladder: [0, 15, 40, 50, 60, 70, 80].map((more) => (tip + more) * GWEI),
    next: 21 * GWEI,
  })),
);

describe('a peer', () => {
  it.each([
    // Base fee 101 wei at the head and 113 to come.
    ['geth', [202, 202, 202]],
    ['viem', [121, 121, 121]],
    ['MetaMask', [111, 121, 126]],
    ['Blockscout', [113, 113, 113]],
  ])('without tips is %s: it signs its multiple of the base fee, rounded down, and no tip', (name, caps) => {
    const bare = pastOf([{ baseFee: 90 }, { baseFee: 101, next: 113 }]);
    expect(offers(name, bare)).toEqual(caps.map((cap) => ({ cap, tip: 0 })));
  });

  it.each([
    // 10, 30, 50, 90: the second of four (index 1.8 cut off).
    ['geth', 40, [30, 30, 30]],
    ['viem', 24, [30, 30, 30]],
    // p20 lies 10 gwei above p10, p30 20 gwei above; the lower median, less some.
    ['MetaMask', [22, 24, 25], [28.2, 38.8, 49]],
    // p35 is 25 gwei above p10, p60 44, p90 60; the p10s have a mean of 45.
    ['Blockscout', 21, [70, 89, 105]],
  ])('with tips is %s: it adds the one of its rule', (name, bases, tips) => {
    const expected = tips.map((tip, lane) => {
      const base = typeof bases === 'number' ? bases : (bases[lane] ?? 0);
      return { cap: base * GWEI + tip * GWEI, tip: tip * GWEI };
    });
    expect(offers(name, tipped)).toEqual(expected);
  });

  it("that takes the node's tip looks back 20 blocks, ignores tips under 2 wei, and takes 500 gwei at most", () => {
    const tipAfter = (blocks: readonly PastBlock[]) => offers('geth', pastOf(blocks))[2]?.tip;
    const block = (tip: number) => ({ baseFee: 8, tip });
    expect(tipAfter([...repeated(5, block(999)), ...repeated(20, block(7))])).toBe(7);
    expect(tipAfter([...repeated(10, block(1)), ...repeated(3, block(5))])).toBe(5);
    expect(tipAfter(repeated(3, block(900 * GWEI)))).toBe(500 * GWEI);
  });

  it('MetaMask has floors of 1, 1.5 and 2 gwei, and looks back five blocks', () => {
    const past = pastOf([{ baseFee: GWEI, tip: 90 * GWEI }, ...repeated(5, { baseFee: GWEI, tip: 1_000 })]);
    expect(offers('MetaMask', past).map((offer) => offer?.tip)).toEqual([GWEI, 1.5 * GWEI, 2 * GWEI]);
  });
});

describe('the naive rule', () => {
  const offerAt = (past: Past, at = past.blocks.length - 1) => NAIVE_RULE.offer(past, at, 'slow');
  /** Every 25 blocks the base fee falls to 80 % of 1,000 for one block. */
  const dips = (count: number) =>
    pastOf(Array.from({ length: count }, (_, at) => ({ baseFee: at % 25 === 0 ? 800 : 1_000, next: 1_000 })));

  it.each([
    [340, 324],
    [3_000, 624],
  ])('of a stretch of %i blocks makes its first offer after 300 or 600 whole windows', (count, first) => {
    const past = dips(count);
    expect([offerAt(past, first - 1), offerAt(past, first) !== null]).toEqual([null, true]);
  });

  it('waits for the fall that nine of ten past windows had', () => {
    // Windows of 25 blocks always hold one dip to 80 %; the one that begins with it falls no further.
    expect(offerAt(dips(340))).toEqual({ cap: 800, tip: 0 });
  });

  it('signs the next price where blocks rather rise', () => {
    const rising = Array.from({ length: 340 }, (_, at) => ({ baseFee: 1_000 + at }));
    expect(offerAt(pastOf(rising))).toEqual({ cap: 1_339, tip: 0 });
  });

  it('where tips are known takes the highest that the last blocks asked for, and waits for both together', () => {
    const blocks = Array.from({ length: 340 }, (_, at) => ({ baseFee: 1_000, tip: at % 25 === 0 ? 50 : 10 }));
    expect(offerAt(pastOf(blocks))).toEqual({ cap: 1_050, tip: 50 });
  });
});
