import { describe, expect, it } from 'vitest';
import { cheaperThan, thereAgain } from '../../../src/tui/data/alert-prefill.ts';

const gwei = (value: number) => BigInt(Math.round(value * 1e9));
const words = ({ condition, threshold }: { condition: string; threshold: string }) =>
  `${condition} ${threshold}`;

describe('an alert from the present price', () => {
  it.each([
    [0.0507, '0.05'],
    [12.34, '12'],
    [0.05, '0.05'],
    [0.000000007, '0.000000007'],
    [1_352, '1300'],
  ])('at %d gwei waits for less than %s', (price, threshold) => {
    expect(words(cheaperThan(gwei(price)))).toBe(`LESS_THAN ${threshold}`);
  });

  it('leaves the threshold to the user where gas costs nothing', () => {
    expect(cheaperThan(0n).threshold).toBe('');
  });
});

it.each([
  // A dip waits for less than a little more than it, so that the dip itself would have fired.
  [0.0312, 0.0507, 'LESS_THAN 0.032'],
  [0.03, 0.0507, 'LESS_THAN 0.031'],
  // A peak warns from a little less than it on.
  [0.0912, 0.0507, 'GREATER_THAN 0.091'],
  [0.09, 0.0507, 'GREATER_THAN 0.089'],
  // Near the present price more digits keep it from firing at once.
  [0.0505, 0.0507, 'LESS_THAN 0.0506'],
  [0.0509, 0.0507, 'GREATER_THAN 0.0508'],
  [0.0507, 0.0507, 'LESS_THAN 0.05'],
])('an alert from a price of the past of %d gwei, while it is %d, is %s', (price, present, alert) => {
  expect(words(thereAgain(gwei(price), gwei(present)))).toBe(alert);
});
