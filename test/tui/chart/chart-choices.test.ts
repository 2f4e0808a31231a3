import { describe, expect, it } from 'vitest';
import { timeFrameSec } from '../../../src/client/values.ts';
import { longestTimeFrame, timeFrameName } from '../../../src/tui/ui/time.ts';

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
