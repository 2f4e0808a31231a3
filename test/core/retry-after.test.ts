import { describe, expect, it } from 'vitest';
import { retryAfterSec } from '../../src/core/retry-after.ts';

describe('Retry-After', () => {
  const now = Date.UTC(2026, 0, 20, 12);
  it.each([
    ['30', 30],
    ['0', 0],
    ['1.2', 2],
    ['Tue, 20 Jan 2026 12:01:30 GMT', 90],
    ['Tue, 20 Jan 2026 11:00:00 GMT', 0],
    ['172800', 172_800],
    ['7776000', 7_776_000],
    ['999999999999', 1_000_000_000],
    ['-5', null],
    ['soon', null],
    ['', null],
    [null, null],
  ])('%j is %j seconds', (header, seconds) => {
    expect(retryAfterSec(header, now)).toBe(seconds);
  });
});
