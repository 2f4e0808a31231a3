import { type Block, type BlockTips, type Hex, TIP_PERCENTILES } from '../../core/block.ts';
import type { Clock } from '../async.ts';
import {
  type ChainBlock,
  ChainError,
  type ChainReceipt,
  type IncludedTransaction,
  isRefusal,
  OversizedResponse,
  type RecentBlocks,
} from '../chain-source.ts';
import { type RequestOptions, type RpcNode, request, requestHead, requestHeader } from './client.ts';
import {
  blockResponse,
  type FeeHistoryResponse,
  feeHistoryResponse,
  fullBlockResponse,
  type Header,
  list,
  maybe,
  type ReceiptResponse,
  receiptResponse,
  statedFeeRule,
  toQuantity,
  toReceipt,
  toTransaction,
} from './decode.ts';

/** Number of retries of one page after "too many requests", after 1, 2, 4 s. */
const RATE_LIMIT_TRIES = 3;

interface ReadOptions {
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  readonly rateLimitTries?: number;
}

type FeeRows = Map<number, FeeRow>;

/**
 * Fee rows of the blocks `from`–`to` by number, and of the block above if the node has it; from the newest page down,
 * so that a node with a shorter history returns its part.
 *
 * @param head the newest block number that the node has reported
 * @param rows those of the newest page, if it is there already
 */
async function readFeeRows(
  node: RpcNode,
  from: number,
  to: number,
  head: number,
  options: ReadOptions,
  rows: FeeRows = new Map(),
): Promise<FeeRows> {
  // The last fee of a page is the node's forecast only if the page ends at its head (anvil returns the head's
  // forecast for any request): so request `latest`, or one block more than needed.
  let newest: number | 'latest' = to >= head ? 'latest' : to + 1;
  let end = to + 1;
  while (end >= from) {
    const page = await readPage(node, end - from + 1, newest, options);
    const oldest = page[0]?.number;
    if (oldest === undefined) break;
    if (newest !== 'latest' && oldest > newest) {
      const words = 'answers eth_feeHistory with other blocks than were asked for: try another node';
      throw new ChainError('bad-response', `${node.name} ${words}`);
    }
    for (const row of page) if (row.number >= from) rows.set(row.number, row);
    newest = end = oldest - 1;
    if (end < 0) break;
  }
  return rows;
}

/**
 * One page, halved until the node allows it. An empty one means that the node's history ends before it. Rejects when
 * the node has no `eth_feeHistory`, or refuses it for its newest block.
 */
