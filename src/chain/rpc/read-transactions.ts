import type { ChainBlock, IncludedTransaction } from '../chain-source.ts';
import { ChainError, OversizedAnswer } from '../errors.ts';
import { fullBlockAnswer } from './answers.ts';
import { paidPerGas, toReceipt, toTransaction } from './chain-transaction.ts';
import { toQuantity } from './quantity.ts';
import { nullIfUnknown } from './read-block.ts';
import { type ReadReceiptsOptions, readReceipts } from './read-receipts.ts';
import { ask, type RpcNode } from './rpc-node.ts';
import { nullable } from './shape.ts';

/** The machines behind one address are not always level: what one has, the next may not know yet. */
const TRIES = 3;
const RETRY_MS = 250;

/**
 * The transactions of a block with their receipts, in its order; `null` where the node's chain has another block, or
 * none, at that number. Each transaction and each receipt says itself that it is of this block. Rejects with a
 * `ChainError`.
 */
export async function readTransactions(
  node: RpcNode,
  block: Pick<ChainBlock, 'number' | 'hash'>,
  options: ReadReceiptsOptions,
): Promise<readonly IncludedTransaction[] | null> {
  for (let attempt = 1; ; attempt++) {
    // By number: asked by hash, nodes also answer with blocks that a reorg took out of the chain.
    const answer = await nullIfUnknown(() => askFullBlock(node, block.number, options));
    if (answer === null || answer.hash !== block.hash) return null;
    const receipts = await readReceipts(
      node,
      block,
      answer.transactions.map(({ hash }) => hash),
      options,
    );
    if (receipts) {
      return answer.transactions.flatMap((each) => {
        const receipt = receipts.get(each.hash);
        if (!receipt) return [];
        const price = receipt.effectiveGasPrice ?? paidPerGas(each, answer.baseFeePerGas);
        return [{ transaction: toTransaction(each), receipt: toReceipt(receipt, price) }];
      });
    }
    if (attempt === TRIES) {
      // No failure of the node: many keep the receipts of the newest blocks only.
      throw new ChainError(
        'rejected',
        `${node.name} has no receipts for block ${block.number}: use a node that keeps them`,
      );
    }
    await options.clock.sleep(RETRY_MS, options.signal);
    options.signal?.throwIfAborted();
  }
}

async function askFullBlock(node: RpcNode, number: number, { signal }: ReadReceiptsOptions) {
  try {
    const params = [toQuantity(number), true];
    const answer = await ask(node, nullable(fullBlockAnswer), 'eth_getBlockByNumber', params, { signal });
    const isStray = answer?.transactions.some(({ blockHash }) => blockHash !== answer.hash);
    if (!isStray) return answer;
  } catch (error) {
    if (!(error instanceof OversizedAnswer)) throw error;
    // The node is well: it is this block that is too large.
    throw new ChainError('rejected', `block ${number} is too large to be read whole: ${error.message}`);
  }
  throw new ChainError(
    'bad-answer',
    `${node.name} answers eth_getBlockByNumber with transactions of another block: try another node`,
  );
}
