import { expect, it } from 'vitest';
import { NEW_ORDER } from '../../../src/core/auto-txs/order.ts';
import { type Inclusion, NEW_PENDING } from '../../../src/core/auto-txs/state-machine.ts';
import { paidInAll, savingsOf } from '../../../src/core/auto-txs/stored-auto-tx.ts';
import { pricesOf } from '../../../src/service/auto-txs/observation.ts';
import { GWEI, SIGNED } from './made-facts.ts';

const inclusion: Inclusion = {
  blockNumber: 12,
  blockHash: '0x0c',
  outcome: 'success',
  gasUsed: 100_000n,
  effectiveGasPrice: 5n * GWEI,
  otherFees: 7n,
  minedAt: 0,
};
const kept = {
  state: { ...NEW_PENDING, inclusion },
  order: { ...NEW_ORDER, target: 4n * GWEI },
  priceAtCreation: 13n * GWEI,
  dayMeanPrice: 4n * GWEI,
  nativeUsd: 2_500,
};

it('is told by the gas it used, against both prices, and is negative where it paid more', () => {
  expect(savingsOf(kept)).toEqual({
    atCreation: { referencePrice: 13n * GWEI, savedWei: 800_000n * GWEI, savedUsd: 2 },
    dayMean: { referencePrice: 4n * GWEI, savedWei: -100_000n * GWEI, savedUsd: -0.25 },
  });
});

it('is not made up where a price is not known', () => {
  expect(savingsOf({ ...kept, priceAtCreation: null, nativeUsd: null })).toEqual({
    atCreation: null,
    dayMean: { referencePrice: 4n * GWEI, savedWei: -100_000n * GWEI, savedUsd: null },
  });
});

it('is nothing before a block has it, where it reverted, and where its tip took it far above its target', () => {
  expect(savingsOf({ ...kept, order: { ...kept.order, target: 3n * GWEI } })).toBeNull();
  expect(savingsOf({ ...kept, state: NEW_PENDING })).toBeNull();
  const reverted = { ...inclusion, outcome: 'reverted' } as const;
  expect(savingsOf({ ...kept, state: { ...NEW_PENDING, inclusion: reverted } })).toBeNull();
});

it('is told against its own tip on the mean base fee of the day, where the chain is a day old', async () => {
  const minedAt = Date.UTC(2026, 0, 5);
  const at = (oldest: number) =>
    pricesOf(
      { signed: { ...SIGNED, maxFeePerGas: 3n * GWEI, maxPriorityFeePerGas: GWEI } },
      { minedAt },
      {
        history: {
          referencePrices: async () => ({ base: 4e9, slow: 9e9, average: 9e9, fast: 9e9 }),
          reachesBackTo: async () => oldest,
        },
        coinPrice: () => ({ nativeUsd: 2_500 }),
      },
    );
  // Its cap of 3 would not have covered the 4 of that day.
  expect(await at(minedAt / 1_000 - 86_400)).toEqual({ dayMeanPrice: 5n * GWEI, nativeUsd: 2_500 });
  expect(await at(minedAt / 1_000 - 3_600)).toEqual({ dayMeanPrice: null, nativeUsd: 2_500 });
});

it('the total cost includes blobs and posting fees', () => {
  expect(paidInAll(inclusion)).toBe(500_000n * GWEI + 7n);
});
