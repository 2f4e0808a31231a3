import fc from 'fast-check';
import { expect, it } from 'vitest';
import { chartData } from '../../../src/tui/panes/chart/chart-data.ts';
import { BLOCK_MS, baseRow, hourAnswer, NOON, points, tipRows } from './chart-answer.ts';

const MINUTE = 60_000;
const FLAT = points(5, () => 10);

it('keeps every point with its own tip and its value one time frame earlier', () => {
  const of = points(300, (i) => i);
  const previous = of.map(({ timestamp, base }) => baseRow(timestamp - 60 * MINUTE, base, base / 2, base));
  const data = chartData(hourAnswer(of, { previous: { rows: previous, problem: null } }));
  expect(data.slots.map(({ base }) => base)).toEqual(of.map(({ base }) => base));
  expect(data.slots.every(({ tip }) => tip === 2e7)).toBe(true);
  expect(data.slots[100]?.previous).toBe(50e9);
});

it('leaves a hole where history has one, as long as it lasted', () => {
  const of = points(300, () => 10).filter((_, i) => i < 100 || i >= 200);
  const { slots } = chartData(hourAnswer(of));
  expect(slots).toHaveLength(300);
  expect(slots.filter(({ base }) => base === null)).toHaveLength(100);
});

it('does not take slow blocks for holes', () => {
  const of = points(300, () => 10).filter((_, i) => i % 3 !== 1);
  expect(chartData(hourAnswer(of)).slots).toHaveLength(of.length);
});

it('says how far history reaches only when that is less than the time frame', () => {
  expect(chartData(hourAnswer(points(300, () => 10))).reachSec).toBeNull();
  expect(chartData(hourAnswer(points(150, () => 10))).reachSec).toBe(149 * 12);
});

it('spreads coarse tips over finer slots and sums fine ones up', () => {
  const of = points(12, () => 10, 5 * MINUTE);
  const tip = (timestamp: number, value: number) => ({ timestamp, blockNumber: null, value });
  const coarse = [tip(NOON - 55 * MINUTE, 1), tip(NOON - 25 * MINUTE, 2)];
  const held = chartData(hourAnswer(of, { tips: { rows: coarse, problem: null } }));
  expect(held.slots.map(({ tip }) => tip)).toEqual([1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2]);
  const fine = of.flatMap(({ timestamp: at }) => [tip(at, 1), tip(at + MINUTE, 3)]);
  const summed = chartData(hourAnswer(of, { tips: { rows: fine, problem: null } }));
  expect(summed.slots.every(({ tip }) => tip === 2)).toBe(true);
});

it('takes zeros for unknown tips where the points know none', () => {
  const of = points(10, () => 10).map((point) => ({ ...point, priority: null }));
  const { slots } = chartData(hourAnswer(of, { tips: { rows: tipRows(of, 0), problem: null } }));
  expect(slots.every(({ tip }) => tip === null)).toBe(true);
});

it('has no tip for a block without transactions', () => {
  const of = points(3, () => 10).map((point, i) => (i === 1 ? { ...point, gasUsedRatio: 0 } : point));
  expect(chartData(hourAnswer(of)).slots.map(({ tip }) => tip === null)).toEqual([false, true, false]);
});

it('falls back on the median tip of the points, and only for the median', () => {
  const refused = { tips: { rows: [], problem: 'no such path' } };
  const median = chartData(hourAnswer(FLAT, { ...refused, percentile: 'p50' }));
  expect(median.slots.every(({ tip }) => tip === 1e7)).toBe(true);
  const other = chartData(hourAnswer(FLAT, refused));
  expect(other.slots.every(({ tip }) => tip === null)).toBe(true);
  expect(other.tipsProblem).toBe('no such path');
});

it('knows the extremes of the blocks that a point sums up', () => {
  const of = points(3, () => 10, 5 * MINUTE);
  const ranges = of.flatMap(({ timestamp }) => [
    baseRow(timestamp, 7e9, 10e9, 11e9),
    baseRow(timestamp + MINUTE, 9e9, 10e9, 80e9),
  ]);
  const { slots } = chartData(hourAnswer(of, { ranges }));
  expect(slots[1]).toMatchObject({ low: 7e9, base: 10e9, high: 80e9 });
});

it('counts each block once in the mean, and reaches to the newest one', () => {
  const of = points(3, () => 10, 5 * MINUTE);
  const start = of[0]?.timestamp ?? 0;
  // One block at the very end of the first slot, four in the second, two in the last.
  const at = [4, 5, 6, 7, 8, 10, 12].map((minutes) => start + minutes * MINUTE);
  const ranges = at.map((timestamp, i) => baseRow(timestamp, 1, (i + 1) * 1e9, 99e9));
  const data = chartData(hourAnswer(of, { ranges }));
  expect(data).toMatchObject({ meanBase: 4e9, reachSec: 8 * 60 });
  const head = { base: 3e9, tip: null, gasUsedRatio: 0, timestamp: NOON + BLOCK_MS };
  expect(chartData(hourAnswer(of), head)).toMatchObject({ meanBase: 10e9, now: head });
});

it('puts marks at their slots and leaves out those outside the window', () => {
  const of = points(300, () => 10);
  const answer = hourAnswer(of);
  const anomaly = (timestamp: number) => ({ timestamp, kind: 'SPIKE', value: 1 });
  const data = chartData({
    ...answer,
    chart: {
      ...answer.chart,
      anomalies: [anomaly(NOON - 10 * BLOCK_MS + 5_000), anomaly(NOON - 24 * 60 * MINUTE)],
      events: [{ timestamp: NOON, kind: 'ALERT', id: 'a' }],
    },
  });
  expect(data.marks.map(({ kind, index }) => [kind, index])).toEqual([
    ['SPIKE', 289],
    ['ALERT', 299],
  ]);
});

it('has ascending slots and loses no value, whatever the times of the points', () => {
  const gaps = fc.array(fc.integer({ min: 1, max: 600 }), { minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(gaps, (seconds) => {
      let timestamp = NOON - 3_500_000;
      const [pattern] = points(1, () => 10);
      const of = seconds.flatMap((gap, i) => {
        timestamp += gap * 1_000;
        return pattern && timestamp <= NOON ? [{ ...pattern, timestamp, base: i + 1 }] : [];
      });
      const { slots } = chartData(hourAnswer(of));
      const times = slots.map((slot) => slot.timestamp);
      expect(times).toEqual([...times].sort((a, b) => a - b));
      expect(slots.flatMap(({ base }) => base ?? [])).toEqual(of.map(({ base }) => base));
    }),
  );
});
