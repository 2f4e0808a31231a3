import { TIP_PERCENTILES } from '../../core/block.ts';
import { ChainError, isRefusal } from '../errors.ts';
import type { Clock } from './clock.ts';
import { type FeeRow, readFeePage } from './fee-page.ts';
import { askFeeHistory, type RpcNode } from './rpc-node.ts';

/** How often one page is asked for again after "too many requests", waiting 1, 2, 4 s. */
const RATE_LIMIT_TRIES = 3;

export interface FeeHistoryOptions {
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Fee rows of the blocks `from`–`to` by number, from the newest page down, so that a node whose past begins later
 * gives what it has. Empty where the node has no `eth_feeHistory`.
 *
 * @param head the newest block number the node has said
 */
export async function readFeeRows(
  node: RpcNode,
  from: number,
  to: number,
  head: number,
  options: FeeHistoryOptions,
): Promise<ReadonlyMap<number, FeeRow>> {
  const rows = new Map<number, FeeRow>();
  // The last fee of a page is the node's forecast only where the page ends at its head (anvil writes the head's
  // forecast there whatever was asked): so ask for `latest`, or for one block more than is wanted.
  let newest: number | 'latest' = to >= head ? 'latest' : to + 1;
  let end = to + 1;
  while (end >= from) {
    const page = await readPage(node, end - from + 1, newest, options);
    const oldest = page[0]?.number;
    if (oldest === undefined) break;
    for (const row of page) {
      // A row above `to` is kept for a moment: it is what the row below it says of its next block.
      if (row.number >= from) rows.set(row.number, row);
    }
    if (newest !== 'latest' && oldest > newest) throw strayPage(node);
    end = oldest - 1;
    newest = end;
    if (end < 0) break;
  }
  return joined(rows, to);
}

/** Across page edges too, the next block's own fee is what the row before says of it. */
function joined(rows: ReadonlyMap<number, FeeRow>, to: number): ReadonlyMap<number, FeeRow> {
  const result = new Map<number, FeeRow>();
  for (const [number, row] of rows) {
    if (number > to) continue;
    const next = rows.get(number + 1);
    result.set(number, next ? { ...row, nextBaseFee: next.baseFee, nextBlobBaseFee: next.blobBaseFee } : row);
  }
  return result;
}

/** One page, halved until the node allows it. An empty one means that the node's past does not go there. */
async function readPage(
  node: RpcNode,
  wanted: number,
  newest: number | 'latest',
  { clock, signal }: FeeHistoryOptions,
): Promise<FeeRow[]> {
  let rateLimited = 0;
  let timedOut = false;
  let count = Math.min(wanted, node.feeHistoryPage);
  if (count === 0) return [];
  for (;;) {
    try {
      const answer = await askFeeHistory(node, count, newest, TIP_PERCENTILES, { signal });
      // Only a limit under which an answer came is worth remembering: a refusal may have been about the past.
      if (count < Math.min(wanted, node.feeHistoryPage)) node.feeHistoryPage = count;
      return readFeePage(answer, node.name);
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      if (error.code === 'unsupported') {
        node.feeHistoryPage = 0;
        return [];
      }
      if (error.code === 'rate-limited' && rateLimited < RATE_LIMIT_TRIES) {
        await clock.sleep(1_000 * 2 ** rateLimited++, signal);
      } else if (isRefusal(error)) {
        if (count === 1) return [];
        count = Math.ceil(count / 2);
      } else if (error.code === 'timeout' && count > 64 && !timedOut) {
        // A slow node may manage a smaller page; a hanging one must not hang for every size.
        timedOut = true;
        count = Math.ceil(count / 4);
      } else {
        throw error;
      }
    }
  }
}

function strayPage(node: RpcNode): ChainError {
  return new ChainError(
    'bad-answer',
    `${node.name} answers eth_feeHistory with other blocks than were asked for: try another node`,
  );
}
