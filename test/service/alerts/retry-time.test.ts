import { describe, expect, it } from 'vitest';
import { GIVE_UP_AFTER_MS, nextTryAt } from '../../../src/service/alerts/dispatcher.ts';

const SINCE = 1_768_478_400_000;

/** Every pause in seconds when each try fails at once. */
function pauses(retryAfterSec: number | null = null, random = 0.5): number[] {
  const found: number[] = [];
  let now = SINCE;
  for (let tries = 1; ; tries += 1) {
    const next = nextTryAt({ tries, triesSince: SINCE, now, retryAfterSec, random });
    if (next === null) return found;
    found.push((next - now) / 1_000);
    now = next;
  }
}

describe('a delivery that keeps failing', () => {
  it('is tried again after 5 s, 15 s, 1 m, 5 m, 15 m, 30 m, then hourly, and last when a day has passed', () => {
    const found = pauses();
    expect(found.slice(0, 9)).toEqual([5, 15, 60, 300, 900, 1_800, 3_600, 3_600, 3_600]);
    expect(found.reduce((sum, pause) => sum + pause, 0)).toBe(GIVE_UP_AFTER_MS / 1_000);
    expect(found).toHaveLength(30);
  });

  it('is tried again up to a fifth sooner or later, by chance', () => {
    expect(pauses(null, 0)[0]).toBe(4);
    expect(pauses(null, 1)[0]).toBe(6);
  });

  it('waits as long as the receiver asks, but never less than it would and never above six hours', () => {
    expect(pauses(120).slice(0, 4)).toEqual([120, 120, 120, 300]);
    expect(pauses(1)[0]).toBe(5);
    expect(pauses(1e12).slice(0, 3)).toEqual([21_600, 21_600, 21_600]);
  });
});
