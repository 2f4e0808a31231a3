import { describe, expect, it } from 'vitest';
import { readDescription } from '../../../src/client/openapi.ts';
import { timeFrameSec } from '../../../src/client/values.ts';
import { chartChoices, choiceOf, hoursTimeFrame } from '../../../src/tui/panes/chart/chart-data.ts';
import { longestTimeFrame, timeFrameName } from '../../../src/tui/ui/time.ts';
import { FOREIGN_30, FOREIGN_WORDS } from '../../client/foreign-openapi.ts';

const walk = (offered: readonly string[], first: string, steps: number) =>
  Array.from({ length: steps }).reduce<string[]>(
    (seen) => [...seen, choiceOf(offered, seen.at(-1) ?? first, 1)],
    [first],
  );

describe('what t and p walk through', () => {
  it('is the contract’s where the service says nothing, from p50 up', () => {
    const { timeFrames, percentiles } = chartChoices(null);
    expect(walk(timeFrames, '1h', 4)).toEqual(['1h', '24h', '7d', '30d', '1h']);
    expect(walk(percentiles, 'p50', 5)).toEqual(['p50', 'p75', 'p90', 'p95', 'p99', 'p50']);
    expect(hoursTimeFrame(undefined)).toBe('30d');
    expect(hoursTimeFrame(null)).toBe('24h');
  });

  it('is what the service offers, in its order and its words', () => {
    const { timeFrames, percentiles } = chartChoices(readDescription(FOREIGN_30));
    expect(walk(timeFrames, '1h', 4)).toEqual(['1h', '6h', 'epoch', '7d', '1h']);
    expect(percentiles).toEqual(['p50', 'p95', 'max']);
  });

  it('begins with the first that is offered where the usual one is not', () => {
    const { timeFrames } = chartChoices(readDescription(FOREIGN_WORDS));
    expect(choiceOf(timeFrames, '1h')).toBe('today');
    expect(choiceOf(timeFrames, '1h', 1)).toBe('week');
    expect(choiceOf(timeFrames, 'week', 1)).toBe('today');
  });
});

describe('the length of a time frame', () => {
  it.each([
    ['1h', 3_600],
    ['6h', 21_600],
    ['2w', 1_209_600],
    ['30m', 1_800],
    ['7d', 604_800],
    ['epoch', null],
    ['', null],
    ['0h', null],
    ['99999h', null],
    ['constructor', null],
  ])('%j is %j s', (word, sec) => {
    expect(timeFrameSec(word)).toBe(sec);
  });

  it('is not claimed where it is not known', () => {
    expect(timeFrameName('6h')).toBe('last 6h');
    expect(timeFrameName('epoch')).toBe('time frame epoch');
    expect(longestTimeFrame(['1h', 'epoch', '90d', '24h'])).toBe('90d');
    expect(longestTimeFrame(['epoch'])).toBeNull();
  });
});
