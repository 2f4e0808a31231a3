import type { Hex } from '../../core/block.ts';
import type { ChainBlock, ChainReceipt } from '../chain-source.ts';
import { ChainError, isRefusal, OversizedAnswer } from '../errors.ts';
import { type ReceiptAnswer, receiptAnswer, transactionAnswer } from './answers.ts';
import { paidPerGas, toReceipt } from './chain-transaction.ts';
import type { Clock } from './clock.ts';
import { toQuantity } from './quantity.ts';
import { ask, type RpcNode } from './rpc-node.ts';
import { list, nullable } from './shape.ts';

/** Single receipts asked for at the same time. */
const PARALLEL = 8;
/** How often a question is repeated after "too many requests", waiting 1, 2, 4 s. */
const RATE_LIMIT_TRIES = 3;

export interface ReadReceiptsOptions {
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The receipts of `hashes`, the transactions of one block, by hash; `null` where the node has one of another block
 * or none: the block is no longer, or not yet, the chain's there.
 */
export async function readReceipts(
  node: RpcNode,
  block: Pick<ChainBlock, 'number' | 'hash'>,
  hashes: readonly Hex[],
  options: ReadReceiptsOptions,
): Promise<ReadonlyMap<Hex, ReceiptAnswer> | null> {
  const receipts = new Map<Hex, ReceiptAnswer>();
  for (const receipt of await readTogether(node, block.number, options)) {
    if (receipt.blockHash !== block.hash) return null;
    receipts.set(receipt.transactionHash, receipt);
  }
  // Some chains leave transactions of their own (Polygon's state syncs) out of the block's receipts.
  const missing = hashes.filter((hash) => !receipts.has(hash)).reverse();
  let isGone = false;
  const work = async () => {
    for (let hash = missing.pop(); hash !== undefined && !isGone; hash = missing.pop()) {
      const receipt = await readOne(node, hash, options);
      if (receipt?.transactionHash === hash && receipt.blockHash === block.hash) receipts.set(hash, receipt);
      else isGone = true;
    }
  };
  await Promise.all(Array.from({ length: Math.min(PARALLEL, missing.length) }, work));
  return isGone ? null : receipts;
}

/** One transaction's receipt; `null` while it is in no block. Rejects with a `ChainError`. */
export async function readReceipt(node: RpcNode, hash: Hex): Promise<ChainReceipt | null> {
  const answer = await ask(node, nullable(receiptAnswer), 'eth_getTransactionReceipt', [hash]);
  if (answer === null) return null;
  if (answer.effectiveGasPrice !== null) return toReceipt(answer, answer.effectiveGasPrice);
  // Such an old node knows no base fee either, so the transaction says what it paid.
  const transaction = await ask(node, nullable(transactionAnswer), 'eth_getTransactionByHash', [hash]);
  return transaction && toReceipt(answer, paidPerGas(transaction, 0n));
}

/** All at once by `eth_getBlockReceipts`; none where the node cannot, and then each has to be asked for. */
async function readTogether(
  node: RpcNode,
  number: number,
  options: ReadReceiptsOptions,
): Promise<readonly ReceiptAnswer[]> {
  if (!node.hasBlockReceipts) return [];
  try {
    // By number, which every node takes: not all take a hash, and each receipt says its block's.
    const read = () =>
      ask(node, nullable(list(receiptAnswer)), 'eth_getBlockReceipts', [toQuantity(number)], options);
    return (await patiently(read, options)) ?? [];
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    if (error.code === 'unsupported') node.hasBlockReceipts = false;
    else if (!isRefusal(error) && !(error instanceof OversizedAnswer)) throw error;
    return [];
  }
}

function readOne(node: RpcNode, hash: Hex, options: ReadReceiptsOptions): Promise<ReceiptAnswer | null> {
  return patiently(
    () => ask(node, nullable(receiptAnswer), 'eth_getTransactionReceipt', [hash], options),
    options,
  );
}

async function patiently<T>(read: () => Promise<T>, { clock, signal }: ReadReceiptsOptions): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await read();
    } catch (error) {
      const isLimit = error instanceof ChainError && error.code === 'rate-limited';
      if (!isLimit || tries === RATE_LIMIT_TRIES) throw error;
      await clock.sleep(1_000 * 2 ** tries, signal);
      signal?.throwIfAborted();
    }
  }
}
