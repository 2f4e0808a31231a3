import { ChainError } from '../errors.ts';
import { address, baseFee, bytes, hash, quantity, safeInteger, tip } from './quantity.ts';
import { list, mapped, maybe, nullable, number, object, type Shape, Unfit, where } from './shape.ts';

/** The year 5138: what lies after it is milliseconds, however far a development chain's clock was turned. */
const LATEST_TIME = 1e11;

const HEADER = {
  number: safeInteger,
  hash,
  parentHash: hash,
  timestamp: where(safeInteger, (seconds) => seconds < LATEST_TIME),
  gasUsed: quantity,
  gasLimit: quantity,
  baseFeePerGas: mapped(maybe(baseFee), (value) => value ?? 0n),
};

/** A block's header as `eth_getBlockByNumber` and `newHeads` give it; chains before EIP-1559 have no base fee. */
export const headerAnswer = object(HEADER);
export type Header = ReturnType<typeof headerAnswer>;

/** Of block 0 nothing else counts, and chains differ in what they say of it. */
export const genesisAnswer = object({ hash, number: where(safeInteger, (number) => number === 0) });

/**
 * `eth_feeHistory`. Blob fields are missing on older nodes, `reward` where none was asked for or the node
 * cannot say; single rows of it may be `null` too.
 */
export const feeHistoryAnswer = object({
  oldestBlock: safeInteger,
  baseFeePerGas: maybe(list(baseFee)),
  gasUsedRatio: maybe(list(number)),
  baseFeePerBlobGas: maybe(list(baseFee)),
  reward: maybe(list(nullable(list(tip)))),
});
export type FeeHistoryAnswer = ReturnType<typeof feeHistoryAnswer>;

/** Also the kinds of transactions that other chains have (deposits, retryables): what those lack reads as nothing. */
export const transactionAnswer = object({
  hash,
  type: maybe(safeInteger),
  from: address,
  to: maybe(address),
  value: mapped(maybe(quantity), (value) => value ?? 0n),
  nonce: mapped(maybe(safeInteger), (nonce) => nonce ?? 0),
  gas: quantity,
  gasPrice: maybe(quantity),
  maxFeePerGas: maybe(quantity),
  maxPriorityFeePerGas: maybe(quantity),
  input: bytes,
  maxFeePerBlobGas: maybe(quantity),
  blobVersionedHashes: maybe(list(hash)),
  blockNumber: maybe(safeInteger),
  blockHash: maybe(hash),
});
export type TransactionAnswer = ReturnType<typeof transactionAnswer>;

export const receiptAnswer = object({
  transactionHash: hash,
  // Missing before Byzantium (2017), where a receipt did not say.
  status: maybe(safeInteger),
  blockNumber: safeInteger,
  blockHash: hash,
  gasUsed: quantity,
  // Missing on nodes from before London (2021).
  effectiveGasPrice: maybe(quantity),
  transactionIndex: safeInteger,
  blobGasUsed: maybe(quantity),
  blobGasPrice: maybe(quantity),
  l1Fee: maybe(quantity),
});
export type ReceiptAnswer = ReturnType<typeof receiptAnswer>;

/** `eth_getBlockByNumber` with the transactions' hashes. */
export const blockAnswer = object({
  ...HEADER,
  /** OpenEthereum's word for it is `author`. */
  miner: maybe(address),
  author: maybe(address),
  blobGasUsed: maybe(quantity),
  excessBlobGas: maybe(quantity),
  transactions: list(hash),
});

/** `eth_getBlockByNumber` with the transactions themselves. */
export const fullBlockAnswer = object({ ...HEADER, transactions: list(transactionAnswer) });

/** Reads an answer; what does not fit is a `bad-answer` that names the node, the method and the field. */
export function readAnswer<T>(shape: Shape<T>, answer: unknown, node: string, method: string): T {
  try {
    return shape(answer);
  } catch (error) {
    if (!(error instanceof Unfit)) throw error;
    const where = error.path === '' ? '' : ` (${error.path})`;
    throw new ChainError(
      'bad-answer',
      `${node} gives an answer to ${method} that makes no sense${where}: try another node`,
    );
  }
}
