import fc from 'fast-check';
import { expect, it } from 'vitest';
import { priceBeside } from '../../../src/core/units.ts';

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
