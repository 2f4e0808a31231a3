import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NEW_ORDER } from '../../../src/core/auto-txs/order.ts';
import {
  autoTxWakes,
  type Bid,
  capOf,
  comparedPrice,
  forecastPrice,
  isDue,
  isReached,
  type NextPrices,
  paysAt,
  type Target,
  unreachable,
} from '../../../src/core/auto-txs/target.ts';
import { rounds } from '../../helpers/rounds.ts';
import { GWEI, legacy, SIGNED } from './made-facts.ts';

const somePrice = fc.bigInt({ min: 0n, max: 12n });
const someBid: fc.Arbitrary<Bid> = fc.oneof(
  fc.record({
    gasPrice: fc.constant(null),
    maxFeePerGas: somePrice,
    maxPriorityFeePerGas: somePrice,
  }),
  fc.record({
    gasPrice: somePrice,
    maxFeePerGas: fc.constant(null),
    maxPriorityFeePerGas: fc.constant(null),
  }),
);
const someTarget: fc.Arbitrary<Target> = fc.record({
  target: fc.bigInt({ min: 1n, max: 12n }),
  lane: fc.constantFrom('slow', 'average', 'fast'),
  isStrict: fc.boolean(),
  costLimit: fc.constant(null),
});
const someNext: fc.Arbitrary<NextPrices> = fc.record({ nextBaseFee: somePrice, lanePrice: somePrice });

const always = <Given>(property: fc.IProperty<Given>) => fc.assert(property, { numRuns: rounds(3_000) });

function isWoken(order: Target, bid: Bid, { nextBaseFee, lanePrice }: NextPrices): boolean {
  const { wakeLane, wakePrice, wakeBase, cap } = autoTxWakes(order, bid);
  const byLane = wakeLane === order.lane && wakePrice !== null && lanePrice <= wakePrice;
  const byBase = wakeBase !== null && nextBaseFee <= wakeBase;
  return nextBaseFee <= cap && (byLane || byBase);
}

describe('a target', () => {
  it('is due exactly where an index of its wakes finds it', () => {
    always(
      fc.property(someTarget, someBid, someNext, (order, bid, next) => {
        expect(isWoken(order, bid, next)).toBe(isDue(order, bid, next));
      }),
    );
  });

  it('is forecast by the price at or below which it is due, where its lane pays a usual tip', () => {
    always(
      fc.property(someTarget, someBid, somePrice, somePrice, (order, bid, nextBaseFee, tip) => {
        const lanePrice = nextBaseFee + tip;
        const price = forecastPrice(order, bid, { nextBaseFee, averagePrice: lanePrice });
        expect(isDue(order, bid, { nextBaseFee, lanePrice })).toBe(price !== null && lanePrice <= price);
      }),
    );
  });

  it('that can never be reached is due at no price', () => {
    always(
      fc.property(someTarget, someBid, someNext, (order, bid, next) => {
        const facts = { ...SIGNED, ...bid };
        if (unreachable(order, facts, next.nextBaseFee > 0n) !== null)
          expect(isDue(order, bid, next)).toBe(false);
      }),
    );
  });

  it('that can be reached is due at some base fee and lane price', () => {
    always(
      fc.property(someTarget, someBid, (order, bid) => {
        const facts = { ...SIGNED, ...bid };
        const can = unreachable(order, facts, true) === null;
        expect(isDue(order, bid, { nextBaseFee: 1n, lanePrice: 1n })).toBe(can);
      }),
    );
  });

  it('never pays more than its cap, nor less than the base fee that its cap covers', () => {
    always(
      fc.property(someBid, somePrice, (bid, baseFee) => {
        const pays = paysAt(bid, baseFee);
        expect(pays).toBeLessThanOrEqual(capOf(bid));
        if (baseFee <= capOf(bid)) expect(pays).toBeGreaterThanOrEqual(baseFee);
      }),
    );
  });
});

describe('of two orders at the same prices', () => {
  const next = { nextBaseFee: 4n * GWEI, lanePrice: 6n * GWEI };
  const order = { ...NEW_ORDER, target: 5n * GWEI };

  const strict = { ...order, isStrict: true };

  it('a normal target uses its lane’s price, a strict one the transaction’s own, which a draft has not', () => {
    const old = { ...SIGNED, ...legacy(7n * GWEI) };
    expect([
      comparedPrice(order, SIGNED, next),
      comparedPrice(strict, SIGNED, next),
      comparedPrice(strict, old, next),
      comparedPrice(strict, null, next),
    ]).toEqual([6n * GWEI, 5n * GWEI, 7n * GWEI, null]);
    expect([isReached(order, SIGNED, next), isReached(strict, SIGNED, next)]).toEqual([false, true]);
    expect(unreachable(strict, old, true)).toBe('gas-price');
  });

  it('a cap below the base fee keeps it in though its target is reached', () => {
    const bid = { ...SIGNED, maxFeePerGas: 3n * GWEI };
    const reached = { ...order, target: 10n * GWEI };
    expect(isReached(reached, bid, next)).toBe(true);
    expect(isDue(reached, bid, next)).toBe(false);
  });
});
