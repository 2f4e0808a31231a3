import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  exactAmount,
  formatAge,
  formatChange,
  formatCount,
  formatDuration,
  formatGwei,
  formatLikelihood,
  formatNative,
  formatPercent,
  formatUsd,
  gweiString,
  nativeString,
  priceBeside,
} from '../../src/core/units.ts';

const GWEI = 10n ** 9n;

describe('a price in gwei', () => {
  it.each([
    [41_200_000n, '0.0412'],
    [41_249_999n, '0.0412'],
    [41_250_000n, '0.0413'],
    [1_352n * GWEI, '1,352'],
    [1n, '0.000000001'],
    [12n, '0.000000012'],
    [0n, '0'],
    [50_000_000n, '0.0500'],
    [9_996_000_000n, '10.0'],
    [999_600_000_000n, '1,000'],
    [99_960_000_000n, '100'],
    [GWEI, '1.00'],
    [12_345_678_901n, '12.3'],
    [1_234_567n * GWEI, '1,234,567'],
    [-41_200_000n, '−0.0412'],
    [3_000_000n * GWEI, '3,000,000'],
    [2n ** 53n - 1n, 'over 9,007,199'],
    [10n ** 18n, 'over 9,007,199'],
  ])('of %d wei is written %s', (wei, text) => {
    expect(formatGwei(wei)).toBe(text);
  });

  it('keeps three digits right at every size, and is never 0 for a price above 0', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 2n ** 53n - 2n }), (wei) => {
        const shown = Number(formatGwei(wei).replaceAll(',', ''));
        expect(shown).toBeGreaterThan(0);
        expect(Math.abs(shown - Number(wei) / 1e9)).toBeLessThanOrEqual((Number(wei) / 1e9) * 0.00501);
        expect(formatGwei(wei)).not.toMatch(/e/);
      }),
    );
  });

  it('says that a mean that is not a number is unknown', () => {
    expect(formatGwei(Number.NaN)).toBe('—');
    expect(formatGwei(41_200_000.4)).toBe('0.0412');
  });

  it('loses no wei where a machine reads it', () => {
    expect(gweiString(41_234_567n)).toBe('0.041234567');
    expect(gweiString(1n)).toBe('0.000000001');
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 20n }), (wei) => {
        const [whole = '', fraction = ''] = gweiString(wei).split('.');
        expect(BigInt(whole + fraction.padEnd(9, '0'))).toBe(wei);
      }),
    );
  });
});

describe('amounts for people', () => {
  it('writes signed and paid amounts to the last wei', () => {
    expect(exactAmount(0n, 'ETH')).toBe('0 ETH');
    expect(exactAmount(1n, 'ETH')).toBe('1 wei');
    expect(exactAmount(999_999_999n, 'ETH')).toBe('999,999,999 wei');
    expect(exactAmount(10n ** 9n, 'ETH')).toBe('0.000000001 ETH');
    expect(exactAmount(20_000n * 10n ** 18n + 5n * 10n ** 17n, 'ETH')).toBe('20,000.5 ETH');
    expect(nativeString(0n)).toBe('0');
    expect(nativeString(1n)).toBe('0.000000000000000001');
    expect(nativeString(10n ** 16n)).toBe('0.01');
    expect(nativeString(1_234n * 10n ** 18n + 1n)).toBe('1234.000000000000000001');
    expect(nativeString(5n * 10n ** 18n)).toBe('5');
  });

  it.each<[string, string]>([
    [formatNative(1_050_000_000_000n, 'ETH'), '0.00000105 ETH'],
    [formatNative(10n ** 18n, 'ETH'), '1.00 ETH'],
    [formatUsd(0.00318), '$0.0032'],
    [formatUsd(0.003), '$0.003'],
    [formatUsd(0.0213), '$0.021'],
    [formatUsd(0.0999), '$0.10'],
    [formatUsd(12.304), '$12.30'],
    [formatUsd(1_234.5), '$1,234.50'],
    [formatUsd(0.00001), '<$0.0001'],
    [formatUsd(0), '$0'],
    [formatDuration(12), '12s'],
    [formatDuration(84), '1m24s'],
    [formatDuration(290), '4m50s'],
    [formatDuration(3_600), '1h'],
    [formatDuration(3_900), '1h05m'],
    [formatDuration(183_600), '2d03h'],
    [formatDuration(59.6), '1m'],
    [formatDuration(364 * 86_400), '364d'],
    [formatDuration(3_977 * 86_400 + 61_200), '10y327d'],
    [formatDuration(31_536_000), '1y'],
    [formatLikelihood(0.83), '83 %'],
    [formatLikelihood(0.994), 'over 99 %'],
    [formatLikelihood(1), 'over 99 %'],
    [formatLikelihood(0.99), '99 %'],
    [formatLikelihood(0.009), 'under 1 %'],
    [formatLikelihood(0), 'under 1 %'],
    [formatChange(0.0344), '+3.4 %'],
    [formatChange(0), '0.0 %'],
    [formatChange(8.994), '+899.4 %'],
    [formatChange(9), '×10'],
    [formatChange(692.733), '×694'],
    [formatChange(1_034.543), '×1,036'],
    [formatChange(193_143_551_925.857), '> ×9,999'],
    [formatAge(4.9), '4s ago'],
    [formatAge(-1), 'now'],
    [formatPercent(0.194), '19 %'],
    [formatPercent(-0.0214, 1), '−2.1 %'],
    [formatPercent(-0.0001), '0 %'],
    [formatCount(24_337_604), '24,337,604'],
  ])('%s is %s', (text, expected) => expect(text).toBe(expected));
});

it('a price that three digits would round to its threshold is shown whole', () => {
  expect(priceBeside(4_999_600_000n, 5_000_000_000n)).toBe('4.9996');
  expect(priceBeside(4_871_234_567n, 5_000_000_000n)).toBe('4.87');
  expect(priceBeside(1_352_400_000_000n, 1_352_000_000_000n)).toBe('1352.4');
  expect(priceBeside(5_000_000_000n, 5_000_000_000n)).toBe('5.00');
});

it('the shown price is on the right side of the threshold', () => {
  const wei = fc.bigInt({ min: 1n, max: 1_000_000n * 10n ** 9n });
  fc.assert(
    fc.property(wei, fc.bigInt({ min: -1_000n, max: 1_000n }), (threshold, by) => {
      const price = threshold + by < 0n ? 0n : threshold + by;
      const told = Number(priceBeside(price, threshold).replaceAll(',', '')) - Number(threshold) / 1e9;
      expect(Math.sign(told)).toBe(Math.sign(Number(price - threshold)));
    }),
  );
});