async function readPage(
  node: RpcNode,
  wanted: number,
  newest: number | 'latest',
  options: ReadOptions,
): Promise<FeeRow[]> {
  let timedOut = false;
  let count = Math.min(wanted, node.feeHistoryPage);
  for (;;) {
    try {
      const tag = newest === 'latest' ? newest : toQuantity(newest);
      const params = [toQuantity(count), tag, TIP_PERCENTILES];
      const read = () => request(node, feeHistoryResponse, 'eth_feeHistory', params, options);
      const response = await patiently(read, options);
      // Only a successful count is stored as a limit: a refusal may concern the history.
      if (count < Math.min(wanted, node.feeHistoryPage)) node.feeHistoryPage = count;
      return readFeePage(response, node.name);
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      if (isRefusal(error)) {
        if (count === 1 && newest === 'latest') throw error;
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

/** Data of one block from `eth_feeHistory`. Wei per gas. */
interface FeeRow {
  readonly number: number;
  readonly baseFee: bigint;
  readonly gasUsedRatio: number;
  readonly blobBaseFee: bigint | null;
  readonly tips: BlockTips | null;
  /** Base fee of the next block: from its row, or the node's forecast for the newest. */
  readonly nextBaseFee: bigint | null;
  readonly nextBlobBaseFee: bigint | null;
}

/**
 * The rows of one response, ascending: n ratios and rewards, n + 1 fees (https://ethereum.github.io/execution-apis).
 * Empty when the node lacks the blocks.
 */
export function readFeePage(response: FeeHistoryResponse, node: string): FeeRow[] {
  const fees = response.baseFeePerGas ?? [];
  const ratios = response.gasUsedRatio ?? [];
  const blobFees = response.baseFeePerBlobGas ?? [];
  const rewards = response.reward ?? [];
  const count = ratios.length;
  const fits = (length: number) => length === 0 || length === count || length === count + 1;
  if (
    (fees.length !== count && fees.length !== count + 1) ||
    !fits(blobFees.length) ||
    !fits(rewards.length)
  ) {
    throw new ChainError(
      'bad-response',
      `${node} gives an answer to eth_feeHistory whose lists differ in length: try another node`,
    );
  }
  return ratios.map((ratio, index) => ({
    number: response.oldestBlock + index,
    baseFee: fees[index] ?? 0n,
    gasUsedRatio: Math.min(1, Math.max(0, ratio)),
    blobBaseFee: blobFee(blobFees[index]),
    tips: ladder(rewards[index], node),
    nextBaseFee: fees[index + 1] ?? null,
    nextBlobBaseFee: blobFee(blobFees[index + 1]),
  }));
}

/** The protocol's minimum is 1 wei (EIP-4844): nodes return 0 before blobs exist. */
function blobFee(fee: bigint | undefined): bigint | null {
  return fee === undefined || fee === 0n ? null : fee;
}

function ladder(reward: readonly bigint[] | null | undefined, node: string): BlockTips | null {
  if (!reward || reward.length === 0) return null;
  if (isTips(reward)) return reward;
  throw new ChainError(
    'bad-response',
    `${node} gives ${reward.length} tips per block where ${TIP_PERCENTILES.length} were asked for: try another node`,
  );
}

const isTips = (tips: readonly bigint[]): tips is BlockTips => tips.length === TIP_PERCENTILES.length;

/**
 * Combines fee rows and headers into the blocks `from`–`to`: with a header a block has hashes and gas, without one an
 * interpolated time. Drops unknown blocks, and those before them.
 */
function assembleBlocks(
  from: number,
  to: number,
  rows: FeeRows,
  headers: ReadonlyMap<number, Header>,
  timed: readonly Timed[] = [],
): Block[] {
  const known = [...headers.values(), ...timed].sort((a, b) => a.number - b.number);
  const blocks: Block[] = [];
  // Downwards, so that a missing block cuts off the past and never the present; `above` is the known header above.
  let above = known.length - 1;
  for (let number = to; number >= from; number--) {
    while (above > 0 && (known[above - 1]?.number ?? -1) >= number) above--;
    const header = headers.get(number);
    const row = rows.get(number);
    const next = rows.get(number + 1);
    const timestamp = header?.timestamp ?? interpolate(number, known[above - 1], known[above]);
    if (timestamp === null || row === undefined) break;
    const stated = header && statedFeeRule(header);
    blocks.push({
      number,
      ...(stated && { stated }),
      hash: header?.hash ?? null,
      parentHash: header?.parentHash ?? null,
      timestamp,
      baseFeePerGas: row.baseFee,
      gasUsed: header?.gasUsed ?? null,
      gasLimit: header?.gasLimit ?? null,
      gasUsedRatio: row.gasUsedRatio,
      blobBaseFee: row.blobBaseFee,
      nextBaseFee: next?.baseFee ?? row.nextBaseFee,
      nextBlobBaseFee: next ? next.blobBaseFee : row.nextBlobBaseFee,
      tips: row.tips,
    });
  }
  return blocks.reverse();
}

type Timed = Pick<Header, 'number' | 'timestamp'>;

function interpolate(number: number, below: Timed | undefined, above: Timed | undefined): number | null {
  if (!below || !above || number < below.number || number > above.number) return null;
  const share = (number - below.number) / (above.number - below.number);
  return Math.round(below.timestamp + share * (above.timestamp - below.timestamp));
}

/** Blocks this deep below the head cannot be reorganised here and need no header each. */
const HEADER_DEPTH = 64;
/** One header per this many blocks of deep history; times between are interpolated. */
const HEADER_SPACING = 1_024;
const PARALLEL = 8;
/** A fee page and a header may be of different branches, or of nodes behind one address with different heads. */
const TRIES = 3;
const RETRY_MS = 250;

/**
 * Blocks `from`–`to`, ascending, from one node; shorter at the start if its history is, and at the end if it lags behind
 * `head`, the newest header or block number that it has reported. Rejects with a `ChainError`.
 */
export async function readBlocks(
  node: RpcNode,
  from: number,
  to: number,
  head: Header | number,
  options: ReadOptions,
): Promise<Block[]> {
  const top = typeof head === 'number' ? head : head.number;
  const first = Math.max(0, from);
  const last = Math.min(to, top);
  if (first > last) return [];
  for (let attempt = 1; ; attempt++) {
    const rows = await readFeeRows(node, first, last, top, options);
    if (!rows.has(last) && attempt < TRIES) {
      await options.clock.sleep(RETRY_MS, options.signal);
      options.signal?.throwIfAborted();
      continue;
    }
    const newest = newestRow(rows, last);
    if (newest === -1) return [];
    const oldest = lowestInRow(rows, newest);
    const wanted: number[] = [];
    for (let number = oldest; number <= newest; number++) {
      const isEdge = number === oldest || number === newest || number % HEADER_SPACING === 0;
      if (isEdge || number > top - HEADER_DEPTH) wanted.push(number);
    }
    const known = attempt === 1 && typeof head !== 'number' ? head : null;
    const headers = await readHeaders(node, wanted, known, options);
    if (attempt < TRIES && !agree(rows, headers)) continue;
    // A missing header (a reorg in these milliseconds) ends the list before it; the next head brings the rest.
    const end = wanted.findLast((number) => headers.has(number)) ?? -1;
    return assembleBlocks(oldest, end, rows, headers);
  }
}

/** The newest row up to `last`, which it lacks while the node's fees lag behind its head; -1: there is none. */
const newestRow = (rows: FeeRows, last: number) =>
  rows.has(last) ? last : Math.max(-1, ...[...rows.keys()].filter((number) => number < last));

function lowestInRow(rows: FeeRows, last: number): number {
  let number = last;
  while (rows.has(number - 1)) number--;
  return number;
}

async function readHeaders(
  node: RpcNode,
  numbers: readonly number[],
  known: Header | null,
  { signal }: ReadOptions,
): Promise<Map<number, Header>> {
  const headers = new Map<number, Header>();
  const queue = [...numbers];
  const work = async () => {
    for (let number = queue.pop(); number !== undefined; number = queue.pop()) {
      const header = number === known?.number ? known : await requestHeader(node, number, { signal });
      if (header?.number === number) headers.set(number, header);
    }
  };
  await Promise.all(Array.from({ length: Math.min(PARALLEL, numbers.length) }, work));
  return headers;
}

function agree(rows: FeeRows, headers: ReadonlyMap<number, Header>): boolean {
  for (const [number, header] of headers) {
    const row = rows.get(number);
    if (row && row.baseFee !== header.baseFeePerGas) return false;
  }
  return true;
}

/**
 * The blocks after `known`, in one request when nothing is new and otherwise two; without `known`, or if it was
 * orphaned or lies further back, the newest `most`. Fees and tips are exact, the head and the oldest block are
 * complete; times between are interpolated and hashes unknown. For prices, not for storing. Does not retry after "too
 * many requests". Rejects with a `ChainError`.
 */
export async function readNewest(
  node: RpcNode,
  most: number,
  known: Block | null,
  onHead: (head: Header) => void,
  { clock, signal }: ReadOptions,
  attempt = 1,
): Promise<RecentBlocks> {
  const options = { clock, signal, rateLimitTries: 0 };
  // Two sequential round trips, where `readBlocks` takes a dozen.
  const [latest, firstPage] = await Promise.all([
    requestHead(node, options),
    known === null ? readPage(node, most, 'latest', options) : null,
  ]);
  onHead(latest);
  if (known !== null && latest.hash === known.hash) return { blocks: [], follows: true };
  const distance = known === null ? most : latest.number - known.number;
  if (known !== null && (distance <= 0 || distance >= most))
    return readNewest(node, most, null, onHead, { clock, signal });

  const from = known?.number ?? Math.max(latest.number - most + 1, 0);
  const rows: FeeRows = new Map(firstPage?.map((row) => [row.number, row]));
  const end = firstPage?.[0] === undefined ? latest.number : firstPage[0].number - 1;
  if (end >= from) await readFeeRows(node, from, end, latest.number, options, rows);
  // A block may come between the two responses, often on fast chains; or the fees lag behind the header.
  const last = newestRow(rows, latest.number);
  const head = last === latest.number || last === -1 ? latest : await requestHeader(node, last, options);
  const isOfHead = head !== null && rows.get(last)?.baseFee === head.baseFeePerGas;
  const headers = new Map(head && [[head.number, head]]);
  if (known !== null) {
    const isOther = head?.number === known.number + 1 && head.parentHash !== known.hash;
    if (isOfHead && !isOther && rows.get(known.number)?.baseFee === known.baseFeePerGas) {
      const blocks = assembleBlocks(known.number + 1, last, rows, headers, [known]);
      // A fee page may lag behind the header: then nothing is new yet.
      if (last === known.number || blocks[0]?.number === known.number + 1) return { blocks, follows: true };
    }
    return readNewest(node, most, null, onHead, { clock, signal });
  }
  if (!isOfHead) {
    if (attempt === TRIES) {
      throw new ChainError(
        'rejected',
        `${node.name} gives the fees of other blocks than its newest: try another node`,
      );
    }
    await clock.sleep(RETRY_MS, signal);
    signal?.throwIfAborted();
    return readNewest(node, most, null, onHead, { clock, signal }, attempt + 1);
  }
  const first = lowestInRow(rows, last);
  const oldest = first === head.number ? null : await requestHeader(node, first, options);
  if (oldest !== null) headers.set(oldest.number, oldest);
  return { blocks: assembleBlocks(first, head.number, rows, headers), follows: false };
}

/** Texts of Nethermind, Erigon and some providers where others return `null`. */
const NO_SUCH_BLOCK = /\b(?:block|header|resource)\b[^:]{0,80}\bnot found\b|unknown block/i;

/** The block at `number` on the node's chain; `null` when there is none. Rejects with a `ChainError`. */
export async function readBlock(
  node: RpcNode,
  number: number,
  options?: RequestOptions,
): Promise<ChainBlock | null> {
  const response = await nullIfUnknown(() =>
    request(node, maybe(blockResponse), 'eth_getBlockByNumber', [toQuantity(number), false], options),
  );
  if (response === null) return null;
  const { miner: feeRecipient, transactions, extraData: _, ...header } = response;
  if (header.number !== number) {
    throw new ChainError(
      'bad-response',
      `${node.name} sends an invalid response to eth_getBlockByNumber (number): try another node`,
    );
  }
  return { ...header, feeRecipient, transactionHashes: transactions };
}

/** Turns a refusal that means "no such block" into `null`. */
async function nullIfUnknown<T>(read: () => Promise<T | null>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ChainError && error.code === 'rejected' && NO_SUCH_BLOCK.test(error.message)) {
      return null;
    }
    throw error;
  }
}

/** The receipts of one block by hash; `null` when the node has none, or those of another block at that height. */
async function readReceipts(
  node: RpcNode,
  { number, hash }: Pick<ChainBlock, 'number' | 'hash'>,
  options: ReadOptions,
): Promise<ReadonlyMap<Hex, ReceiptResponse> | null> {
  // By number, which every node supports: not all support a hash, and each receipt names its block.
  const read = () =>
    request(node, maybe(list(receiptResponse)), 'eth_getBlockReceipts', [toQuantity(number)], options);
  const receipts = await orTooLarge(number, patiently(read, options));
  if (receipts?.every((receipt) => receipt.blockHash === hash) !== true) return null;
  return new Map(receipts.map((receipt) => [receipt.transactionHash, receipt]));
}

/** `null` until it is mined. */
export async function readReceipt(node: RpcNode, hash: Hex): Promise<ChainReceipt | null> {
  const response = await request(node, maybe(receiptResponse), 'eth_getTransactionReceipt', [hash]);
  return response && toReceipt(response);
}

async function patiently<T>(
  read: () => Promise<T>,
  { clock, signal, rateLimitTries = RATE_LIMIT_TRIES }: ReadOptions,
): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await read();
    } catch (error) {
      const isLimit = error instanceof ChainError && error.code === 'rate-limited';
      if (!isLimit || tries >= rateLimitTries) throw error;
      await clock.sleep(1_000 * 2 ** tries, signal);
      signal?.throwIfAborted();
    }
  }
}

