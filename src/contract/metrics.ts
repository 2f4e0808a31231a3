import * as z from 'zod';
import * as choices from './choices.ts';
import { Pending } from './pending.ts';
import * as wire from './primitives.ts';
import { maybe, object, whole } from './primitives.ts';

const Bucket = z
  .enum(choices.BUCKETS)
  .meta({ id: 'Bucket', description: 'What a row stands for: one block, or a stretch of time' });

export const envelope = <Row extends z.ZodType, Span extends z.ZodType>(row: Row, bucket: Span) =>
  z.strictObject({
    chainId: wire.ChainId,
    from: wire.Timestamp.describe('Where the window begins'),
    to: wire.Timestamp.describe('Where the window ends'),
    bucket,
    page: whole(0).describe('Page, from 0'),
    size: whole(1, choices.METRICS_ROWS_MAX).describe('Rows per page'),
    total: whole(0).describe('Rows of the whole window'),
    data: z.array(row),
  });

const ROW = {
  timestamp: wire.Timestamp.describe('Where the bucket begins, or the time of the block'),
  blockNumber: wire.BlockNumber.describe('The last block of the bucket'),
};

export const BaseFeeRow = object('BaseFeeRow', 'Base fees of one bucket, in wei per gas', {
  ...ROW,
  open: wire.Price.describe("The first block's base fee"),
  min: wire.Price,
  mean: wire.Price,
  max: wire.Price,
  close: wire.Price.describe("The last block's base fee"),
  reason: wire.WhyNull,
});
export const BaseFeeMetrics = envelope(BaseFeeRow, Bucket).meta({ id: 'BaseFeeMetrics' });

/** `GET /metrics/priority-fee`: the tip at one percentile, wei per gas; buckets hold the mean over their blocks. */
export const PriorityFeeRow = object('PriorityFeeRow', 'Tip of one bucket: the mean over its blocks', {
  ...ROW,
  value: wire.Price.describe('The tip at the percentile, in wei per gas'),
});
export const PriorityFeeMetrics = envelope(PriorityFeeRow, Bucket).meta({ id: 'PriorityFeeMetrics' });

export const GasUsedRatioRow = object('GasUsedRatioRow', 'How full the blocks of one bucket were', {
  ...ROW,
  mean: wire.Ratio,
  max: wire.Ratio,
});
export const GasUsedRatioMetrics = envelope(GasUsedRatioRow, Bucket).meta({ id: 'GasUsedRatioMetrics' });

const Gas = whole(0).meta({ id: 'Gas', description: 'Units of gas' });

const Tip = wire.maybe(wire.Wei, 'null: the node gives none, or one that cannot be');

const TipPercentiles = object('TipPercentiles', "A block's tips, weighted by gas used, in wei per gas", {
  p10: Tip,
  p25: Tip,
  p50: Tip,
  p75: Tip,
  p90: Tip,
  p95: Tip,
  p99: Tip,
});

export const BlockMetrics = object('BlockMetrics', 'The fees of one block; null: not in the recording', {
  chainId: wire.ChainId,
  blockNumber: wire.BlockNumber,
  hash: wire.Hash.nullable(),
  parentHash: wire.Hash.nullable(),
  timestamp: wire.Timestamp,
  confirmations: whole(1).describe('Blocks on top of it, itself included'),
  baseFeePerGas: wire.Price.describe('In wei per gas'),
  nextBaseFeePerGas: wire.Price.describe('Of the next block, in wei per gas; for the head by the fee rule'),
  reason: wire.WhyNull,
  slotNumber: maybe(whole(0), 'The slot of the beacon chain (EIP-7843); null: the header has none'),
  gasUsed: maybe(
    Gas,
    'As the header counts it: since Amsterdam the larger of execution gas and state gas (EIP-8037)',
  ),
  gasPaid: maybe(Gas, 'What its transactions paid for, by their receipts; null: they are not known'),
  gasLimit: Gas.nullable(),
  gasUsedRatio: wire.Ratio,
  transactionCount: whole(0).nullable(),
  tips: TipPercentiles.nullable(),
  blobBaseFee: maybe(wire.Wei, 'In wei per blob gas (EIP-4844)'),
  nextBlobBaseFee: maybe(wire.Wei, 'That of the block after it, in wei per blob gas'),
  blobGasUsed: Gas.nullable(),
  excessBlobGas: Gas.nullable(),
  burntWei: maybe(
    wire.Amount,
    'Base fee × gas paid, and what blobs burnt (EIP-4844), in wei; 0 where a vault or an operator gets the base fee, null where that is not known',
  ),
  feeRecipient: wire.Address.nullable(),
});
export type BlockMetrics = z.infer<typeof BlockMetrics>;

