import type { Block } from '../../core/block.ts';
import { gasOfReceipts, type PaidTip, paidTips, tipsByGas, weighedBy } from '../../core/tips-by-gas.ts';
import { type RpcNode, request } from './client.ts';
import { list, nullish, receiptResponse, toQuantity } from './decode.ts';

/** A head must not wait long for its receipts. */
const PATIENCE_MS = 3_000;
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
      const paid = await readPaidTips(node, block, signal);
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
  signal: AbortSignal | undefined,
): Promise<readonly PaidTip[] | null> {
  const late = AbortSignal.timeout(PATIENCE_MS);
  const options = { signal: signal ? AbortSignal.any([signal, late]) : late };
  const asked = request(
    node,
    nullish(list(receiptResponse)),
    'eth_getBlockReceipts',
    [toQuantity(number)],
    options,
  );
  const receipts = await asked.catch(() => null);
  signal?.throwIfAborted();
  if (receipts === null || receipts.length === 0) return null;
  return receipts.every(({ blockHash }) => blockHash === hash) ? paidTips(receipts, baseFeePerGas) : null;
}
