import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TIP_PERCENTILES } from '../../src/core/block.ts';
import { gasWeightedPercentiles, quantileOfSorted, quantiles } from '../../src/core/percentiles.ts';

const transactions = fc.array(
  fc.record({
    tip: fc.bigInt({ min: 0n, max: 10n ** 10n }),
    gasUsed: fc.bigInt({ min: 21_000n, max: 16_000_000n }),
  }),
  { minLength: 1, maxLength: 60 },
);

describe('gasWeightedPercentiles', () => {
  it('is zeros for an empty block', () => {
    expect(gasWeightedPercentiles([], [10, 50, 99])).toEqual([0n, 0n, 0n]);
  });

  it('weighs by gas: one large transaction moves the median', () => {
    const small = { tip: 1n, gasUsed: 21_000n };
    expect(gasWeightedPercentiles([small, small, small, { tip: 9n, gasUsed: 1_000_000n }], [5, 50])).toEqual([
      1n,
      9n,
    ]);
  });

  it('agrees with laying the gas out unit by unit', () => {
    fc.assert(
      fc.property(transactions, (txs) => {
        const total = txs.reduce((sum, tx) => sum + tx.gasUsed, 0n);
        const sorted = [...txs].sort((a, b) => Number(a.tip - b.tip));
        const naive = TIP_PERCENTILES.map((p) => {
          const threshold = BigInt(Math.trunc((Number(total) * p) / 100));
          return sorted.find(
            (_tx, i) => sorted.slice(0, i + 1).reduce((sum, tx) => sum + tx.gasUsed, 0n) >= threshold,
          )?.tip;
        });
        expect(gasWeightedPercentiles(txs, TIP_PERCENTILES)).toEqual(naive);
      }),
    );
  });

  it('ascends and takes only tips that were paid', () => {
    fc.assert(
      fc.property(transactions, (txs) => {
        const tips = gasWeightedPercentiles(txs, TIP_PERCENTILES);
        expect(tips).toEqual([...tips].sort((a, b) => Number(a - b)));
        for (const tip of tips) expect(txs.map((tx) => tx.tip)).toContain(tip);
      }),
    );
  });

  it('stops at the last transaction where the header counts more gas than the transactions', () => {
    expect(gasWeightedPercentiles([{ tip: 3n, gasUsed: 10n }], [99], 1_000n)).toEqual([3n]);
  });
});

describe('quantiles', () => {
  it('interpolates between neighbours', () => {
    expect(quantiles([4, 1, 3, 2], [0, 0.5, 1, 0.25])).toEqual([1, 2.5, 4, 1.75]);
  });

  it('of one number is that number, of none is not a number', () => {
    expect(quantiles([7], [0.1, 0.9])).toEqual([7, 7]);
    expect(quantileOfSorted([], 0.5)).toBeNaN();
  });

  it('leaves no more than its share below', () => {
    const values = fc.array(fc.integer({ min: -1_000, max: 1_000 }), { minLength: 1 });
    fc.assert(
      fc.property(values, fc.double({ min: 0, max: 1, noNaN: true }), (numbers, q) => {
        const [value = Number.NaN] = quantiles(numbers, [q]);
        const below = numbers.filter((n) => n < value - 1e-9).length;
        expect(below).toBeLessThanOrEqual(Math.ceil(q * (numbers.length - 1)));
      }),
    );
  });
});