/**
 * The transactions of a block with their receipts, in order; `null` when the node's chain has another block, or none,
 * at that number. Each transaction and receipt names this block. Rejects with a `ChainError`.
 */
export async function readTransactions(
  node: RpcNode,
  block: Pick<ChainBlock, 'number' | 'hash'>,
  options: ReadOptions,
): Promise<readonly IncludedTransaction[] | null> {
  for (let attempt = 1; ; attempt++) {
    // By number: by hash, nodes also return orphaned blocks.
    const response = await nullIfUnknown(() => requestFullBlock(node, block.number, options));
    if (response === null || response.hash !== block.hash) return null;
    const receipts = await readReceipts(node, block, options);
    // Some chains omit the receipts of system transactions, which have no gas (Polygon's state syncs).
    const paying = response.transactions.filter(({ hash, gas }) => gas > 0n || receipts?.has(hash));
    if (receipts !== null && paying.every(({ hash }) => receipts.has(hash))) {
      return paying.flatMap((each) => {
        const receipt = receipts.get(each.hash);
        return receipt ? [{ transaction: toTransaction(each), receipt: toReceipt(receipt) }] : [];
      });
    }
    if (attempt === TRIES) {
      // No failure of the node: many have receipts only of the newest blocks.
      throw new ChainError(
        'rejected',
        `${node.name} has no receipts for block ${block.number}: use a node that keeps them`,
      );
    }
    await options.clock.sleep(RETRY_MS, options.signal);
    options.signal?.throwIfAborted();
  }
}

async function requestFullBlock(node: RpcNode, number: number, { signal }: ReadOptions) {
  const params = [toQuantity(number), true];
  const read = request(node, maybe(fullBlockResponse), 'eth_getBlockByNumber', params, { signal });
  const response = await orTooLarge(number, read);
  if (!response?.transactions.some(({ blockHash }) => blockHash !== response.hash)) return response;
  throw new ChainError(
    'bad-response',
    `${node.name} answers eth_getBlockByNumber with transactions of another block: try another node`,
  );
}

/** A response that is too large is no failure of the node: this block is too large. */
async function orTooLarge<T>(number: number, response: Promise<T>): Promise<T> {
  return response.catch((error: unknown) => {
    if (!(error instanceof OversizedResponse)) throw error;
    throw new ChainError('rejected', `block ${number} is too large to be read whole: ${error.message}`);
  });
}
