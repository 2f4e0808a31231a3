import { describe, expect, it } from 'vitest';
import { quantileOfSorted, quantiles } from '../../src/core/percentiles.ts';

describe('quantiles', () => {
  it('interpolates between neighbours', () => {
    expect(quantiles([4, 1, 3, 2], [0, 0.5, 1, 0.25])).toEqual([1, 2.5, 4, 1.75]);
  });

  it('of one number is that number, of none is not a number', () => {
    expect(quantiles([7], [0.1, 0.9])).toEqual([7, 7]);
    expect(quantileOfSorted([], 0.5)).toBeNaN();
  });
});
