import type { Block } from '../../core/block.ts';
import { TIP_PERCENTILES } from '../../core/block.ts';
import { ChainError } from '../errors.ts';
import type { Header } from './answers.ts';
import { assembleBlocks } from './assemble-blocks.ts';
import { readFeePage } from './fee-page.ts';
import type { RequestOptions } from './link.ts';
import { askFeeHistory, askHeader, type RpcNode } from './rpc-node.ts';

/**
 * The head and up to `count` − 1 blocks before it in two rounds of questions, where `readBlocks` takes a dozen: fees and
 * tips are what they were, the head and the oldest are whole, and between these two times are interpolated and hashes
 * unknown. Good for prices and not to be kept. Rejects with a `ChainError`, also where the node has no `eth_feeHistory`.
 */
export async function readNewest(
  node: RpcNode,
  count: number,
  onHead: (head: Header) => void,
  options?: RequestOptions,
): Promise<Block[]> {
  const [latest, page] = await Promise.all([
    askHeader(node, 'latest', options),
    askFeeHistory(node, count, 'latest', TIP_PERCENTILES, options),
  ]);
  const rows = new Map(readFeePage(page, node.name).map((row) => [row.number, row]));
  // A block may come between the two answers: on quick chains that is nothing against the node.
  const newest = [...rows.keys()].at(-1);
  const isAhead = latest !== null && newest !== undefined && newest < latest.number;
  const head = isAhead ? await askHeader(node, newest, options) : latest;
  if (head === null || rows.get(head.number)?.baseFee !== head.baseFeePerGas) {
    throw new ChainError('rejected', `${node.name} was asked between two blocks: it is asked again`);
  }
  onHead(head);
  let first = head.number;
  while (rows.has(first - 1)) first--;
  const oldest = first === head.number ? head : await askHeader(node, first, options);
  const headers = new Map([head, ...(oldest === null ? [] : [oldest])].map((each) => [each.number, each]));
  return assembleBlocks(first, head.number, rows, headers);
}
