import { describe, expect, it } from 'vitest';
import { type Growth, growthOf } from '../../src/tui/data/queries.ts';

const NOW = Date.UTC(2026, 0, 31);
const HOUR_MS = 3_600_000;
const base = { now: 1, min: 1, p10: 1, median: 1, mean: 1, p90: 1, max: 1, changeRatio: 0 };
const of = (hours: number | null, before: Growth | null, isOwnService = true) =>
  growthOf({ timeFrame: '24h', from: hours === null ? null : NOW - hours * HOUR_MS, base }, before, {
    now: NOW,
    isOwnService,
  });

describe('figures of a history that is being filled', () => {
  it('are asked for again soon while each answer reaches further back, and as ever once they reach far enough', () => {
    const first = of(1, null);
    const second = of(5, first);
    expect([first.soonerMs, second.soonerMs]).toEqual([3_000, 3_000]);
    expect(of(24, second).soonerMs).toBeNull();
    // Buckets begin inside their window.
    expect(of(23, second).soonerMs).toBeNull();
  });

  it('are asked for ever less often while nothing is added, however young the chain is', () => {
    let growth = of(1, null);
    const waits = Array.from({ length: 9 }, () => {
      growth = of(1, growth);
      return growth.soonerMs;
    });
    expect(waits.slice(0, 3)).toEqual([6_000, 12_000, 24_000]);
    expect(waits.at(-1)).toBe(300_000);
    expect(of(2, growth).soonerMs).toBe(3_000);
  });

  it('count against the quota of another service, which is asked less often', () => {
    expect(of(1, null, false).soonerMs).toBe(15_000);
  });

  it('are not asked for sooner where nobody says how far they reach', () => {
    expect(of(null, null).soonerMs).toBeNull();
  });
});
