import { BlockMetrics, TxMetrics } from '../../src/contract/metrics.ts';
import { Pending } from '../../src/contract/pending.ts';

export const HASH = `0x${'ab'.repeat(32)}`;
export const AT = '2026-01-20T12:00:00.000Z';

export const BLOCK = BlockMetrics.parse({
  chainId: 1,
  blockNumber: 24_337_604,
  hash: `0x${'cd'.repeat(32)}`,
  parentHash: `0x${'ef'.repeat(32)}`,
  timestamp: AT,
  confirmations: 3,
  baseFeePerGas: 50_800_000,
  nextBaseFeePerGas: 49_700_000,
  slotNumber: null,
  gasPaid: 24_480_000,
  gasUsed: 24_480_000,
  gasLimit: 36_000_000,
  gasUsedRatio: 0.68,
  transactionCount: 212,
  tips: {
    p10: 1_000_000,
    p25: 2_000_000,
    p50: 10_000_000,
    p75: 21_000_000,
    p90: 100_000_000,
    p95: 500_000_000,
    p99: 2_000_000_000,
  },
  blobBaseFee: 1,
  nextBlobBaseFee: 2,
  blobGasUsed: 393_216,
  excessBlobGas: 0,
  burntWei: '1243584000000000',
  feeRecipient: `0x${'12'.repeat(20)}`,
});

export const TX = TxMetrics.parse({
  chainId: 1,
  hash: HASH,
  status: 'SUCCESS',
  type: 2,
  from: `0x${'34'.repeat(20)}`,
  to: `0x${'56'.repeat(20)}`,
  value: '1000000000000000000',
  nonce: 7,
  selector: '0xa9059cbb',
  gasLimit: 65_000,
  gasUsed: 52_000,
  maxFeePerGas: 100_000_000,
  maxPriorityFeePerGas: 10_000_000,
  gasPrice: null,
  maxFeePerBlobGas: null,
  feeCurrency: null,
  blobCount: null,
  effectiveGasPrice: 60_800_000,
  priorityFeePerGas: 10_000_000,
  costWei: '3161600000000',
  dataFeeWei: '0',
  costUsd: 0.0102,
  blockNumber: 24_337_604,
  blockHash: `0x${'cd'.repeat(32)}`,
  timestamp: AT,
  transactionIndex: 17,
  confirmations: 3,
  tipRank: 0.42,
  blockTransactionCount: 212,
  pending: null,
});

const SAID = {
  ...{ nonce: 7, type: 2, maxFeePerGas: 110_000_001, maxPriorityFeePerGas: 21_080_000 },
  ...{ maxFeePerBlobGas: null, gasLimit: 65_000, blobCount: 0 },
  ...{
    costWei: '7150000065000',
    costUsd: 0.02,
    expectedCostWei: '4600700000000',
    missingWei: '0',
    rule: 'Besu',
  },
};

/** Of a transaction with a max fee of 0.1 gwei that waits for a lower base fee. */
export const PENDING = Pending.parse({
  reason: 'its max fee of 0.100 gwei is below the next base fee of 0.140 gwei',
  causes: [
    {
      code: 'cap_below_base',
      message: 'its max fee of 0.100 gwei is below the next base fee of 0.140 gwei',
    },
    {
      code: 'not_shared',
      message: '1 of 2 nodes has it in the pool: broadcast it again so that others see it',
    },
  ],
  ...{ nodesAsked: 2, nodesPending: 1 },
  probabilities: [
    { withinSec: 600, probability: 0.12 },
    { withinSec: 3_600, probability: 0.61 },
    { withinSec: 86_400, probability: null },
  ],
  probabilityReason: 'too little history',
  before: [],
  replacement: SAID,
  cancellation: { ...SAID, gasLimit: 21_000, costWei: '2310000021000', missingWei: '1000000000000' },
  pools: [
    { client: 'geth', maxFeePerGas: 110_000_000, maxPriorityFeePerGas: 11_000_000, maxFeePerBlobGas: null },
  ],
  costReason: null,
});

export const WAITING_TX = TxMetrics.parse({
  ...TX,
  ...{ status: 'PENDING', gasUsed: null, effectiveGasPrice: null, priorityFeePerGas: null, costWei: null },
  ...{ dataFeeWei: null, costUsd: null, blockNumber: null, blockHash: null, timestamp: null },
  ...{ transactionIndex: null, confirmations: 0, tipRank: null, blockTransactionCount: null },
  pending: PENDING,
});
