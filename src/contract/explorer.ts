import * as z from 'zod';
import { BlockNumber, Ratio, Timestamp, Wei } from './primitives.ts';

/** An amount of wei that may be larger than a JSON number holds: a decimal string. */
export const Amount = z.string().regex(/^\d+$/);

const Hash = z.string().regex(/^0x[0-9a-f]{64}$/);
const Address = z.string().regex(/^0x[0-9a-fA-F]{40}$/);
const Gas = z.int().min(0);

/** A block's effective priority fees, weighted by gas used, wei per gas. */
const TipPercentiles = z.strictObject({
  p10: Wei,
  p25: Wei,
  p50: Wei,
  p75: Wei,
  p90: Wei,
  p95: Wei,
  p99: Wei,
});

/** `GET /metrics/block/{number}`. What a recording or the simulation does not hold is `null`. */
export const BlockMetrics = z.strictObject({
  chainId: z.int().min(0),
  blockNumber: BlockNumber,
  hash: Hash.nullable(),
  parentHash: Hash.nullable(),
  timestamp: Timestamp,
  /** Blocks on top of it, itself included. */
  confirmations: z.int().min(1),
  baseFeePerGas: Wei,
  /** The base fee of the block after it: the next block's own, or for the head what the fee rule gives. */
  nextBaseFeePerGas: Wei,
  gasUsed: Gas.nullable(),
  gasLimit: Gas.nullable(),
  gasUsedRatio: Ratio,
  transactionCount: z.int().min(0).nullable(),
  tips: TipPercentiles.nullable(),
  blobBaseFee: Wei.nullable(),
  nextBlobBaseFee: Wei.nullable(),
  blobGasUsed: Gas.nullable(),
  excessBlobGas: Gas.nullable(),
  /** Base fee × gas used, and what blobs burnt (EIP-1559, EIP-4844). */
  burntWei: Amount.nullable(),
  feeRecipient: Address.nullable(),
});
export type BlockMetrics = z.infer<typeof BlockMetrics>;

export const TxStatus = z.enum(['PENDING', 'SUCCESS', 'REVERTED']);

/** `GET /metrics/tx/{hash}`. Of one that waits in the pool everything about its block is `null`. */
export const TxMetrics = z.strictObject({
  chainId: z.int().min(0),
  hash: Hash,
  status: TxStatus,
  /** EIP-2718 type, 0 to 4; other chains have others. */
  type: z.int().min(0),
  from: Address,
  /** `null` creates a contract. */
  to: Address.nullable(),
  value: Amount,
  nonce: z.int().min(0),
  /** The first four bytes of the call data; `null` without any. */
  selector: z
    .string()
    .regex(/^0x[0-9a-f]{8}$/)
    .nullable(),
  gasLimit: Gas,
  gasUsed: Gas.nullable(),
  maxFeePerGas: Wei.nullable(),
  maxPriorityFeePerGas: Wei.nullable(),
  /** The price a legacy transaction signed. */
  gasPrice: Wei.nullable(),
  maxFeePerBlobGas: Wei.nullable(),
  blobCount: z.int().min(0).nullable(),
  /** What it paid per gas, and the part of it above the base fee. */
  effectiveGasPrice: Wei.nullable(),
  priorityFeePerGas: Wei.nullable(),
  /** Gas used × effective price, and blob gas and a rollup's own data fee where there are such. */
  costWei: Amount.nullable(),
  /** At the present price of the coin. */
  costUsd: z.number().min(0).nullable(),
  blockNumber: BlockNumber.nullable(),
  blockHash: Hash.nullable(),
  timestamp: Timestamp.nullable(),
  transactionIndex: z.int().min(0).nullable(),
  confirmations: z.int().min(0),
  /** Where its tip stood: the share of its block's other transactions that tipped less, ties counted half. */
  tipRank: Ratio.nullable(),
  /** How many transactions its block holds. */
  blockTransactionCount: z.int().min(0).nullable(),
});
export type TxMetrics = z.infer<typeof TxMetrics>;

/** One transaction of a window; newest first. */
export const TxRow = z.strictObject({
  timestamp: Timestamp,
  blockNumber: BlockNumber,
  transactionIndex: z.int().min(0),
  hash: Hash,
  status: TxStatus,
  type: z.int().min(0),
  from: Address,
  to: Address.nullable(),
  value: Amount,
  gasUsed: Gas,
  effectiveGasPrice: Wei,
  priorityFeePerGas: Wei,
  costWei: Amount,
});
export type TxRow = z.infer<typeof TxRow>;

/** `GET /metrics/txs`: the transactions of at most 100 blocks. */
export const TxsMetrics = z.strictObject({
  chainId: z.int().min(0),
  from: Timestamp,
  to: Timestamp,
  /** Transactions are never folded. */
  bucket: z.literal('block'),
  page: z.int().min(0),
  size: z.int().min(1).max(500),
  total: z.int().min(0),
  data: z.array(TxRow),
});
export type TxsMetrics = z.infer<typeof TxsMetrics>;
