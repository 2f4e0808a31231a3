import * as z from 'zod';
import { ChainError } from '../errors.ts';
import { address, baseFee, bytes, hash, quantity, safeInteger, tip } from './quantity.ts';

/** The year 5138: what lies after it is milliseconds, however far a development chain's clock was turned. */
const LATEST_TIME = 1e11;

/** A block's header as `eth_getBlockByNumber` and `newHeads` give it; chains before EIP-1559 have no base fee. */
export const headerAnswer = z.object({
  number: safeInteger,
  hash,
  parentHash: hash,
  timestamp: safeInteger.refine((seconds) => seconds < LATEST_TIME),
  gasUsed: quantity,
  gasLimit: quantity,
  baseFeePerGas: baseFee.nullish().transform((value) => value ?? 0n),
});
export type Header = z.infer<typeof headerAnswer>;

/**
 * `eth_feeHistory`. Blob fields are missing on older nodes, `reward` where none was asked for or the node
 * cannot say; single rows of it may be `null` too.
 */
export const feeHistoryAnswer = z.object({
  oldestBlock: safeInteger,
  baseFeePerGas: z.array(baseFee).nullish(),
  gasUsedRatio: z.array(z.number()).nullish(),
  baseFeePerBlobGas: z.array(baseFee).nullish(),
  reward: z.array(z.array(tip).nullable()).nullish(),
});
export type FeeHistoryAnswer = z.infer<typeof feeHistoryAnswer>;

/** Also the kinds of transactions that other chains have (deposits, retryables): what those lack reads as nothing. */
export const transactionAnswer = z.object({
  hash,
  type: safeInteger.nullish(),
  from: address,
  to: address.nullish(),
  value: quantity.nullish().transform((value) => value ?? 0n),
  nonce: safeInteger.nullish().transform((nonce) => nonce ?? 0),
  gas: quantity,
  gasPrice: quantity.nullish(),
  maxFeePerGas: quantity.nullish(),
  maxPriorityFeePerGas: quantity.nullish(),
  input: bytes,
  maxFeePerBlobGas: quantity.nullish(),
  blobVersionedHashes: z.array(hash).nullish(),
  blockNumber: safeInteger.nullish(),
  blockHash: hash.nullish(),
});

export const receiptAnswer = z.object({
  transactionHash: hash,
  // Missing before Byzantium (2017), where a receipt did not say.
  status: safeInteger.nullish(),
  blockNumber: safeInteger,
  blockHash: hash,
  gasUsed: quantity,
  // Missing on nodes from before London (2021).
  effectiveGasPrice: quantity.nullish(),
  transactionIndex: safeInteger,
  blobGasUsed: quantity.nullish(),
  blobGasPrice: quantity.nullish(),
  l1Fee: quantity.nullish(),
});

/** `eth_getBlockByNumber` with the transactions' hashes. */
export const blockAnswer = headerAnswer.extend({
  /** OpenEthereum's word for it is `author`. */
  miner: address.nullish(),
  author: address.nullish(),
  blobGasUsed: quantity.nullish(),
  excessBlobGas: quantity.nullish(),
  transactions: z.array(hash),
});

/** `eth_getBlockByNumber` with the transactions themselves. */
export const fullBlockAnswer = headerAnswer.extend({ transactions: z.array(transactionAnswer) });

/** Reads an answer; what does not fit is a `bad-answer` that names the node, the method and the field. */
export function readAnswer<T>(schema: z.ZodType<T>, answer: unknown, node: string, method: string): T {
  const result = schema.safeParse(answer);
  if (result.success) return result.data;
  const path = result.error.issues[0]?.path.map(String).join('.') ?? '';
  const where = path === '' ? '' : ` (${path})`;
  throw new ChainError(
    'bad-answer',
    `${node} gives an answer to ${method} that makes no sense${where}: try another node`,
  );
}
