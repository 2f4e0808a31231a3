import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  changeRatio,
  cheapestHourUtc,
  foldHeatmap,
  summarise,
  volatility,
} from '../../src/core/market-stats.ts';

const once = (values: readonly number[]) => values.map((value) => ({ value, weight: 1 }));

test('a weighted price counts as often as its weight', () => {
  const price = fc.record({ value: fc.nat(1_000), weight: fc.integer({ min: 1, max: 9 }) });
  fc.assert(
    fc.property(fc.array(price, { minLength: 1 }), (prices) => {
      const each = prices.flatMap(({ value, weight }) => Array<number>(weight).fill(value));
      expect(summarise(prices)).toEqual(summarise(once(each)));
      expect(volatility(prices)).toBeCloseTo(volatility(once(each)));
    }),
  );
});

describe('a summary of prices', () => {
  it('has whole wei in any order of prices', () => {
    const values = [10, 1, 9, 2, 8, 3, 7, 4, 6, 5, 11];
    expect(summarise(once(values))).toEqual({ min: 1, p10: 2, median: 6, mean: 6, p90: 10, max: 11 });
    expect(values[0]).toBe(10);
    expect(summarise(once([1, 2]))).toEqual({ min: 1, p10: 1, median: 2, mean: 2, p90: 2, max: 2 });
    expect(summarise(once([10, 0, 40, 20]))).toMatchObject({ p10: 3, median: 15, p90: 34 });
  });

  it('is nothing for no prices', () => {
    expect(summarise([])).toBeNull();
  });
});

it('volatility and change are relative to the mean and to the earlier price, 0 where there is none', () => {
  expect([volatility(once([5, 5, 5])), volatility(once([0, 0])), volatility([])]).toEqual([0, 0, 0]);
  expect(volatility(once([4, 6]))).toBeCloseTo(0.2);
  expect(changeRatio(11, 10)).toBeCloseTo(0.1);
  expect(changeRatio(5, 0)).toBe(0);
});

describe('the heatmap', () => {
  // Monday, 1 January 2024, 00:00 UTC.
  const monday = 1_704_067_200;
  const at = (day: number, hour: number, meanBaseFee: number, blocks = 300) => ({
    timestamp: monday + (day * 24 + hour) * 3_600 + 59,
    meanBaseFee,
    blocks,
  });

  it('starts with Monday and midnight UTC and ends with Sunday, 23 h', () => {
    const cells = foldHeatmap([at(0, 0, 10), at(6, 23, 20)]);
    expect(cells).toHaveLength(7);
    expect(cells.every((row) => row.length === 24)).toBe(true);
    expect(cells[0]?.[0]).toBe(10);
    expect(cells[6]?.[23]).toBe(20);
    expect(cells.flat().filter((cell) => cell !== null)).toHaveLength(2);
  });

  it('weighs hours of several weeks by their blocks', () => {
    expect(foldHeatmap([at(2, 5, 10, 100), at(9, 5, 40, 200)])[2]?.[5]).toBe(30);
  });

  it('leaves out hours without a block', () => {
    expect(foldHeatmap([at(0, 0, 10, 0)])[0]?.[0]).toBeNull();
  });

  it('knows the cheapest hour only after a whole day', () => {
    const day = Array.from({ length: 24 }, (_, hour) => at(0, hour, 50 + Math.abs(hour - 4)));
    expect(cheapestHourUtc(day)).toBe(4);
    expect(cheapestHourUtc(day.slice(1))).toBeNull();
    expect(cheapestHourUtc([])).toBeNull();
  });
});
