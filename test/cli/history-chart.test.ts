import { describe, expect, it } from 'vitest';
import { historyChart } from '../../src/cli/commands/history.ts';

const HOUR_MS = 3_600_000;
const NOON = Date.UTC(2026, 0, 5, 12);

const chart = (...means: readonly number[]): readonly string[] =>
  historyChart(
    means.map((mean, hour) => ({
      timestamp: NOON + hour * HOUR_MS,
      blockNumber: null,
      min: mean,
      mean,
      open: mean,
      close: mean,
      max: mean,
      tip: null,
      gasUsedRatio: null,
    })),
    60,
  ).split('\n');

const labels = (lines: readonly string[]) =>
  lines.slice(0, -1).map((line) => (/^ *([\d.]*) ?[┤┼]/.exec(line) ?? [])[1] ?? line);

describe('the chart of history', () => {
  it.each([
    ['one bucket', [1e9], '1.00'],
    ['a price that never changed', [1e9, 1e9, 1e9], '1.00'],
    ['means that differ by less than a wei', [7, 7.2, 6.9], '0.000000007'],
    ['nothing to pay', [0, 0], '0'],
    [
      'a price so high that a wei more is none',
      [12_345_678_901_234_568, 12_345_678_901_234_568],
      '12,345,679',
    ],
  ])('of %s is one line with its price', (_, means, price) => {
    const lines = chart(...means);
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(new RegExp(`^${price} ┼─{40,}$`));
    expect(lines[1]).toMatch(/2026-01-05 1[2-4]:00 UTC$/);
  });

  it.each([
    ['far apart', [1e9, 9e9]],
    ['near each other', [1e9, 1.02e9]],
    ['the same to three digits', [1.0001e9, 1.0004e9]],
    ['a wei apart', [1_000_000_000, 1_000_000_001]],
  ])('of prices %s names each price once, and the lowest and highest differ', (_, means) => {
    const lines = chart(...means);
    const named = labels(lines).filter((label) => label !== '');
    expect(named.length).toBeGreaterThanOrEqual(2);
    expect(new Set(named).size).toBe(named.length);
    expect(lines).toHaveLength(14);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(60);
    expect(lines.join('')).toMatch(/[╭╮]/);
  });
});
