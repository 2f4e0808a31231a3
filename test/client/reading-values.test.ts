import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCount, readFee, readNumber, readTime, readWord } from '../../src/client/values.ts';

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

  it('is what its name says, whatever its size', () => {
    expect(readFee(7, 'wei')).toBe(7n);
    expect(readFee('99999', 'wei')).toBe(99_999n);
    expect(readFee(1_000_000, 'gwei')).toBe(1_000_000_000_000_000n);
  });

  it.each([
    -1,
    '-1',
    Number.NaN,
    Number.POSITIVE_INFINITY,
    '1e99',
    '',
    ' ',
    '.',
    'gwei',
    '0x',
    null,
    {},
    [],
    true,
    '1.2.3',
    '9'.repeat(100),
  ])('that makes no sense is none: %j', (value) => {
    expect(readFee(value, 'guess')).toBeNull();
  });

  it('given exactly in gwei with nine decimals comes back exactly', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 99_999n * 10n ** 9n), (wei) => {
        const text = `${wei / 10n ** 9n}.${(wei % 10n ** 9n).toString().padStart(9, '0')}`;
        return readFee(text, 'guess') === wei && readFee(text, 'gwei') === wei;
      }),
    );
  });

  it('never is below 0, whatever it is read from', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.jsonValue(), fc.double(), fc.string()),
        fc.constantFrom('wei', 'gwei', 'guess'),
        (value, unit) => {
          const fee = readFee(value, unit);
          return fee === null || (fee >= 0n && fee <= 10n ** 27n);
        },
      ),
    );
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

  it.each([
    'yesterday',
    '12:00',
    '2026-13-45',
    '2026-01-20T25:00',
    -5,
    Number.NaN,
    null,
    {},
    '1e300',
    '0001-01-01',
  ])('that is none is none: %j', (value) => {
    expect(readTime(value)).toBeNull();
  });
});

describe('other values', () => {
  it('are numbers, also as text, and finite', () => {
    expect(readNumber('-0.02')).toBe(-0.02);
    expect(Object.is(readNumber(-0), 0)).toBe(true);
    for (const value of ['', 'NaN', 'Infinity', '1_000', [1], Number.NaN])
      expect(readNumber(value)).toBeNull();
  });

  it('are whole counts', () => {
    expect([readCount('7'), readCount('0x10'), readCount(1.5), readCount(-1), readCount(2 ** 60)]).toEqual([
      7,
      16,
      null,
      null,
      null,
    ]);
  });

  it('are words in the spelling of the contract, or as they came', () => {
    expect(readWord('set-alert', ['SET_ALERT'])).toBe('SET_ALERT');
    expect(readWord('Moon', ['SET_ALERT'])).toBe('Moon');
    expect(readWord(' \x1b[2J ', [])).toBeNull();
  });
});
