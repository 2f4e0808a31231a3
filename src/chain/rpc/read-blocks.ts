import type { Block } from '../../core/block.ts';
import type { Header } from './answers.ts';
import { assembleBlocks } from './assemble-blocks.ts';
import { type FeeHistoryOptions, readFeeRows } from './fee-history.ts';
import type { FeeRow } from './fee-page.ts';
import { askHeader, type RpcNode } from './rpc-node.ts';

/** Blocks this deep below the head are too deep to be reorganised here and need no header each. */
const HEADER_DEPTH = 64;
/** One header in so many blocks of deep history; times between are interpolated. */
const HEADER_SPACING = 1_024;
/** Without `eth_feeHistory` each block is a request of its own. */
const HEADERS_ONLY = 1_024;
const PARALLEL = 8;
/** A fee page and a header may be of different branches, or of nodes behind one address that are not level. */
const TRIES = 3;
const RETRY_MS = 250;

export interface ReadBlocksOptions extends FeeHistoryOptions {
  /** Headers that are at hand already. */
  readonly headers?: readonly Header[];
}

/**
 * Blocks `from`–`to`, ascending, from one node; shorter at the beginning where its past begins later, at the end
 * where it has not got so far. Rejects with a `ChainError`.
 *
 * @param head the newest block number the node has said
 */
export async function readBlocks(
  node: RpcNode,
  from: number,
  to: number,
  head: number,
  options: ReadBlocksOptions,
): Promise<Block[]> {
  const first = Math.max(0, from);
  const last = Math.min(to, head);
  if (first > last) return [];
  const given = new Map(options.headers?.map((header) => [header.number, header]));
  for (let attempt = 1; ; attempt++) {
    const rows = await readFeeRows(node, first, last, head, options);
    if (node.feeHistoryPage > 0 && !rows.has(last) && attempt < TRIES) {
      await options.clock.sleep(RETRY_MS, options.signal);
      options.signal?.throwIfAborted();
      continue;
    }
    const oldest = rows.has(last) ? lowestInRow(rows, last) : Math.max(first, last - HEADERS_ONLY + 1);
    const wanted = headersWanted(oldest, last, head, rows);
    const headers = await readHeaders(node, wanted, attempt === 1 ? given : new Map(), options);
    if (attempt < TRIES && !agree(rows, headers)) continue;
    return assembleBlocks(oldest, newestKnown(last, wanted, headers), rows, headers);
  }
}

function lowestInRow(rows: ReadonlyMap<number, FeeRow>, last: number): number {
  let number = last;
  while (rows.has(number - 1)) number--;
  return number;
}

function headersWanted(
  oldest: number,
  last: number,
  head: number,
  rows: ReadonlyMap<number, FeeRow>,
): number[] {
  const wanted: number[] = [];
  for (let number = oldest; number <= last; number++) {
    const edge = number === oldest || number === last || number % HEADER_SPACING === 0;
    if (edge || number > head - HEADER_DEPTH || !rows.has(number)) wanted.push(number);
  }
  return wanted;
}

async function readHeaders(
  node: RpcNode,
  numbers: readonly number[],
  given: ReadonlyMap<number, Header>,
  { signal }: ReadBlocksOptions,
): Promise<Map<number, Header>> {
  const headers = new Map<number, Header>();
  const queue = [...numbers];
  const work = async () => {
    for (let number = queue.pop(); number !== undefined; number = queue.pop()) {
      const header = given.get(number) ?? (await askHeader(node, number, { signal }));
      if (header?.number === number) headers.set(number, header);
    }
  };
  await Promise.all(Array.from({ length: Math.min(PARALLEL, numbers.length) }, work));
  return headers;
}

/** Rows and headers of the same blocks name the same base fee. */
function agree(rows: ReadonlyMap<number, FeeRow>, headers: ReadonlyMap<number, Header>): boolean {
  for (const [number, header] of headers) {
    const row = rows.get(number);
    if (row && row.baseFee !== header.baseFeePerGas) return false;
  }
  return true;
}

/** A header that has gone (a reorg in these milliseconds) ends the list before it; the next head brings the rest. */
function newestKnown(last: number, wanted: readonly number[], headers: ReadonlyMap<number, Header>): number {
  for (let index = wanted.length - 1; index >= 0; index--) {
    const number = wanted[index];
    if (number !== undefined && headers.has(number)) return Math.min(last, number);
  }
  return -1;
}
