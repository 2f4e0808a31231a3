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
  const { hours, passedSec, ...week } = localWeek(WEEK, NOON + 90_000);
  expect(passedSec).toBe(90);
  expect({ ...week, first: hours[0] }).toEqual(expected);
});

describe('cheap stretches', () => {
  const hours = flat([2, 3, 4, 50, 51, 52, 53, 54, 55, 56, 57, 58, 100, 101]);
  const words = (current: number, of: readonly number[] = hours, options = {}, passedSec = 0) =>
    hourWords({ hours: of, current, offsetMinutes: 0, passedSec }, options).map((line) =>
      line.map((segment) => segment.map(({ text }) => text).join('')).join('  '),
    );

  it.each([
    [3, 'now is a cheap hour'],
    [5, 'cheap in 1d21h: Wed 02–11h'],
    [167, 'cheap in 3h: Mon 02–05h'],
  ])('tell at hour %i of the week how long the next is away, also over its end', (current, text) => {
    expect(words(current)[2]).toContain(text);
  });

  it.each([
    ['dearer than 98 % of hours', 167, (hour: number) => (hour > 164 ? 900 : hour)],
    ['dearer than 8 % of hours', 20, (hour: number) => (hour < 14 ? 1 : 2)],
    ['cheaper than 87 % of hours', 20, (hour: number) => hour],
    ['the cheapest hour', 0, (hour: number) => hour],
    ['like every hour', 100, () => 7],
  ])('rank the hour from the side that matters: %s', (text, current, of) => {
    const values = Array.from({ length: 168 }, (_, hour) => of(hour) * 1e9);
    expect(words(current, values)[2]).toContain(`  ${text}`);
  });

  it('are said in words, the next one first', () => {
    expect(words(5)[1]).toMatch(/next first {2}Wed 02–11h 1\.00 .* Fri 04–06h 1\.00 .* Mon 02–05h 1\.00/);
  });

  it.each([
    [3_480, 'cheap in 2h02m: Mon 02–05h'],
    [60, 'cheap in 2h59m: Mon 02–05h'],
    [2_520, 'cheap in 2h18m: Mon 02–05h'],
  ])('are so far away from the minute that it is: %d s into an hour', (passedSec, text) => {
    expect(words(167, hours, {}, passedSec)[2]).toContain(text);
  });

  it.each([
    [[1, 0, 1], 'Mon 01–02h'],
    [[5, 4, 3, 2, 1, 0.5], 'Mon 05–06h'],
    [[3, 0.2, 0.1], 'Mon 02–03h'],
  ])('name the cheapest single hour of %j', (first, name) => {
    const of = WEEK.flat().map((_, hour) => (first[hour] ?? 7 + hour / 1e3) * 1e9);
    expect(words(50, of)[0]).toContain(`cheapest ${name}`);
  });

  it.each([
    [[46, 47], 'Tue 22–00h'],
    [[46, 47, 48, 49], 'Tue 22h – Wed 02h'],
    [[166, 167, 0, 1], 'Sun 22h – Mon 02h'],
  ])('name both days where they go on past midnight: %j', (cheap, name) => {
    expect(words(100, flat(cheap))[1]).toContain(`next first  ${name} 1.00`);
  });

  it('are those of the lightest shade, over the end of the week, too', () => {
    // A quarter of the hours, some of them around midnight of a Sunday.
    const of = WEEK.flat().map((_, hour) => (hour < 20 || hour > 145 ? 1 : 5 + hour / 1e3) * 1e9);
    expect(words(60, of)[1]).toBe('cheap, next first  Sun 02h – Mon 20h 1.00 (−75 %)');
  });

  it.each([
    [['usually 10.0', 'now 0.250'], null],
    [['▸ Mon 02–03h usually 1.00', '−8'], 2],
    [['▸ Sun 23–00h usually 10.0'], 167],
  ])('say of an hour what is usual, and what the price is now: %j', (texts, cursor) => {
    for (const text of texts) expect(words(30, hours, { cursor, base: 2.5e8 })[2]).toContain(text);
  });

  it('name the cheapest hour of all days as the service does', () => {
    expect(words(30, hours, { cheapestHourUtc: 3 })[0]).toContain('of all days 03–04h');
  });
});
