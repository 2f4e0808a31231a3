import { paysAt } from '../../core/auto-txs/target.ts';
import { type Block, blockTips, lowestPaidTip } from '../../core/block.ts';
import { gasOfReceipts, type PaidTip, paidTips, tipsByGas, weighedBy } from '../../core/tips-by-gas.ts';
import { most } from '../../core/transactions/pool-rules.ts';
import type { TestableClock } from '../async.ts';
import { ifSaid, type RequestOptions, type RpcNode, request } from './client.ts';
import {
  fullBlockResponse,
  list,
  nullish,
  price as pricePerGas,
  receiptResponse,
  toQuantity,
} from './decode.ts';

/** What a node says of tips, where that cannot be, is weighed otherwise than paid, or is no evidence. */

/** A block's rewards by `eth_feeHistory`. */
interface Rewarded extends Pick<Block, 'number' | 'tips'> {
  readonly baseFeePerGas: bigint | null;
}

export const ODD_REWARDS =
  'eth_feeHistory has rewards that cannot be (below 0, missing, above what the transactions could pay): they count as unknown';

/** A reward above both is held against what the transactions of its block could pay. */
const DOUBTED_WEI = 1_000_000_000_000n;
const DOUBTED_MULTIPLE = 50n;

const isDoubted = (tip: bigint | null, { baseFeePerGas }: Rewarded) =>
  tip !== null && tip > DOUBTED_WEI && tip > DOUBTED_MULTIPLE * (baseFeePerGas ?? 0n);

/** Rewards that the newest block with doubted ones could not have paid are unknown, and so are the doubted ones of the others. */
export async function believable<Row extends Rewarded>(
  node: RpcNode,
  rows: Row[],
  signal: AbortSignal | undefined,
): Promise<Row[]> {
  const isOdd = (row: Row) => row.tips?.some((tip) => isDoubted(tip, row)) === true;
  const newest = rows.findLast(isOdd);
  if (newest === undefined) return rows;
  const highest = await mostPaidTip(node, newest, signal);
  if (newest.tips?.every((tip) => tip === null || tip <= highest)) return rows;
  node.notes.set('rewards', ODD_REWARDS);
  return rows.map((row) =>
    isOdd(row)
      ? { ...row, tips: blockTips((row.tips ?? []).map((tip) => (isDoubted(tip, row) ? null : tip))) }
      : row,
  );
}

/** The highest tip that a transaction of the block signed for, wei per gas; 0 where the node does not say. */
async function mostPaidTip(
  node: RpcNode,
  { number, baseFeePerGas }: Rewarded,
  signal: AbortSignal | undefined,
): Promise<bigint> {
  const params = [toQuantity(number), true];
  const block = await ifSaid(
    request(node, nullish(fullBlockResponse), 'eth_getBlockByNumber', params, { signal }),
  );
  const fee = block?.baseFeePerGas ?? baseFeePerGas ?? 0n;
  return most(...(block?.transactions ?? []).map((signed) => paysAt(signed, fee) - fee));
}

/** A head must not wait long for its receipts, nor for a suggestion. */
const RECEIPTS_MS = 3_000;
const SUGGESTION_MS = 1_500;

/** What is known of how a node weighs the rewards of `eth_feeHistory`. */
export interface TipWeights {
  /** Whether it goes by the header's gas, so that receipts are read. */
  isByHeader: boolean;
  /** Blocks in a row that told the other. */
  against: number;
  /** Blocks compared since one told. */
  compared: number;
  /** Number of the next block to be compared. */
  compareAt: number;
}

/** One block in so many is compared with its receipts, and each one until some tell. */
const COMPARE_EVERY = 50;
const COMPARED_AT_FIRST = 8;
/** So many in a row say the same before it counts. */
const AGREEING = 2;
/** The newest of several blocks that are weighed by receipts: a request each. */
const WEIGHED_MOST = 4;

const BY_HEADER =
  "eth_feeHistory weighs tips by the header's gas, which is not what transactions pay since Amsterdam (EIP-8037): those of new blocks are weighed by receipts here, older ones are as stated";

