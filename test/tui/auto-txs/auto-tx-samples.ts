import type { AutoTxView } from '../../../src/client/views/auto-txs.ts';
import { autoTxView } from '../fake-auto-txs.ts';
import { SNAPSHOT } from '../fake-gas.ts';

export const AT = SNAPSHOT.blockTimestamp ?? 0;
const MINUTE = 60_000;

export const SENT = autoTxView({
  id: 'atx_sent',
  status: 'SUBMITTED',
  nonce: 3,
  submittedAt: AT - 40_000,
  attempts: 1,
  mayBeMined: true,
  note: 'rent',
});

export const CONFIRMING = autoTxView({
  id: 'atx_confirming',
  status: 'SUBMITTED',
  nonce: 2,
  submittedAt: AT - 2 * MINUTE,
  ...{ attempts: 1, mayBeMined: true, blockNumber: 24_337_600, confirmations: 5, gasUsed: 21_000n },
  ...{ effectiveGasPrice: 38_800_000n, costWei: 814_800_000_000n },
});

export const WAITING = autoTxView({
  id: 'atx_waiting',
  note: 'deploy the registry',
  expiresAt: AT + 185 * MINUTE,
});

/** Its price is there, but a nonce below it is missing. */
export const HELD = autoTxView({
  id: 'atx_held',
  target: 60_000_000n,
  nonce: 9,
  hold: {
    code: 'nonce_gap',
    message: 'nonce 8 must come first: no transaction has it yet',
    retryAt: AT + 34_000,
  },
  checks: [
    { name: 'chain', result: 'pass', ok: true, code: null, message: 'signed for Ethereum (1)' },
    {
      ...{ name: 'signature', result: 'pass', ok: true, code: null },
      message: 'signed by 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
    },
    {
      ...{ name: 'nonce-gap', result: 'wait', ok: false, code: 'nonce_gap' },
      message: 'nonce 8 must come first: no transaction has it yet',
    },
    {
      ...{ name: 'balance', result: 'unknown', ok: null, code: null },
      message: 'no node said what the account has',
    },
  ],
  reachProbability: 1,
});

export const DISABLED = autoTxView({ id: 'atx_disabled', status: 'DISABLED', nonce: 11 });

export const DRAFT = autoTxView({
  ...{ id: 'atx_draft', status: 'DRAFT', from: null, nonce: null, type: null, gasLimit: null },
  ...{ maxFeePerGas: null, maxPriorityFeePerGas: null, hash: null },
  checks: [],
  checkedAt: null,
  attempts: 0,
  value: 5n * 10n ** 17n,
});

export const EXECUTED = autoTxView({
  id: 'atx_executed',
  status: 'EXECUTED',
  nonce: 1,
  submittedAt: AT - 50 * MINUTE,
  executedAt: AT - 45 * MINUTE,
  updatedAt: AT - 45 * MINUTE,
  ...{ attempts: 1, blockNumber: 24_337_380, gasUsed: 21_000n, effectiveGasPrice: 38_800_000n },
  ...{ costWei: 814_800_000_000n, costUsd: 0.0026, savedWei: 249_900_000_000n },
  atCreation: { referencePrice: 50_700_000n, savedWei: 249_900_000_000n, savedUsd: 0.0008 },
  dayMean: { referencePrice: 70_000_000n, savedWei: -655_200_000_000n, savedUsd: -0.0021 },
  confirmations: 12,
  reachProbability: null,
});

export const FAILED = autoTxView({
  id: 'atx_failed',
  status: 'FAILED',
  nonce: 0,
  updatedAt: AT - 20 * MINUTE,
  failure: {
    code: 'nonce_used',
    message: 'nonce 0 is used: another transaction of this account was mined with it',
  },
  reachProbability: null,
});

export const EXPIRED = autoTxView({
  id: 'atx_expired',
  status: 'EXPIRED',
  updatedAt: AT - 3_000 * MINUTE,
  reachProbability: null,
});

export const SAMPLES: readonly AutoTxView[] = [
  EXPIRED,
  DRAFT,
  WAITING,
  EXECUTED,
  SENT,
  HELD,
  DISABLED,
  FAILED,
  CONFIRMING,
];

const word = (hex: string) => hex.padStart(64, '0');

const PAIR = `${word('70997970c51812dc3a010c7d01b50e0d17dc79c8')}${word((25_000_000).toString(16))}`;

export const TRANSFER = autoTxView({
  ...{ id: 'atx_transfer', value: 0n, to: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48' },
  data: `0xa9059cbb${PAIR}`,
});

/** Calls of known functions, by their names. */
export const CALLS: readonly (readonly [name: string, autoTx: AutoTxView])[] = [
  ['transfer', TRANSFER],
  ['approve', { ...TRANSFER, id: 'atx_approve', data: `0x095ea7b3${PAIR}` }],
  ['deposit', { ...TRANSFER, id: 'atx_deposit', data: '0xd0e30db0' }],
];
