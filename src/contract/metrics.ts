import * as z from 'zod';
import * as choices from './choices.ts';
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

const Bucket = z
  .enum(choices.BUCKETS)
  .meta({ id: 'Bucket', description: 'What a row stands for: one block, or a stretch of time' });

export const envelope = <Row extends z.ZodType, Span extends z.ZodType>(row: Row, bucket: Span) =>
  z.strictObject({
    chainId: ChainId,
    from: Timestamp.describe('Where the window begins'),
    to: Timestamp.describe('Where the window ends'),
    bucket,
    page: whole(0).describe('Page, from 0'),
    size: whole(1, choices.METRICS_ROWS_MAX).describe('Rows per page'),
    total: whole(0).describe('Rows of the whole window'),
    data: z.array(row),
  });

const ROW = {
  timestamp: Timestamp.describe('Where the bucket begins, or the time of the block'),
  blockNumber: BlockNumber.describe('The last block of the bucket'),
};

export const BaseFeeRow = object('BaseFeeRow', 'Base fees of one bucket, in wei per gas', {
  ...ROW,
  open: Wei.describe("The first block's base fee"),
  min: Wei,
  mean: Wei,
  max: Wei,
  close: Wei.describe("The last block's base fee"),
});
export const BaseFeeMetrics = envelope(BaseFeeRow, Bucket).meta({ id: 'BaseFeeMetrics' });

/** `GET /metrics/priority-fee`: the tip at one percentile, wei per gas; buckets hold the mean over their blocks. */
export const PriorityFeeRow = object('PriorityFeeRow', 'Tip of one bucket: the mean over its blocks', {
  ...ROW,
  value: Wei.describe('The tip at the percentile, in wei per gas'),
});
export const PriorityFeeMetrics = envelope(PriorityFeeRow, Bucket).meta({ id: 'PriorityFeeMetrics' });

export const GasUsedRatioRow = object('GasUsedRatioRow', 'How full the blocks of one bucket were', {
  ...ROW,
  mean: Ratio,
  max: Ratio,
});
export const GasUsedRatioMetrics = envelope(GasUsedRatioRow, Bucket).meta({ id: 'GasUsedRatioMetrics' });

const Gas = whole(0).meta({ id: 'Gas', description: 'Units of gas' });

const TipPercentiles = object(
  'TipPercentiles',
  "A block's effective priority fees, weighted by gas used, in wei per gas",
  { p10: Wei, p25: Wei, p50: Wei, p75: Wei, p90: Wei, p95: Wei, p99: Wei },
);

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
    nextBaseFeePerGas: Wei.describe('Of the next block, in wei per gas; for the head by the fee rule'),
    gasUsed: Gas.nullable(),
    gasLimit: Gas.nullable(),
    gasUsedRatio: Ratio,
    transactionCount: whole(0).nullable(),
    tips: TipPercentiles.nullable(),
    blobBaseFee: Wei.nullable().describe('In wei per blob gas (EIP-4844)'),
    nextBlobBaseFee: Wei.nullable().describe('That of the block after it, in wei per blob gas'),
    blobGasUsed: Gas.nullable(),
    excessBlobGas: Gas.nullable(),
    burntWei: Amount.nullable().describe('Base fee × gas used, and what blobs burnt (EIP-4844), in wei'),
    feeRecipient: Address.nullable(),
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
    priorityFeePerGas: Wei.nullable().describe('Above the base fee, in wei per gas'),
    costWei: Amount.nullable().describe('Gas used × effective price, blob gas and data fee, in wei'),
    dataFeeWei: Amount.nullable().describe(
      'The part of it for posting to L1, with the operator fee, in wei; 0 where the chain takes none, null where the receipt does not say',
    ),
    costUsd: Usd.nullable().describe('At the present price of the coin, in US dollars'),
    blockNumber: BlockNumber.nullable(),
    blockHash: Hash.nullable(),
    timestamp: Timestamp.nullable(),
    transactionIndex: whole(0).nullable(),
    confirmations: whole(0),
    tipRank: Ratio.nullable().describe("Share of its block's others that tipped less, ties count half"),
    blockTransactionCount: whole(0).nullable().describe('How many transactions its block holds'),
  },
);
export type TxMetrics = z.infer<typeof TxMetrics>;

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
  priorityFeePerGas: Wei.describe('Above the base fee, in wei per gas'),
  costWei: Amount.describe('What it paid in all, in wei'),
});
export type TxRow = z.infer<typeof TxRow>;

export const TxsMetrics = envelope(TxRow, z.literal('block').describe('Transactions are never folded')).meta({
  id: 'TxsMetrics',
  description: 'Transactions of a window of at most 100 blocks, newest first',
});
export type TxsMetrics = z.infer<typeof TxsMetrics>;
