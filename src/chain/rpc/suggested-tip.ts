import { type Block, lowestPaidTip } from '../../core/block.ts';
import type { TestableClock } from '../async.ts';
import { type RpcNode, request } from './client.ts';
import { price as pricePerGas } from './decode.ts';

/** The node's own tip moves slowly: it is requested this often, and rarely where it was refused. */
const ASK_MS = 60_000;
const REFUSED_MS = 600_000;
/** A head must not wait long for it. */
const PATIENCE_MS = 1_500;

/** How much the newest block counts in the share of blocks in which tips are paid; below this share the node is asked. */
const NEWEST_WEIGHT = 0.02;
const LEAST_PAID_SHARE = 0.75;

export interface TipSuggestion {
  /** Of the newest blocks, the share in which tips are paid. */
  paidShare: number;
  count: number;
  /** Newest block in that share. */
  newest: number;
  /** Wei per gas; `null`: the node gives none. */
  tip: bigint | null;
  /** By `Clock.elapsed`. */
  askAt: number;
}

interface SuggestionOptions {
  readonly clock: TestableClock;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Adds the tip that the node itself suggests to its newest blocks, where what was paid in them is no evidence: few paid a tip,
 * the tip is the whole price, or the chain's nodes refuse low ones.
 */
export async function withSuggestedTip(
  node: RpcNode,
  blocks: Block[],
  { clock, signal }: SuggestionOptions,
): Promise<Block[]> {
  const { suggestion, feeRule } = node;
  const head = blocks.at(-1);
  if (head === undefined || node.isDevelopment) return blocks;
  for (const block of blocks) {
    if (block.number <= suggestion.newest) continue;
    const isPaid = lowestPaidTip(block) === null ? 0 : 1;
    suggestion.count += 1;
    suggestion.paidShare += Math.max(NEWEST_WEIGHT, 1 / suggestion.count) * (isPaid - suggestion.paidShare);
    suggestion.newest = block.number;
  }
  const isThin = suggestion.paidShare < LEAST_PAID_SHARE;
  if (!isThin && head.baseFeePerGas > 0n && feeRule.leastTip === undefined) return blocks;
  if (clock.elapsed() >= suggestion.askAt) {
    suggestion.tip = await suggestedTip(node, head, signal);
    suggestion.askAt = clock.elapsed() + (suggestion.tip === null ? REFUSED_MS : ASK_MS);
  }
  const { tip } = suggestion;
  return tip === null ? blocks : blocks.map((block) => ({ ...block, suggestedTip: tip }));
}

/** `null` when the node suggests none: what it refuses, or answers oddly, takes no price away. */
async function suggestedTip(
  node: RpcNode,
  { baseFeePerGas }: Block,
  signal: AbortSignal | undefined,
): Promise<bigint | null> {
  const late = AbortSignal.timeout(PATIENCE_MS);
  const ask = async (method: string) => {
    const options = { signal: signal ? AbortSignal.any([signal, late]) : late };
    const answer = await request(node, pricePerGas, method, [], options).catch(() => null);
    signal?.throwIfAborted();
    return answer;
  };
  const tip = await ask('eth_maxPriorityFeePerGas');
  if (tip !== null && tip > 0n) return tip;
  const price = await ask('eth_gasPrice');
  return price !== null && price > baseFeePerGas ? price - baseFeePerGas : tip;
}