/**
 * Corrects the tips of the newest blocks by their receipts where a node weighs them by the header's gas. Before Amsterdam both are
 * the same, and nothing is requested. Where receipts do not come in time, tips stay as stated.
 */
export async function withReceiptTips(
  node: RpcNode,
  blocks: Block[],
  signal: AbortSignal | undefined,
): Promise<Block[]> {
  const { tipWeights } = node;
  const head = blocks.at(-1);
  if (head === undefined || !mayDiffer(head)) return blocks;
  const isDue = head.number >= tipWeights.compareAt;
  if (!tipWeights.isByHeader && !isDue) return blocks;
  const most = tipWeights.isByHeader ? WEIGHED_MOST : 1;
  const weighed = await Promise.all(
    blocks.map(async (block, place) => {
      if (place < blocks.length - most || !mayDiffer(block)) return block;
      const paid = await readPaidTips(node, block, { signal, withinMs: RECEIPTS_MS });
      if (paid === null) return block;
      learn(node, block, paid);
      return { ...block, tips: tipsByGas(paid, gasOfReceipts(paid)) ?? block.tips };
    }),
  );
  if (!tipWeights.isByHeader && isDue) {
    const isOpen = tipWeights.against > 0 || tipWeights.compared < COMPARED_AT_FIRST;
    tipWeights.compareAt = head.number + (isOpen ? 1 : COMPARE_EVERY);
  }
  return weighed;
}

const mayDiffer = ({ blockAccessListHash, hash, tips, gasUsed }: Block) =>
  blockAccessListHash != null && hash !== null && tips !== null && gasUsed !== null && gasUsed > 0n;

function learn(node: RpcNode, { tips, gasUsed }: Block, paid: readonly PaidTip[]): void {
  const { tipWeights } = node;
  const told = tips === null || gasUsed === null ? null : weighedBy(tips, paid, gasUsed);
  tipWeights.compared += 1;
  if (told === null) return;
  const isOther = (told === 'header') !== tipWeights.isByHeader;
  tipWeights.against = isOther ? tipWeights.against + 1 : 0;
  if (!isOther) tipWeights.compared = COMPARED_AT_FIRST;
  if (tipWeights.against < AGREEING) return;
  tipWeights.isByHeader = told === 'header';
  tipWeights.against = 0;
  if (tipWeights.isByHeader) node.notes.set('weights', BY_HEADER);
  else node.notes.delete('weights');
}

/** `null`: the node does not say all of them in time. */
async function readPaidTips(
  node: RpcNode,
  { number, hash, baseFeePerGas }: Block,
  options: RequestOptions,
): Promise<readonly PaidTip[] | null> {
  const params = [toQuantity(number)];
  const shape = nullish(list(receiptResponse));
  const receipts = (await ifSaid(request(node, shape, 'eth_getBlockReceipts', params, options))) ?? [];
  const areOfBlock = receipts.length > 0 && receipts.every(({ blockHash }) => blockHash === hash);
  return areOfBlock ? paidTips(receipts, baseFeePerGas) : null;
}

/** The node's own tip moves slowly: it is requested this often, and rarely where it was refused. */
const ASK_MS = 60_000;
const REFUSED_MS = 600_000;

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

/**
 * Adds the tip that the node itself suggests to its newest blocks, where what was paid in them is no evidence: few paid a tip,
 * the tip is the whole price, or the chain's nodes refuse low ones.
 */
export async function withSuggestedTip(
  node: RpcNode,
  blocks: Block[],
  { clock, signal }: RequestOptions & { readonly clock: TestableClock },
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
  const until = performance.now() + SUGGESTION_MS;
  const ask = async (method: string) => {
    const withinMs = until - performance.now();
    return withinMs > 0 ? ifSaid(request(node, pricePerGas, method, [], { signal, withinMs })) : undefined;
  };
  const tip = await ask('eth_maxPriorityFeePerGas');
  if (tip !== undefined && tip > 0n) return tip;
  const price = await ask('eth_gasPrice');
  return price !== undefined && price > baseFeePerGas ? price - baseFeePerGas : (tip ?? null);
}
