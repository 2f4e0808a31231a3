import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Column, Rolling } from '../../src/core/engine/history.ts';
import { SortedValues, WholeSum } from '../../src/core/engine/rolling.ts';

const price = fc.integer({ min: 0, max: 20 });
const prices = fc.array(price, { minLength: 1, maxLength: 600 });

function naiveQuantile(values: readonly number[], q: number): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted.find((value) => sorted.filter((other) => other <= value).length >= q * sorted.length) ?? null;
}

it('sorted values return quantiles and counts like a sorted copy', () => {
  fc.assert(
    fc.property(prices, fc.double({ min: 0.01, max: 1, noNaN: true }), price, (values, q, mark) => {
      const sorted = new SortedValues();
      for (const value of values) sorted.add(value);
      expect(sorted.quantile(q)).toBe(naiveQuantile(values, q));
      expect(sorted.countBelow(mark)).toBe(values.filter((value) => value < mark).length);
    }),
  );
});

it('a rolling tally is the same as one made afresh, wherever its stretch moves, forwards, back or away', () => {
  const stretch = fc.tuple(fc.nat(599), fc.nat(599)).map(([a, b]) => ({
    from: Math.min(a, b),
    to: Math.max(a, b),
  }));
  fc.assert(
    fc.property(prices, fc.array(stretch, { minLength: 1, maxLength: 8 }), (values, stretches) => {
      const column = new Column(600);
      const known = values.map((value) => (value % 7 === 0 ? Number.NaN : value));
      for (let block = 0; block < 600; block += 1) column.put(block, known[block % known.length] ?? 0);
      let span = { from: 0, to: 0 };
      const sorted = new Rolling(column, new SortedValues(), () => span);
      const sum = new Rolling(column, new WholeSum(), () => span);
      for (span of stretches) {
        const { from, to } = span;
        const expected: number[] = [];
        for (let block = from; block < to; block += 1) {
          if (!Number.isNaN(column.at(block))) expected.push(column.at(block));
        }
        expect(sorted.tally.size).toBe(expected.length);
        expect(sorted.tally.quantile(0.9)).toBe(naiveQuantile(expected, 0.9));
        expect(sum.tally.count).toBe(expected.length);
        expect(sum.tally.sum).toBe(expected.reduce((total, value) => total + value, 0));
      }
    }),
  );
});
