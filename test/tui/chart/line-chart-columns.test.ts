import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { columnOf, toColumns, toPeaks } from '../../../src/tui/ui/line-chart.tsx';

const values = fc.array(fc.oneof(fc.constant(null), fc.double({ min: 0, max: 1e24, noNaN: true })), {
  maxLength: 600,
});
const width = fc.integer({ min: 1, max: 300 });

describe('toColumns', () => {
  it('makes as many columns as asked for, whatever the number of values', () => {
    fc.assert(fc.property(values, width, (v, w) => toColumns({ values: v }, w).length === w));
  });

  it('never loses the lowest or the highest value', () => {
    fc.assert(
      fc.property(values, width, (v, w) => {
        const known = v.filter((value) => value !== null);
        const columns = toColumns({ values: v }, w).filter((column) => column !== null);
        fc.pre(known.length > 0);
        expect(Math.max(...columns.map(({ max }) => max))).toBe(Math.max(...known));
        expect(Math.min(...columns.map(({ min }) => min))).toBe(Math.min(...known));
      }),
    );
  });

  it('keeps each mean between its extremes and never makes NaN, even of NaN, infinities and huge values', () => {
    fc.assert(
      fc.property(fc.array(fc.double(), { maxLength: 300 }), width, (v, w) => {
        for (const column of toColumns({ values: v }, w)) {
          if (column === null) continue;
          expect(Number.isFinite(column.mean)).toBe(true);
          expect(column.min).toBeLessThanOrEqual(column.mean);
          expect(column.mean).toBeLessThanOrEqual(column.max);
        }
      }),
    );
  });

  it('leaves a gap where a column has no value, and only there', () => {
    expect(toColumns({ values: [1, null, null, null, 5, 7] }, 3)).toEqual([
      { min: 1, mean: 1, max: 1 },
      null,
      { min: 5, mean: 6, max: 7 },
    ]);
  });

  it('holds values over their share of a wider plot instead of inventing values between them', () => {
    expect(toColumns({ values: [1, 3] }, 4).map((column) => column?.mean)).toEqual([1, 1, 3, 3]);
  });
});

describe('toColumns of slots that sum up many values', () => {
  it('reaches as far as the extremes within the slots, also where a gap has some', () => {
    const slots = { values: [5, null, 6], lows: [2, 0, 6], highs: [5, 99, 9] };
    expect(toColumns(slots, 1)).toEqual([{ min: 2, mean: 5.5, max: 9 }]);
  });
});

describe('columnOf', () => {
  it('names the column that holds the value', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 600 }), width, fc.nat(), (count, w, pick) => {
        const index = pick % count;
        const spike = Array.from({ length: count }, (_, i) => (i === index ? 9 : 1));
        expect(toColumns({ values: spike }, w)[columnOf(index, count, w)]?.max).toBe(9);
      }),
    );
  });
});

describe('toPeaks', () => {
  it('draws a spike of one value at its full height', () => {
    const spike = Array.from({ length: 300 }, (_, i) => (i === 150 ? 90 : 10));
    expect(Math.max(...toPeaks(toColumns({ values: spike }, 20)).map((column) => column?.mean ?? 0))).toBe(
      90,
    );
  });
});
