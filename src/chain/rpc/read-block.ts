import type { ChainBlock } from '../chain-source.ts';
import { ChainError } from '../errors.ts';
import { blockAnswer } from './answers.ts';
import type { RequestOptions } from './link.ts';
import { toQuantity } from './quantity.ts';
import { ask, type RpcNode } from './rpc-node.ts';
import { nullable } from './shape.ts';

/** How Nethermind, Erigon and some providers say what others say with `null`. */
const NO_SUCH_BLOCK = /\b(?:block|header|resource)\b[^:]{0,80}\bnot found\b|unknown block/i;

/** The block at `number` in the node's chain; `null` where it has none there. Rejects with a `ChainError`. */
export async function readBlock(
  node: RpcNode,
  number: number,
  options?: RequestOptions,
): Promise<ChainBlock | null> {
  const answer = await nullIfUnknown(() =>
    ask(node, nullable(blockAnswer), 'eth_getBlockByNumber', [toQuantity(number), false], options),
  );
  if (answer === null) return null;
  const { miner, author, transactions, ...header } = answer;
  const feeRecipient = miner ?? author;
  if (header.number !== number || !feeRecipient) {
    throw new ChainError(
      'bad-answer',
      `${node.name} gives an answer to eth_getBlockByNumber that makes no sense (${feeRecipient ? 'number' : 'miner'}): try another node`,
    );
  }
  return { ...header, feeRecipient, transactionHashes: transactions };
}

/** A refusal whose words say that there is no such block, as `null`. */
export async function nullIfUnknown<T>(read: () => Promise<T | null>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ChainError && error.code === 'rejected' && NO_SUCH_BLOCK.test(error.message)) {
      return null;
    }
    throw error;
  }
}
