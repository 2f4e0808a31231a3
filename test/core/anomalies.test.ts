import { describe, expect, it } from 'vitest';
import { type AnomalyPoint, findAnomalies } from '../../src/core/market-stats.ts';

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
    expect(found).toEqual([{ ...points[151], kind: 'SPIKE' }]);
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
