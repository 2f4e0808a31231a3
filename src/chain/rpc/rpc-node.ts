import type { Hex } from '../../core/block.ts';
import { ChainError, type ChainErrorCode, isRefusal } from '../errors.ts';
import {
  type FeeHistoryAnswer,
  feeHistoryAnswer,
  genesisAnswer,
  type Header,
  headerAnswer,
  readAnswer,
} from './answers.ts';
import { createHttpLink } from './http-link.ts';
import type { JsonRpcLink, RequestOptions } from './link.ts';
import { hostOf } from './node-url.ts';
import { safeInteger, toQuantity } from './quantity.ts';
import { nullable, type Shape } from './shape.ts';
import { createWsLink } from './ws-link.ts';

/** One node, spoken to in types. */
export interface RpcNode {
  /** Host and port. */
  readonly name: string;
  readonly link: JsonRpcLink;
  /** Blocks per page of `eth_feeHistory` that the node was seen to allow; 0: it has no such method. */
  feeHistoryPage: number;
  /** Whether `eth_getBlockReceipts` is worth asking. */
  hasBlockReceipts: boolean;
  /** How long the last answer took. */
  latencyMs: number | null;
}

/** Geth, Erigon and most providers allow this many; others less. */
const FEE_HISTORY_PAGE = 1_024;

export function createRpcNode(url: URL, options: { readonly timeoutMs: number }): RpcNode {
  const name = hostOf(url);
  const create = url.protocol.startsWith('ws') ? createWsLink : createHttpLink;
  return {
    name,
    link: create(url, { name, ...options }),
    feeHistoryPage: FEE_HISTORY_PAGE,
    hasBlockReceipts: true,
    latencyMs: null,
  };
}

/** One request, its answer read as `shape`. */
export async function ask<T>(
  node: RpcNode,
  shape: Shape<T>,
  method: string,
  params: readonly unknown[],
  options?: RequestOptions,
): Promise<T> {
  const started = performance.now();
  const answer = await node.link.request(method, params, options);
  node.latencyMs = Math.round(performance.now() - started);
  return readAnswer(shape, answer, node.name, method);
}

export function askChainId(node: RpcNode, options?: RequestOptions): Promise<number> {
  return ask(node, safeInteger, 'eth_chainId', [], options);
}

/** `null` where the node does not keep block 0, or does not say. */
export async function askGenesisHash(node: RpcNode, options?: RequestOptions): Promise<Hex | null> {
  try {
    const block = await ask(node, nullable(genesisAnswer), 'eth_getBlockByNumber', ['0x0', false], options);
    return block?.hash ?? null;
  } catch (error) {
    const isSilent = isRefusal(error) || (error instanceof ChainError && SAYS_NOTHING.has(error.code));
    if (isSilent) return null;
    throw error;
  }
}

const SAYS_NOTHING: ReadonlySet<ChainErrorCode> = new Set(['unsupported', 'bad-answer']);

export function askHeadNumber(node: RpcNode, options?: RequestOptions): Promise<number> {
  return ask(node, safeInteger, 'eth_blockNumber', [], options);
}

/** `null` where the node has no such block (yet). */
export function askHeader(
  node: RpcNode,
  at: number | 'latest',
  options?: RequestOptions,
): Promise<Header | null> {
  const tag = at === 'latest' ? at : toQuantity(at);
  return ask(node, nullable(headerAnswer), 'eth_getBlockByNumber', [tag, false], options);
}

/** @param percentiles ascending, 0 to 100 */
export function askFeeHistory(
  node: RpcNode,
  count: number,
  newest: number | 'latest',
  percentiles: readonly number[],
  options?: RequestOptions,
): Promise<FeeHistoryAnswer> {
  const tag = newest === 'latest' ? newest : toQuantity(newest);
  return ask(node, feeHistoryAnswer, 'eth_feeHistory', [toQuantity(count), tag, percentiles], options);
}
