import { describe, expect, it } from 'vitest';
import { hourWords, localWeek } from '../../../src/tui/panes/chart/cheap-hours.tsx';
import { atPlace } from '../sized-screen.tsx';
import { NOON } from './chart-answer.ts';

const WEEK = Array.from({ length: 7 }, (_, day) =>
  Array.from({ length: 24 }, (_, hour) => (day * 24 + hour) * 1e9),
);
const flat = (cheap: readonly number[]) =>
  WEEK.flat().map((value) => (cheap.includes(value / 1e9) ? 1e9 : 10e9));

it.each([
  // Over midnight and the end of the week: noon UTC of a Monday is 14 h two hours ahead.
  ['Etc/GMT-2', { offsetMinutes: 120, current: 14, first: 166e9 }],
  ['Etc/GMT+1', { offsetMinutes: -60, current: 11, first: 1e9 }],
  // Stays in UTC where clocks are not whole hours from it.
  ['Asia/Kolkata', { offsetMinutes: 0, current: 12, first: 0 }],
])('localWeek turns UTC hours to those of %s', (zone, expected) => {
  atPlace(zone);
  const { hours, ...week } = localWeek(WEEK, NOON);
  expect({ ...week, first: hours[0] }).toEqual(expected);
});

describe('cheap stretches', () => {
  const hours = flat([2, 3, 4, 50, 51, 52, 53, 54, 55, 56, 57, 58, 100, 101]);
  const words = (current: number) =>
    hourWords({ hours, current, offsetMinutes: 0 }).map((line) =>
      line.map((segment) => segment.map(({ text }) => text).join('')).join('  '),
    );

  it.each([
    [3, 'among the cheapest'],
    [5, 'next cheap in 1d21h: Wed 02–11h'],
    [167, 'next cheap in 3h: Mon 02–05h'],
  ])('tell at hour %i of the week how long the next is away, also over its end', (current, text) => {
    expect(words(current)[1]).toContain(text);
  });

  it.each([
    ['dearer than 98 % of hours', 167, (hour: number) => (hour > 164 ? 900 : hour)],
    ['dearer than 8 % of hours', 20, (hour: number) => (hour < 14 ? 1 : 2)],
    ['cheaper than 87 % of hours', 20, (hour: number) => hour],
    ['the cheapest hour', 0, (hour: number) => hour],
    ['like every hour', 100, () => 7],
  ])('rank the hour from the side that matters: %s', (text, current, of) => {
    const values = Array.from({ length: 168 }, (_, hour) => of(hour) * 1e9);
    const rank = hourWords({ hours: values, current, offsetMinutes: 0 })[1]?.at(-1);
    expect(rank?.map((span) => span.text)).toEqual([text]);
  });

  it('are said in words', () => {
    expect(words(5)[0]).toContain('Mon 02–05h 1.00');
  });
});
