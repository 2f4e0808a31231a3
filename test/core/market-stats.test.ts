import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  type AnomalyPoint,
  changeRatio,
  cheapestHourUtc,
  findAnomalies,
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
  expect(changeRatio(5, 0)).toBeNull();
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

const GWEI = 1_000_000_000;

/** Prices of one every minute; a little uneven, as prices are. */
function series(count: number, priceAt: (index: number) => number) {
  return Array.from({ length: count }, (_, index) => ({
    timestamp: 1_700_000_000 + index * 60,
    value: Math.round(priceAt(index) * (1 + 0.02 * Math.sin(index * 1.7)) * GWEI),
  }));
}

const kinds = (found: readonly AnomalyPoint[]) => found.map(({ kind }) => kind);
const indices = (found: readonly AnomalyPoint[]) =>
  found.map(({ timestamp }) => (timestamp - 1_700_000_000) / 60);

describe('anomalies of prices', () => {
  it('is nothing in a quiet series, a flat one, a free one or a short one', () => {
    expect(findAnomalies(series(300, () => 5))).toEqual([]);
    expect(findAnomalies(new Array(300).fill({ timestamp: 0, value: 7 }))).toEqual([]);
    expect(findAnomalies(new Array(300).fill({ timestamp: 0, value: 0 }))).toEqual([]);
    expect(findAnomalies(series(3, (index) => (index === 1 ? 500 : 5)))).toEqual([]);
    expect(findAnomalies([])).toEqual([]);
  });

  it('is not a daily cycle', () => {
    expect(findAnomalies(series(500, (index) => 5 + 3 * Math.sin(index / 40)))).toEqual([]);
  });

  it('is the top of a spike, once, with the point itself', () => {
    const points = series(300, (index) => [8, 20, 12][index - 150] ?? 5);
    const found = findAnomalies(points);
    expect(found).toEqual([
      {
        ...points[151],
        kind: 'SPIKE',
        first: points[150]?.timestamp,
        last: points[152]?.timestamp,
      },
    ]);
  });

  it('is a spike because of what follows, whatever preceded its point', () => {
    // The second point of the top is the one that stands furthest from what follows.
    const rise = [2, 11.8, 11.4, 9.3, 8.5, 7.7, 6.8];
    const found = findAnomalies(series(300, (index) => rise[index - 150] ?? (index > 150 ? 5 : 2)));
    expect(kinds(found)).not.toContain('ANOMALY');
  });

  it('is the bottom of a sudden dip', () => {
    const found = findAnomalies(series(300, (index) => (index === 100 ? 1 : 5)));
    expect(kinds(found)).toEqual(['ANOMALY']);
    expect(indices(found)).toEqual([100]);
  });

  it('is the first point of a level that lasts, up or down', () => {
    const found = findAnomalies(series(400, (index) => (index >= 120 && index < 260 ? 30 : 5)));
    expect(kinds(found)).toEqual(['REGIME_SHIFT', 'REGIME_SHIFT']);
    expect(indices(found)).toEqual([120, 260]);
  });

  it('tells a spike from a new level in the same series', () => {
    const found = findAnomalies(series(400, (index) => (index === 60 ? 40 : index < 200 ? 5 : 20)));
    expect(kinds(found)).toEqual(['SPIKE', 'REGIME_SHIFT']);
    expect(indices(found)).toEqual([60, 200]);
  });
});
