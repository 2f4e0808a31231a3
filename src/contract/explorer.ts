import * as z from 'zod';
import { envelope } from './metrics.ts';
import * as wire from './primitives.ts';
import { object, whole } from './primitives.ts';

const Gas = whole(0).meta({ id: 'Gas', description: 'Units of gas' });

const TipPercentiles = object(
  'TipPercentiles',
  "A block's effective priority fees, weighted by gas used, in wei per gas",
  { p10: wire.Wei, p25: wire.Wei, p50: wire.Wei, p75: wire.Wei, p90: wire.Wei, p95: wire.Wei, p99: wire.Wei },
);

export const BlockMetrics = object(
  'BlockMetrics',
  'The fees of one block. What a recording does not hold is null',
  {
    chainId: wire.ChainId,
    blockNumber: wire.BlockNumber,
    hash: wire.Hash.nullable(),
    parentHash: wire.Hash.nullable(),
    timestamp: wire.Timestamp,
    confirmations: whole(1).describe('Blocks on top of it, itself included'),
    baseFeePerGas: wire.Wei.describe('In wei per gas'),
    nextBaseFeePerGas: wire.Wei.describe('Of the next block, in wei per gas; for the head by the fee rule'),
    gasUsed: Gas.nullable(),
    gasLimit: Gas.nullable(),
    gasUsedRatio: wire.Ratio,
    transactionCount: whole(0).nullable(),
    tips: TipPercentiles.nullable(),
    blobBaseFee: wire.Wei.nullable().describe('In wei per blob gas (EIP-4844)'),
    nextBlobBaseFee: wire.Wei.nullable().describe('That of the block after it, in wei per blob gas'),
    blobGasUsed: Gas.nullable(),
    excessBlobGas: Gas.nullable(),
    burntWei: wire.Amount.nullable().describe('Base fee × gas used, and what blobs burnt (EIP-4844), in wei'),
    feeRecipient: wire.Address.nullable(),
  },
);
export type BlockMetrics = z.infer<typeof BlockMetrics>;

const TxStatus = z
  .enum(['PENDING', 'SUCCESS', 'REVERTED'])
  .meta({ id: 'TxStatus', description: 'PENDING waits in the pool; SUCCESS and REVERTED are in a block' });

const TxType = whole(0).describe('EIP-2718 type, 0 to 4; other chains have others');

export const TxMetrics = object(
  'TxMetrics',
  'What one transaction paid. Of one that waits in the pool everything about its block is null',
  {
    chainId: wire.ChainId,
    hash: wire.Hash,
    status: TxStatus,
    type: TxType,
    from: wire.Address,
    to: wire.Address.nullable().describe('null creates a contract'),
    value: wire.Amount,
    nonce: whole(0),
    selector: z
      .string()
      .regex(/^0x[0-9a-f]{8}$/)
      .nullable()
      .describe('The first four bytes of the call data; null without any'),
    gasLimit: Gas,
    gasUsed: Gas.nullable(),
    maxFeePerGas: wire.Wei.nullable().describe('The cap it signed, in wei per gas'),
    maxPriorityFeePerGas: wire.Wei.nullable().describe('The tip it signed, in wei per gas'),
    gasPrice: wire.Wei.nullable().describe('The price a legacy transaction signed, in wei per gas'),
    maxFeePerBlobGas: wire.Wei.nullable().describe('In wei per blob gas'),
    blobCount: whole(0).nullable(),
    effectiveGasPrice: wire.Wei.nullable().describe('What it paid per gas, in wei'),
    priorityFeePerGas: wire.Wei.nullable().describe('Above the base fee, in wei per gas'),
    costWei: wire.Amount.nullable().describe('Gas used × effective price, blob gas and data fee, in wei'),
    dataFeeWei: wire.Amount.nullable().describe(
      'The part of it for posting to L1, with the operator fee, in wei; 0 where the chain takes none, null where the receipt does not say',
    ),
    costUsd: wire.Usd.nullable().describe('At the present price of the coin, in US dollars'),
    blockNumber: wire.BlockNumber.nullable(),
    blockHash: wire.Hash.nullable(),
    timestamp: wire.Timestamp.nullable(),
    transactionIndex: whole(0).nullable(),
    confirmations: whole(0),
    tipRank: wire.Ratio.nullable().describe("Share of its block's others that tipped less, ties count half"),
    blockTransactionCount: whole(0).nullable().describe('How many transactions its block holds'),
  },
);
export type TxMetrics = z.infer<typeof TxMetrics>;

export const TxRow = object('TxRow', 'One transaction of a window', {
  timestamp: wire.Timestamp,
  blockNumber: wire.BlockNumber,
  transactionIndex: whole(0),
  hash: wire.Hash,
  status: TxStatus,
  type: TxType,
  from: wire.Address,
  to: wire.Address.nullable().describe('null creates a contract'),
  value: wire.Amount,
  gasUsed: Gas,
  effectiveGasPrice: wire.Wei.describe('What it paid per gas, in wei'),
  priorityFeePerGas: wire.Wei.describe('Above the base fee, in wei per gas'),
  costWei: wire.Amount.describe('What it paid in all, in wei'),
});
export type TxRow = z.infer<typeof TxRow>;

export const TxsMetrics = envelope(TxRow, z.literal('block').describe('Transactions are never folded')).meta({
  id: 'TxsMetrics',
  description: 'Transactions of a window of at most 100 blocks, newest first',
});
export type TxsMetrics = z.infer<typeof TxsMetrics>;
