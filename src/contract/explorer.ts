import * as z from 'zod';
import { envelope } from './metrics.ts';
import {
  Address,
  Amount,
  BlockNumber,
  ChainId,
  Hash,
  object,
  Ratio,
  Timestamp,
  Usd,
  Wei,
  whole,
} from './primitives.ts';

const Gas = whole(0).meta({ id: 'Gas', description: 'Units of gas' });

const TipPercentiles = object(
  'TipPercentiles',
  "A block's effective priority fees, weighted by gas used, in wei per gas",
  { p10: Wei, p25: Wei, p50: Wei, p75: Wei, p90: Wei, p95: Wei, p99: Wei },
);

/** `GET /metrics/block/{number}`. Fields that a recording lacks are `null`. */
export const BlockMetrics = object(
  'BlockMetrics',
  'The fees of one block. What a recording does not hold is null',
  {
    chainId: ChainId,
    blockNumber: BlockNumber,
    hash: Hash.nullable(),
    parentHash: Hash.nullable(),
    timestamp: Timestamp,
    confirmations: whole(1).describe('Blocks on top of it, itself included'),
    baseFeePerGas: Wei.describe('In wei per gas'),
    nextBaseFeePerGas: Wei.describe(
      "The base fee of the block after it, in wei per gas: the next block's own, or for the head what the fee rule gives",
    ),
    gasUsed: Gas.nullable(),
    gasLimit: Gas.nullable(),
    gasUsedRatio: Ratio,
    transactionCount: whole(0).nullable(),
    tips: TipPercentiles.nullable(),
    blobBaseFee: Wei.nullable().describe('In wei per blob gas (EIP-4844)'),
    nextBlobBaseFee: Wei.nullable().describe('That of the block after it, in wei per blob gas'),
    blobGasUsed: Gas.nullable(),
    excessBlobGas: Gas.nullable(),
    burntWei: Amount.nullable().describe(
      'Base fee × gas used, and what blobs burnt, in wei (EIP-1559, EIP-4844)',
    ),
    feeRecipient: Address.nullable(),
  },
);
export type BlockMetrics = z.infer<typeof BlockMetrics>;

const TxStatus = z
  .enum(['PENDING', 'SUCCESS', 'REVERTED'])
  .meta({ id: 'TxStatus', description: 'PENDING waits in the pool; SUCCESS and REVERTED are in a block' });

const TxType = whole(0).describe('EIP-2718 type, 0 to 4; other chains have others');

/** `GET /metrics/tx/{hash}`. For a pending transaction all fields of its block are `null`. */
export const TxMetrics = object(
  'TxMetrics',
  'What one transaction paid. Of one that waits in the pool everything about its block is null',
  {
    chainId: ChainId,
    hash: Hash,
    status: TxStatus,
    type: TxType,
    from: Address,
    to: Address.nullable().describe('null creates a contract'),
    value: Amount,
    nonce: whole(0),
    selector: z
      .string()
      .regex(/^0x[0-9a-f]{8}$/)
      .nullable()
      .describe('The first four bytes of the call data; null without any'),
    gasLimit: Gas,
    gasUsed: Gas.nullable(),
    maxFeePerGas: Wei.nullable().describe('The cap it signed, in wei per gas'),
    maxPriorityFeePerGas: Wei.nullable().describe('The tip it signed, in wei per gas'),
    gasPrice: Wei.nullable().describe('The price a legacy transaction signed, in wei per gas'),
    maxFeePerBlobGas: Wei.nullable().describe('In wei per blob gas'),
    blobCount: whole(0).nullable(),
    effectiveGasPrice: Wei.nullable().describe('What it paid per gas, in wei'),
    priorityFeePerGas: Wei.nullable().describe('The part of what it paid above the base fee, in wei per gas'),
    costWei: Amount.nullable().describe(
      "Gas used × effective price, and blob gas and a rollup's own data fee where there are such, in wei",
    ),
    dataFeeWei: Amount.nullable().describe(
      'The part of it for posting to L1, with the operator fee, in wei; 0 where the chain takes none, null where the receipt does not say',
    ),
    costUsd: Usd.nullable().describe('At the present price of the coin, in US dollars'),
    blockNumber: BlockNumber.nullable(),
    blockHash: Hash.nullable(),
    timestamp: Timestamp.nullable(),
    transactionIndex: whole(0).nullable(),
    confirmations: whole(0),
    tipRank: Ratio.nullable().describe(
      "Where its tip stood: the share of its block's other transactions that tipped less, ties counted half",
    ),
    blockTransactionCount: whole(0).nullable().describe('How many transactions its block holds'),
  },
);
export type TxMetrics = z.infer<typeof TxMetrics>;

/** One transaction of a window; newest first. */
export const TxRow = object('TxRow', 'One transaction of a window', {
  timestamp: Timestamp,
  blockNumber: BlockNumber,
  transactionIndex: whole(0),
  hash: Hash,
  status: TxStatus,
  type: TxType,
  from: Address,
  to: Address.nullable().describe('null creates a contract'),
  value: Amount,
  gasUsed: Gas,
  effectiveGasPrice: Wei.describe('What it paid per gas, in wei'),
  priorityFeePerGas: Wei.describe('The part of what it paid above the base fee, in wei per gas'),
  costWei: Amount.describe('What it paid in all, in wei'),
});
export type TxRow = z.infer<typeof TxRow>;

/** `GET /metrics/txs`: the transactions of at most 100 blocks. */
export const TxsMetrics = envelope(TxRow, z.literal('block').describe('Transactions are never folded')).meta({
  id: 'TxsMetrics',
  description: 'Transactions of a window of at most 100 blocks, newest first',
});
export type TxsMetrics = z.infer<typeof TxsMetrics>;
