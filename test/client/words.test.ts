import { describe, expect, it } from 'vitest';
import type { HorizonView } from '../../src/client/views/advice.ts';
import { describeMostFee, describeOutcome, describeOwnFee } from '../../src/client/views/auto-tx-texts.ts';
import { WAIT_FACTS } from '../../src/client/views/gas-texts.ts';
import { formatSavedNative, formatSavedUsd } from '../../src/core/units.ts';
import { autoTxView } from '../tui/fake-auto-txs.ts';
import { RECOMMENDATION } from '../tui/fake-gas.ts';

describe('a wait', () => {
  const wait = RECOMMENDATION.alternatives?.[0] as HorizonView;
  const said = (name: string, changed: Partial<HorizonView>) =>
    WAIT_FACTS.find(([each]) => each === name)?.[1]({ ...wait, ...changed });

  it.each([
    [0.23, '23 %'],
    [0.004, '0 %'],
    [-0.05, 'costs 5 %'],
  ])('whose saving is %d says so without a negative saving', (savingRatio, words) => {
    expect(said('saves', { savingRatio })).toBe(words);
  });

  it.each([
    [0.14, 'costs 14 %'],
    [-0.54, 'saves 54 %'],
    [-0.001, 'saves 0 %'],
    [null, null],
  ])('whose miss costs %d says so without a negative cost', (missRatio, words) => {
    expect(said('if not', { missRatio })).toBe(words);
  });
});

it.each([
  [3, 12, 'by 3 of 12 blocks'],
  [12, 12, 'by 12 blocks; final after 12'],
  [1_461, 12, 'by 1,461 blocks; final after 12'],
  [1, null, 'by 1 block'],
  [null, 12, null],
])(
  'an auto-tx with %s of %s confirmations says how many there are, and how many it takes',
  (count, needed, words) => {
    const autoTx = autoTxView({ confirmations: count, confirmationsNeeded: needed });
    expect(Object.fromEntries(describeOutcome(autoTx, String)).confirmed ?? null).toBe(words);
  },
);

it.each([
  [5_123_000_000_000n, 0.0154, '+0.00000512 ETH', '+$0.015'],
  [0n, 0, '0 ETH', '$0'],
  [-2_000_000_000_000_000n, -6.1, '−0.00200 ETH', '−$6.10'],
])('a saving of %d wei has its sign', (wei, usd, coins, dollars) => {
  expect([formatSavedNative(wei, 'ETH'), formatSavedUsd(usd)]).toEqual([coins, dollars]);
});

it.each([
  ['on Ethereum', 1, 2, ''],
  ['on Arbitrum, whose gas has L1 in it', 42_161, 2, ''],
  ['on an OP-stack chain', 8_453, 2, ', and what L1 takes'],
  ['on Scroll', 534_352, 2, ', and what L1 takes'],
  ['on a chain whose model is not verified', 42_220, 2, ', and what L1 takes'],
  ['with blobs', 1, 3, ', and its blobs'],
])('the fees of an auto-tx %s name what is not in them', (_, chainId, type, rest) => {
  const autoTx = autoTxView({ chainId, type, gasLimit: 21_000n, maxFeePerGas: 10n ** 9n });
  expect(describeMostFee(autoTx, null)).toMatch(new RegExp(`^0.0000210 [A-Z]+${rest}$`));
  const own = describeOwnFee(autoTx, { nextBaseFee: 10n ** 8n, nativeUsd: null });
  expect(own).toMatch(new RegExp(`at most 0.0000210 [A-Z]+${rest}\\.$`));
});
