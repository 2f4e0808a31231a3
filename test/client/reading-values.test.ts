import { describe, expect, it } from 'vitest';
import { readFee, readTime } from '../../src/client/values.ts';

describe('a fee', () => {
  it.each([
    [0.0412, 41_200_000n],
    ['0.0412', 41_200_000n],
    [99_999, 99_999_000_000_000n],
    [100_000, 100_000n],
    ['41200000', 41_200_000n],
    ['1e-9', 1n],
    [1e-9, 1n],
    ['0.0000000004', 0n],
    ['0.0000000005', 1n],
    [' 3 ', 3_000_000_000n],
    [0, 0n],
    ['.5', 500_000_000n],
  ])('whose name says no unit is read by its size: %j', (value, wei) => {
    expect(readFee(value, 'guess')).toBe(wei);
  });
});

describe('a time', () => {
  const noon = Date.UTC(2026, 0, 20, 12);
  it.each([
    '2026-01-20T12:00:00Z',
    '2026-01-20T12:00:00.000000Z',
    '2026-01-20T12:00',
    '2026-01-20 12:00:00',
    '2026-01-20T13:00:00+01:00',
    '2026-01-20T13:00:00+0100',
    noon,
    noon / 1_000,
    String(noon / 1_000),
  ])('is UTC in any usual form: %j', (value) => {
    expect(readTime(value)).toBe(noon);
  });
});
