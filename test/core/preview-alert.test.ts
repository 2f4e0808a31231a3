import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AlertRule, type PriceAtBlock, previewAlert } from '../../src/core/alerts/alert-rule.ts';
import { rounds } from '../helpers/rounds.ts';

const BLOCK_SEC = 12;
const rule = (change: Partial<AlertRule> = {}): AlertRule => ({
  lane: 'average',
  condition: 'LESS_THAN',
  threshold: 10n,
  hysteresis: 0n,
  confirmBlocks: 1,
  cooldownMs: 0,
  disableOnce: false,
  ...change,
});
const series = (prices: readonly number[]): PriceAtBlock[] =>
  prices.map((price, index) => ({
    number: 100 + index,
    timestamp: 1_000 + index * BLOCK_SEC,
    price: BigInt(price),
  }));

/**
 * The rule once more, told as a story over the whole series instead of a step per block: where does it begin to hold,
 * has it held long enough, and from where on may it begin again.
 */
function plainFirings(alert: AlertRule, prices: readonly PriceAtBlock[]): number[] {
  const below = alert.condition === 'LESS_THAN';
  const holds = ({ price }: PriceAtBlock) => (below ? price < alert.threshold : price > alert.threshold);
  const isBack = ({ price }: PriceAtBlock) =>
    below
      ? price >= alert.threshold + alert.hysteresis
      : price <= (alert.hysteresis > alert.threshold ? 0n : alert.threshold - alert.hysteresis);
  const fired: number[] = [];
  let from = 0;
  while (from < prices.length) {
    // The first stretch of `confirmBlocks` blocks from there on in which it holds throughout.
    const end = prices.findIndex((_, index) => {
      const begin = index - alert.confirmBlocks + 1;
      return begin >= from && prices.slice(begin, index + 1).every(holds);
    });
    const firing = prices[end];
    if (firing === undefined) break;
    fired.push(end);
    if (alert.disableOnce) break;
    const waits = alert.hysteresis > 0n || alert.cooldownMs === 0;
    const left = waits ? prices.findIndex((price, index) => index > end && isBack(price)) : end;
    const cooled = prices.findIndex(
      ({ timestamp }, index) => index > end && timestamp >= firing.timestamp + alert.cooldownMs / 1_000,
    );
    if (left < 0 || cooled < 0) break;
    from = Math.max(left, cooled);
  }
  return fired;
}

describe('the preview of an alert', () => {
  it('is to fire each time the price goes there, and each time the cooldown is over while it stays', () => {
    const prices = series([12, 9, 8, 11, 7, 7, 10, 9]);
    expect(previewAlert(rule(), prices)).toEqual({ times: 3, last: prices[7] });
    expect(previewAlert(rule({ condition: 'GREATER_THAN' }), prices)).toEqual({ times: 2, last: prices[3] });
    const staying = series(Array.from({ length: 11 }, () => 9));
    expect(previewAlert(rule(), staying)).toEqual({ times: 1, last: staying[0] });
    const cooldownMs = 5 * BLOCK_SEC * 1_000;
    expect(previewAlert(rule({ cooldownMs }), staying)).toEqual({ times: 3, last: staying[10] });
  });

  it('is nothing where the price never went there, or nothing is known of it', () => {
    expect(previewAlert(rule(), series([10, 11, 12]))).toEqual({ times: 0, last: null });
    expect(previewAlert(rule(), [])).toEqual({ times: 0, last: null });
  });

  it('is once for an alert that disables itself', () => {
    const prices = series([9, 11, 9]);
    expect(previewAlert(rule({ disableOnce: true }), prices)).toEqual({ times: 1, last: prices[0] });
  });

  it('agrees with the rule for all rules and prices', () => {
    const rules = fc.record({
      lane: fc.constant('average' as const),
      condition: fc.constantFrom('LESS_THAN' as const, 'GREATER_THAN' as const),
      threshold: fc.bigInt(1n, 12n),
      hysteresis: fc.bigInt(0n, 4n),
      confirmBlocks: fc.integer({ min: 1, max: 4 }),
      cooldownMs: fc.integer({ min: 0, max: 10 }).map((blocks) => blocks * BLOCK_SEC * 500),
      disableOnce: fc.boolean(),
    });
    fc.assert(
      fc.property(rules, fc.array(fc.integer({ min: 0, max: 14 }), { maxLength: 60 }), (alert, values) => {
        const prices = series(values);
        const fired = plainFirings(alert, prices);
        expect(previewAlert(alert, prices)).toEqual({
          times: fired.length,
          last: prices[fired.at(-1) ?? -1] ?? null,
        });
      }),
      { numRuns: rounds(2_000) },
    );
  });
});