const TxStatus = z
  .enum(['PENDING', 'SUCCESS', 'REVERTED'])
  .meta({ id: 'TxStatus', description: 'PENDING waits in the pool; SUCCESS and REVERTED are in a block' });

const TxType = whole(0).describe('EIP-2718 type, 0 to 4; other chains have others');

export const TxMetrics = object('TxMetrics', 'What a transaction paid; in the pool it has no block: null', {
  chainId: wire.ChainId,
  hash: wire.Hash,
  status: TxStatus,
  type: TxType,
  from: wire.Address,
  to: maybe(wire.Address, 'null creates a contract'),
  value: wire.Amount,
  nonce: whole(0),
  selector: z
    .string()
    .regex(/^0x[0-9a-f]{8}$/)
    .nullable()
    .describe('The first four bytes of the call data; null without any'),
  gasLimit: Gas,
  gasUsed: Gas.nullable(),
  maxFeePerGas: maybe(wire.Wei, 'The cap it signed, in wei per gas'),
  maxPriorityFeePerGas: maybe(wire.Wei, 'The tip it signed, in wei per gas'),
  gasPrice: maybe(wire.Wei, 'The price a legacy transaction signed, in wei per gas'),
  maxFeePerBlobGas: maybe(wire.Wei, 'In wei per blob gas'),
  feeCurrency: maybe(
    wire.Address,
    "Contract of the coin that its fee is paid in, so that no price or cost of it is known in wei; null: the chain's own coin",
  ),
  blobCount: whole(0).nullable(),
  effectiveGasPrice: maybe(wire.Wei, 'What it paid per gas, in wei'),
  priorityFeePerGas: maybe(wire.Wei, 'Above the base fee, in wei per gas'),
  costWei: maybe(wire.Amount, 'Gas used × effective price, blob gas and data fee, in wei'),
  dataFeeWei: maybe(
    wire.Amount,
    'The part of it for posting to L1, with the operator fee, in wei; 0 where the chain takes none, null where the receipt does not say',
  ),
  costUsd: maybe(wire.Usd, 'At the present price of the coin, in US dollars'),
  blockNumber: wire.BlockNumber.nullable(),
  blockHash: wire.Hash.nullable(),
  timestamp: wire.Timestamp.nullable(),
  transactionIndex: whole(0).nullable(),
  confirmations: whole(0),
  tipRank: maybe(wire.Ratio, "Share of its block's others that tipped less, ties count half"),
  blockTransactionCount: maybe(whole(0), 'How many transactions its block holds'),
  pending: maybe(Pending, 'null: it is in a block, or prices are old'),
});
export type TxMetrics = z.infer<typeof TxMetrics>;

export const TxRow = object('TxRow', 'One transaction of a window', {
  timestamp: wire.Timestamp,
  blockNumber: wire.BlockNumber,
  transactionIndex: whole(0),
  hash: wire.Hash,
  status: TxStatus,
  type: TxType,
  from: wire.Address,
  to: maybe(wire.Address, 'null creates a contract'),
  value: wire.Amount,
  gasUsed: Gas,
  effectiveGasPrice: maybe(wire.Wei, 'What it paid per gas, in wei; null: in another coin'),
  priorityFeePerGas: maybe(wire.Wei, 'Above the base fee, in wei per gas'),
  costWei: maybe(wire.Amount, 'What it paid in all, in wei; null: it paid in another coin'),
});
export type TxRow = z.infer<typeof TxRow>;

export const TxsMetrics = envelope(TxRow, z.literal('block').describe('Transactions are never folded')).meta({
  id: 'TxsMetrics',
  description: 'Transactions of a window of at most 100 blocks, newest first',
});
export type TxsMetrics = z.infer<typeof TxsMetrics>;
