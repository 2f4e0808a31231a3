import { describe, expect, it } from 'vitest';
import { timeLabels } from '../../../src/tui/panes/chart/chart-plot.tsx';
import { clockText, weekdayText, zoneText } from '../../../src/tui/ui/time.ts';
import { atPlace } from '../sized-screen.tsx';
import { NOON } from './chart-answer.ts';

const slots = (count: number, stepSec: number) =>
  Array.from({ length: count }, (_, i) => ({ timestamp: NOON - (count - 1 - i) * stepSec * 1_000 }));
const texts = (count: number, stepSec: number, width: number) =>
  timeLabels(slots(count, stepSec), width).map(({ text }) => text);

describe('timeLabels', () => {
  it('labels round times of the place', () => {
    expect(texts(300, 12, 71)).toEqual(['11:10', '11:20', '11:30', '11:40', '11:50', '12:00']);
    atPlace('Asia/Kolkata');
    expect(texts(288, 300, 60).at(-1)).toBe('16:00');
  });

  it('names the day at midnight and the date where steps are days', () => {
    expect(texts(288, 300, 71)).toContain('Mon 5');
    expect(texts(360, 7_200, 71)).toContain('18 Dec');
  });

  it('has fewer labels where there is less room, and none without slots', () => {
    expect(texts(300, 12, 200).length).toBeGreaterThan(texts(300, 12, 40).length);
    expect(timeLabels([], 71)).toEqual([]);
  });
});

describe('local time', () => {
  it('writes offsets as people do', () => {
    expect([0, 120, -210, 330].map(zoneText)).toEqual(['UTC', 'UTC+2', 'UTC−3:30', 'UTC+5:30']);
  });

  it('reads clocks and days at the place', () => {
    atPlace('Pacific/Tongatapu');
    expect(clockText(NOON)).toBe('01:00');
    expect(weekdayText(NOON)).toBe('Tue');
  });
});
