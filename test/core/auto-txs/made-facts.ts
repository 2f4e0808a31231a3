import type { GasFacts } from '../../../src/core/auto-txs/gas-check.ts';
import { NEW_ORDER } from '../../../src/core/auto-txs/order.ts';
import type { PreflightFacts } from '../../../src/core/auto-txs/preflight.ts';
import type { SignedTransaction } from '../../../src/core/transactions/signed-transaction.ts';

export const GWEI = 10n ** 9n;
export const ETH = 10n ** 18n;

/** What somebody signed: 1 ETH with 65,000 gas at a cap of 30 gwei, nonce 7, on Ethereum. */
export const SIGNED: SignedTransaction = {
  type: 2,
  hash: `0x${'ab'.repeat(32)}`,
  from: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  to: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  chainId: 1,
  nonce: 7,
  gasLimit: 65_000n,
  value: ETH,
  data: '0x',
  gasPrice: null,
  maxFeePerGas: 30n * GWEI,
  maxPriorityFeePerGas: GWEI,
  maxFeePerBlobGas: null,
  blobCount: 0,
  authorizations: [],
  parts: {
    ...{ zeroBytes: 0, otherBytes: 0, accessedAddresses: 0, accessedKeys: 0, authorizations: 0, blobs: 0 },
    ...{ creates: false, isToSelf: false, hasValue: true },
  },
};

/** Ethereum before Amsterdam, and no fork ahead. */
export const GAS: GasFacts = {
  rules: { rules: 'osaka', source: 'header', next: null, blobSchedule: null, since: null },
  nextTime: Date.parse('2026-11-21T22:00:12Z') / 1_000,
  gasRules: 'ethereum',
  blockGasLimit: 60_000_000n,
};

export const FACTS: PreflightFacts = {
  transaction: SIGNED,
  order: { ...NEW_ORDER, target: 5n * GWEI },
  chainId: 1,
  chainName: 'Ethereum',
  nativeSymbol: 'ETH',
  nativeUsd: 3_000,
  nextNonce: 7,
  pendingNonce: 7,
  balance: 2n * ETH,
  nextBaseFee: 12_345_678_901n,
  nextBlobBaseFee: 1n,
  lanePrice: 13n * GWEI,
  now: Date.parse('2026-11-21T22:00:00Z'),
  waitingBelow: [],
  gas: GAS,
};

/** With the parts of what is changed. */
export function signed(change: Partial<SignedTransaction>, facts = FACTS): PreflightFacts {
  const transaction = { ...facts.transaction, ...change };
  const { to, data, value, blobCount } = transaction;
  const parts = transaction.parts && {
    ...transaction.parts,
    otherBytes: data.length / 2 - 1,
    blobs: blobCount,
    creates: to === null,
    hasValue: value > 0n,
  };
  return {
    ...facts,
    transaction: { ...transaction, parts: change.parts === undefined ? parts : change.parts },
  };
}

export const legacy = (gasPrice: bigint) =>
  ({ type: 0, gasPrice, maxFeePerGas: null, maxPriorityFeePerGas: null }) as const;
