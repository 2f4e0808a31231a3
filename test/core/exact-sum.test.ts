import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ExactSum } from '../../src/core/engine/rolling.ts';

const amount = fc.nat(Number.MAX_SAFE_INTEGER);

describe('the exact sum', () => {
  it('has no mean of nothing', () => {
    expect(new ExactSum().mean).toBeNull();
  });

  it('is as if what was taken back had never been there, however large', () => {
    fc.assert(
      fc.property(fc.array(amount, { minLength: 1 }), fc.array(amount), (kept, passing) => {
        const sum = new ExactSum();
        const untouched = new ExactSum();
        for (const value of [...passing, ...kept]) sum.add(value);
        for (const value of passing) sum.remove(value);
        for (const value of kept) untouched.add(value);
        expect(sum.mean).toBe(untouched.mean);
      }),
    );
  });

  it('is the mean that whole-number arithmetic gives', () => {
    fc.assert(
      fc.property(fc.array(amount, { minLength: 1 }), (values) => {
        const sum = new ExactSum();
        for (const value of values) sum.add(value);
        const exact = Number(values.reduce((total, value) => total + BigInt(value), 0n)) / values.length;
        expect(Math.abs((sum.mean ?? 0) - exact)).toBeLessThanOrEqual(exact * 1e-12);
      }),
    );
  });
});
