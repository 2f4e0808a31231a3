import { type Block, blockTips, TIP_PERCENTILES } from '../../core/block.ts';
import { gasUsedRatioFromBaseFees } from '../../core/eip1559.ts';
import { backOffMs } from '../../core/time.ts';
import { mapBounded, type TestableClock } from '../async.ts';
import {
  type BlockId,
  ChainError,
  isRefusal,
  OversizedResponse,
  paidPrice,
  type RecentBlocks,
} from '../chain-source.ts';
import {
  NULL_ROUND,
  type RequestOptions,
  type RpcNode,
  request,
  requestHead,
  requestHeader,
} from './client.ts';
import {
  blockResponse,
  type FeeHistoryResponse,
  feeHistoryResponse,
  fullBlockResponse,
  type Header,
  list,
  nullish,
  receiptResponse,
  statedFeeRule,
  toQuantity,
} from './decode.ts';
import { aligned, leavesHeightsOut, type PlacedRow, spread } from './null-rounds.ts';
import { believable, ODD_REWARDS, withReceiptTips, withSuggestedTip } from './tips.ts';

interface ReadOptions extends RequestOptions {
  readonly clock: TestableClock;
  /** Number of retries of one request after "too many requests", after 1, 2, 4 s. */
  readonly rateLimitTries?: number;
}

const RATE_LIMIT_TRIES = 3;
const LONGEST_RETRY_MS = 8_000;

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
      // A node that names a longer pause is left alone until then.
      if ((error.retryAfterMs ?? 0) > LONGEST_RETRY_MS) throw error;
      await clock.sleep(Math.max(backOffMs(tries, 1_000), error.retryAfterMs ?? 0), signal);
      signal?.throwIfAborted();
    }
  }
}

/** Two responses may be of different branches, or of nodes behind one address with different heads. */
const TRIES = 3;
const RETRY_MS = 250;

/** Calls `read` again while it resolves to `undefined`; so does this after the last of some tries. */
async function untilAgreed<T>(
  { clock, signal }: ReadOptions,
  read: (attempt: number) => Promise<T | undefined>,
): Promise<T | undefined> {
  for (let attempt = 1; ; attempt++) {
    const result = await read(attempt);
    if (result !== undefined || attempt === TRIES) return result;
    await clock.sleep(RETRY_MS, signal);
    signal?.throwIfAborted();
  }
}

/** Data of one block from `eth_feeHistory`; the next base fee is the node's forecast for its newest block. */
interface FeeRow
  extends PlacedRow,
    Pick<Block, 'number' | 'blobBaseFee' | 'tips' | 'nextBaseFee' | 'nextBlobBaseFee'> {
  /** `null`: the node does not say it, and the header does. */
  readonly baseFeePerGas: bigint | null;
  readonly gasUsedRatio: number | null;
}
type FeeRows = Map<number, FeeRow>;

const badResponse = (node: Pick<RpcNode, 'name'>, words: string) =>
  new ChainError('bad-response', `${node.name} ${words}: try another node`);

const ODD_ORDER = 'eth_feeHistory has rewards out of order: they are sorted';
const ODD_FIGURES =
  'eth_feeHistory lacks base fees or gas-used ratios, or its lists differ in length: headers stand in, or they count as unknown';

/**
 * Ascending: n ratios and rewards, n + 1 fees (https://ethereum.github.io/execution-apis); empty if the node lacks the blocks.
 * What is odd is unknown, and noted.
 */
export function readFeePage(response: FeeHistoryResponse, { notes }: Pick<RpcNode, 'notes'>): FeeRow[] {
  const { oldestBlock } = response;
  if (oldestBlock === null) return [];
  const fees = response.baseFeePerGas ?? [];
  const listOf = <T>(values: readonly T[] | null, count: number): readonly T[] => {
    const fits = values === null || values.length === count || values.length === count + 1;
    if (!fits && values.length > 0) notes.set('figures', ODD_FIGURES);
    return fits ? (values ?? []) : [];
  };
  const ratioCount = response.gasUsedRatio?.length ?? -1;
  const count = ratioCount === fees.length ? fees.length : Math.max(fees.length - 1, 0);
  const ratios = listOf(response.gasUsedRatio, count);
  const blobFees = listOf(response.baseFeePerBlobGas, count);
  const rewards = listOf(response.reward, count);
  // The protocol's minimum is 1 wei (EIP-4844): nodes return 0 before blobs exist.
  const blobFeeAt = (index: number) => blobFees[index] || null;
  return Array.from({ length: count }, (_, index) => {
    const [fee = null, ratio = null, reward = []] = [fees[index], ratios[index], rewards[index] ?? []];
    const tips = blockTips(reward);
    const isShort = reward.length > 0 && reward.length !== TIP_PERCENTILES.length;
    if (isShort || reward.includes(null)) notes.set('rewards', ODD_REWARDS);
    else if (tips?.some((tip, place) => tip !== reward[place])) notes.set('order', ODD_ORDER);
    if (fee === null || ratio === null) notes.set('figures', ODD_FIGURES);
    return {
      number: oldestBlock + index,
      baseFeePerGas: fee,
      gasUsedRatio: ratio === null ? null : Math.min(1, ratio),
      blobBaseFee: blobFeeAt(index),
      tips,
      nextBaseFee: fees[index + 1] ?? null,
      nextBlobBaseFee: blobFeeAt(index + 1),
    };
  });
}

/** One page, halved until the node allows it; empty where its history ends before it. */
async function readPage(node: RpcNode, wanted: number, newest: number | 'latest', options: ReadOptions) {
  const most = Math.min(wanted, node.feeHistoryPage);
  const tag = newest === 'latest' ? newest : toQuantity(newest);
  let timedOut = false;
  for (let count = most; ; ) {
    try {
      const params = [toQuantity(count), tag, TIP_PERCENTILES];
      const read = () => request(node, feeHistoryResponse, 'eth_feeHistory', params, options);
      const response = await patiently(read, options);
      node.longestFeePage = Math.max(node.longestFeePage, count);
      // Only a successful count is stored as a limit, and none below what it gave before: its history ends here.
      if (count < most) node.feeHistoryPage = timedOut ? count : node.longestFeePage;
      const page = await believable(node, readFeePage(response, node), options.signal);
      // Not for a deep history, which would take a request for each block.
      const isNear = newest === 'latest' || count <= MOST_ODD;
      const isUnusable = response.baseFeePerGas === null || response.oldestBlock === null;
      return isUnusable && isNear ? rowsOfHeaders(node, count, newest, options) : page;
    } catch (error) {
      const isSlow = error instanceof ChainError && error.code === 'timeout' && count > 64 && !timedOut;
      if (isSlow) {
        // A slow node may manage a smaller page; a hanging one must not hang for every size.
        timedOut = true;
        count = Math.ceil(count / 4);
      } else if (!isRefusal(error) || (count === 1 && newest === 'latest')) throw error;
      else if (count === 1) return [];
      else count = Math.ceil(count / 2);
    }
  }
}

/** Where a node gives no fees at all, as some do now and then: those of its newest headers, without tips. */
async function rowsOfHeaders(node: RpcNode, count: number, newest: number | 'latest', options: ReadOptions) {
  const head = newest === 'latest' ? await requestHead(node, options) : null;
  const top = head?.number ?? Number(newest);
  const length = Math.min(count, MOST_ODD, top + 1);
  const heights = Array.from({ length }, (_, index) => top - length + 1 + index);
  const headers = await readHeaders(node, heights, head, options);
  if (headers.size > 0) node.notes.set('figures', ODD_FIGURES);
  return [...headers.values()]
    .sort((a, b) => a.number - b.number)
    .map((header): FeeRow => {
      const { number, baseFeePerGas } = header;
      const nextBaseFee = headers.get(number + 1)?.baseFeePerGas ?? null;
      const unknown = { blobBaseFee: null, tips: null, nextBlobBaseFee: null };
      return { ...unknown, number, baseFeePerGas, gasUsedRatio: ratioOf(header), nextBaseFee };
    });
}

interface Range {
  readonly from: number;
  readonly to: number;
  /** The node's newest block. */
  readonly head: number;
}

/** Adds the rows of the blocks and of the one above, from the newest page down: a short history gives its part. */
async function readFeeRows(
  node: RpcNode,
  { from, to, head }: Range,
  options: ReadOptions,
  rows: FeeRows = new Map(),
): Promise<FeeRows> {
  // The last fee of a page is the node's forecast only if the page ends at its head (anvil returns the head's
  // forecast for any request): so request `latest`, or one block more than needed.
  let newest: number | 'latest' = to >= head ? 'latest' : to + 1;
  for (let end = to + 1; end >= from && end >= 0; ) {
    const page = await readPage(node, end - from + 1, newest, options);
    const oldest = page[0]?.number;
    if (oldest === undefined) break;
    if (newest !== 'latest' && oldest > newest)
      throw badResponse(node, 'answers eth_feeHistory with other blocks than were asked for');
    const isTop = newest === 'latest';
    const top = newest === 'latest' ? head : newest;
    const leavesOut = isTop
      ? await leavesHeightsOut(node, extentOf(page, top), top, options)
      : node.hasNullRounds;
    // Rows below belong where heights were left out: the lowest height may have none itself, and takes the place of one below.
    for (const row of leavesOut ? spread(page, top) : page)
      if (leavesOut || row.number >= from) rows.set(row.number, row);
    newest = end = oldest - 1;
  }
  return rows;
}

type Headers = ReadonlyMap<number, Header>;

/** Without a header a block has no hash and no gas, and an interpolated time. Drops unknown blocks, and those before them. */
function assembleBlocks(
  { feeRule }: RpcNode,
  { from, to }: Pick<Range, 'from' | 'to'>,
  rows: FeeRows,
  headers: Headers,
  below?: Timed,
): Block[] {
  const known: Timed[] = [...(below ? [below] : []), ...headers.values()].sort((a, b) => a.number - b.number);
  const blocks: Block[] = [];
  // Downwards, so that a missing block cuts off the past and never the present; `above` is the known header above.
  let above = known.length - 1;
  for (let number = to; number >= from; number--) {
    while (above > 0 && (known[above - 1]?.number ?? -1) >= number) above--;
    const header = headers.get(number);
    const row = rows.get(number);
    const next = rows.get(number + 1);
    const baseFeePerGas = row?.baseFeePerGas ?? header?.baseFeePerGas;
    const between = interpolate(number, known[above - 1], known[above]);
    const timestamp =
      header?.timestamp ?? between ?? (row?.isNull ? (known[above]?.timestamp ?? null) : null);
    // A height without a block takes the place of the block below, so that the next one follows it.
    const under = row?.isNull ? (headers.get(blockBelow(rows, number))?.hash ?? null) : null;
    if (timestamp === null || row === undefined || baseFeePerGas === undefined) break;
    const stated = header && statedFeeRule(header);
    const nextBaseFee = next ? next.baseFeePerGas : row.nextBaseFee;
    const ratio = row.gasUsedRatio ?? (header ? ratioOf(header) : null);
    const { isNull = false, ...fees } = row;
    blocks.push({
      ...fees,
      ...(next && { nextBlobBaseFee: next.blobBaseFee }),
      nextBaseFee,
      baseFeePerGas,
      gasUsedRatio: ratio ?? gasUsedRatioFromBaseFees(baseFeePerGas, nextBaseFee ?? baseFeePerGas, feeRule),
      ...(stated && { stated }),
      ...(header && {
        blockAccessListHash: header.blockAccessListHash,
        slotNumber: header.slotNumber,
      }),
      hash: header?.hash ?? under,
      parentHash: header?.parentHash ?? under,
      timestamp,
      gasUsed: isNull ? 0n : (header?.gasUsed ?? null),
      gasLimit: isNull ? 0n : (header?.gasLimit ?? null),
    });
  }
  return blocks.reverse();
}

/** A header without a base fee, which reads as 0, contradicts none. */
const isFeeOf = ({ baseFeePerGas }: Header, fee: bigint) => baseFeePerGas === 0n || baseFeePerGas === fee;

const ratioOf = ({ gasUsed, gasLimit }: Header) =>
  gasLimit === 0n ? 0 : Math.min(Number(gasUsed) / Number(gasLimit), 1);

/** More odd rows in one answer than this are used without what only their headers say. */
const MOST_ODD = 64;

const oddRows = (rows: FeeRows) =>
  [...rows.values()]
    .filter(({ baseFeePerGas, gasUsedRatio }) => baseFeePerGas === null || gasUsedRatio === null)
    .map(({ number }) => number)
    .sort((a, b) => a - b)
    .slice(-MOST_ODD);

/** Heights whose headers date the oldest block: one of several has a block where not all have. */
const lowest = ({ hasNullRounds }: RpcNode, first: number) =>
  Array.from({ length: hasNullRounds ? 6 : 1 }, (_, offset) => first + offset);

const extentOf = (page: readonly FeeRow[], head: number) => ({
  count: page.length,
  last: page.at(-1)?.number ?? head,
});

/** Moves the rows of the newest blocks to the heights of their headers, which are all known there. */
function alignTop(rows: FeeRows, { to, head }: Range, headers: Headers): void {
  if (to <= head - HEADER_DEPTH) return;
  const heights = [...headers.keys()].filter((number) => number > head - HEADER_DEPTH);
  const all = [...rows.values()].sort((a, b) => a.number - b.number);
  const oldest = all[0]?.number ?? 0;
  rows.clear();
  for (const row of aligned(all, heights, Math.min(to + 1, head)))
    if (row.number >= oldest) rows.set(row.number, row);
}

/** The block below a height that has none. */
function blockBelow(rows: FeeRows, number: number): number {
  let at = number;
  while (rows.get(at)?.isNull) at--;
  return at;
}

type Timed = Pick<Header, 'number' | 'timestamp'>;

function interpolate(number: number, below: Timed | undefined, above: Timed | undefined): number | null {
  if (!below || !above || number < below.number || number > above.number) return null;
  const share = (number - below.number) / (above.number - below.number);
  return Math.round(below.timestamp + share * (above.timestamp - below.timestamp));
}

/** No chain that makes blocks by a clock is slower: in between it stood still, or one of the two times is wrong. */
const SLOWEST_SEC = 60;
const MOST_MIDDLES = 32;

/** Adds headers between those whose times contradict the chain's pace, until it is known where: none is interpolated across. */
async function readUnevenTimes(
  node: RpcNode,
  headers: Map<number, Header>,
  below: Timed | null,
  { signal }: ReadOptions,
): Promise<void> {
  for (let count = 0; count < MOST_MIDDLES; count++) {
    const known = [...(below ? [below] : []), ...headers.values()].sort((a, b) => b.number - a.number);
    const place = known.findIndex((low, index) => isUneven(low, known[index - 1]));
    const [high, low] = [known[place - 1], known[place]];
    if (!high || !low) return;
    const middle = await requestHeader(node, Math.floor((low.number + high.number) / 2), { signal });
    if (middle === null) return;
    headers.set(middle.number, middle);
  }
}

function isUneven(low: Timed, high: Timed | undefined): boolean {
  if (high === undefined || high.number - low.number < 2) return false;
  const stepSec = (high.timestamp - low.timestamp) / (high.number - low.number);
  return stepSec < 0 || stepSec > SLOWEST_SEC;
}

/** The time of block 0 is chosen: many have 0, others that of their file. The block above has the first that is measured. */
const GENESIS_LEAD_SEC = 3_600;

/** Adds the header above block 0; if their times contradict each other, block 0 has none and goes. */
async function judgeGenesis(
  node: RpcNode,
  headers: Map<number, Header>,
  { signal }: ReadOptions,
): Promise<void> {
  const genesis = headers.get(0);
  const first = genesis && (headers.get(1) ?? (await requestHeader(node, 1, { signal })));
  if (!first) return;
  const leadSec = first.timestamp - genesis.timestamp;
  headers.set(1, first);
  if (leadSec < 0 || leadSec > GENESIS_LEAD_SEC) headers.delete(0);
}

/** Blocks this deep below the head cannot be reorganised here and need no header each. */
const HEADER_DEPTH = 64;
/** One header per this many blocks of deep history; times between are interpolated. */
const HEADER_SPACING = 1_024;
const PARALLEL = 8;

/** Ascending, from one node; fewer if its history is shorter, or if it lags behind `head`, the newest that it has reported. */
export async function readBlocks(
  node: RpcNode,
  from: number,
  to: number,
  head: Header | number,
  options: ReadOptions,
): Promise<Block[]> {
  const top = typeof head === 'number' ? head : head.number;
  const range = { from: Math.max(0, from), to: Math.min(to, top), head: top };
  if (range.from > range.to) return [];
  const blocks = await untilAgreed(options, async (attempt) => {
    const rows = await readFeeRows(node, range, options);
    if (!rows.has(range.to) && attempt < TRIES) return undefined;
    const newest = newestRow(rows, range.to);
    if (newest === -1) return [];
    const oldest = lowestInRow(rows, newest);
    const [odd, low] = [new Set(oddRows(rows)), new Set(lowest(node, oldest))];
    const wanted = Array.from({ length: newest - oldest + 1 }, (_, index) => oldest + index).filter(
      (number) =>
        odd.has(number) ||
        low.has(number) ||
        number === newest ||
        number % HEADER_SPACING === 0 ||
        number > top - HEADER_DEPTH,
    );
    const known = attempt === 1 && typeof head !== 'number' ? head : null;
    // The row above tells where the others belong.
    const above = node.hasNullRounds && range.to < top ? [range.to + 1] : [];
    const headers = await readHeaders(node, [...wanted, ...above], known, options);
    if (node.hasNullRounds) alignTop(rows, range, headers);
    const agrees = [...headers].every(([number, header]) => {
      const fee = rows.get(number)?.baseFeePerGas ?? header.baseFeePerGas;
      // Elsewhere such a chain's rows are only spread over their heights.
      return isFeeOf(header, fee) || (node.hasNullRounds && number <= top - HEADER_DEPTH);
    });
    if (!agrees && attempt < TRIES) return undefined;
    if (top > 0) await judgeGenesis(node, headers, options);
    await readUnevenTimes(node, headers, null, options);
    // A missing header (a reorg in these milliseconds) ends the list before it; the next head brings the rest.
    const end = wanted.findLast((number) => headers.has(number)) ?? -1;
    return assembleBlocks(node, { from: Math.max(oldest, range.from), to: end }, rows, headers);
  });
  if (blocks === undefined) return [];
  return range.to === top ? withHeadTips(node, blocks, options) : blocks;
}

/** With what is known of tips only at the head. */
const withHeadTips = async (node: RpcNode, blocks: Block[], options: ReadOptions) =>
  withSuggestedTip(node, await withReceiptTips(node, blocks, options.signal), options);

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
  const read = async (number: number) => {
    const header = number === known?.number ? known : await requestHeader(node, number, { signal });
    return header?.number === number ? header : null;
  };
  // The newest first.
  const wanted = numbers.toReversed();
  const headers = (await mapBounded(wanted, PARALLEL, signal, read)).filter((header) => header !== null);
  return new Map(headers.map((header) => [header.number, header]));
}

/** As `ChainSource.newest`, in one or two requests. Between the head and the oldest block times are interpolated, hashes unknown. */
export async function readNewest(
  node: RpcNode,
  most: number,
  known: Block | null,
  onHead: (head: Header) => void,
  { clock, signal }: ReadOptions,
): Promise<RecentBlocks> {
  const options = { clock, signal, rateLimitTries: 0 };
  const requestLatest = async () => {
    const head = await requestHead(node, options);
    onHead(head);
    return head;
  };
  /** The header of the newest row: a block may come between the two responses, or the fees lag behind the header. */
  const headOf = async (rows: FeeRows, latest: Header) => {
    const last = newestRow(rows, latest.number);
    const head = last === latest.number || last === -1 ? latest : await requestHeader(node, last, options);
    const fee = rows.get(last)?.baseFeePerGas;
    return head !== null && fee !== undefined && (fee === null || isFeeOf(head, fee)) ? head : null;
  };

  if (known !== null) {
    const latest = await requestLatest();
    if (latest.hash === known.hash) return { blocks: [], follows: true };
    const range = { from: known.number, to: latest.number, head: latest.number };
    const isNear = range.from > 0 && range.from < range.to && range.to - range.from < most;
    const rows = isNear ? await readFeeRows(node, range, options) : new Map();
    const head = await headOf(rows, latest);
    const isOther = head?.number === known.number + 1 && head.parentHash !== known.hash;
    const row = rows.get(known.number);
    const isSame = row && (row.baseFeePerGas ?? known.baseFeePerGas) === known.baseFeePerGas;
    if (head !== null && !isOther && isSame) {
      const headers = await readHeaders(node, [...new Set([head.number, ...oddRows(rows)])], head, options);
      await readUnevenTimes(node, headers, known, options);
      const blocks = assembleBlocks(node, { from: known.number + 1, to: head.number }, rows, headers, known);
      if (head.number === known.number || blocks[0]?.number === known.number + 1)
        return { blocks: await withHeadTips(node, blocks, options), follows: true };
    }
  }
  const newest = await untilAgreed(options, async () => {
    // Two round trips one after the other (these two requests, then that of the heights), where `readBlocks` takes a dozen.
    const [latest, page] = await Promise.all([requestLatest(), readPage(node, most, 'latest', options)]);
    const extent = extentOf(page, latest.number);
    const leavesOut = await leavesHeightsOut(node, extent, latest.number, options);
    const placed = leavesOut ? spread(page, latest.number) : page;
    const rows: FeeRows = new Map(placed.map((row) => [row.number, row]));
    const from = Math.max(latest.number - most + 1, 0);
    const to = (page[0]?.number ?? latest.number + 1) - 1;
    if (to >= from) await readFeeRows(node, { from, to, head: latest.number }, options, rows);
    const head = await headOf(rows, latest);
    if (head === null) return undefined;
    const first = lowestInRow(rows, head.number);
    const wanted = [...new Set([...lowest(node, first), head.number, ...oddRows(rows)])];
    const headers = await readHeaders(node, wanted, head, options);
    if (head.number > 0) await judgeGenesis(node, headers, options);
    await readUnevenTimes(node, headers, null, options);
    const blocks = assembleBlocks(node, { from: first, to: head.number }, rows, headers);
    return { blocks: await withHeadTips(node, blocks, options), follows: false };
  });
  if (newest !== undefined) return newest;
  const isSyncing = node.syncing?.isUnderWay === true;
  const words = isSyncing
    ? 'is still syncing: it has no fees yet'
    : 'gives the fees of other blocks than its newest: try another node';
  throw new ChainError('rejected', `${node.name} ${words}`);
}

/** Texts of Nethermind, Erigon and some providers where others return `null`. */
const NO_SUCH_BLOCK = /\b(?:block|header|resource)\b[^:]{0,80}\bnot found\b|unknown block/i;

/** `null` for no such block, and a refusal where the block is too large: neither is a failure of the node. */
async function wholeOrNull<T>(number: number, response: Promise<T | null>): Promise<T | null> {
  return response.catch((error: unknown) => {
    if (error instanceof OversizedResponse)
      throw new ChainError('rejected', `block ${number} is too large to be read whole: ${error.message}`);
    const isNone = isRefusal(error) && [NO_SUCH_BLOCK, NULL_ROUND].some((text) => text.test(String(error)));
    if (isNone) return null;
    throw error;
  });
}

export async function readBlock(node: RpcNode, number: number, options?: RequestOptions) {
  const params = [toQuantity(number), false];
  const asked = request(node, nullish(blockResponse), 'eth_getBlockByNumber', params, options);
  const response = await wholeOrNull(number, asked);
  if (response === null) return null;
  if (response.number === number) return response;
  throw badResponse(node, 'sends an invalid response to eth_getBlockByNumber (number)');
}

/** As `ChainSource.transactionsOf`: each transaction and receipt names this block. */
export async function readTransactions(node: RpcNode, { number, hash }: BlockId, options: ReadOptions) {
  const { signal } = options;
  // By number: by hash, nodes also return orphaned blocks, and not all have receipts by it.
  const at = toQuantity(number);
  const included = await untilAgreed(options, async () => {
    const asked = request(node, nullish(fullBlockResponse), 'eth_getBlockByNumber', [at, true], { signal });
    const block = await wholeOrNull(number, asked);
    if (block?.transactions.some(({ blockHash }) => blockHash !== block.hash))
      throw badResponse(node, 'answers eth_getBlockByNumber with transactions of another block');
    if (block?.hash !== hash) return null;
    const read = () => request(node, nullish(list(receiptResponse)), 'eth_getBlockReceipts', [at], options);
    const receipts = await wholeOrNull(number, patiently(read, options));
    if (receipts?.every((receipt) => receipt.blockHash === hash) !== true) return undefined;
    const byHash = new Map(receipts.map((receipt) => [receipt.hash, receipt]));
    // Some chains omit the receipts of system transactions, which have no gas (Polygon's state syncs).
    const paying = block.transactions.filter((each) => each.gasLimit > 0n || byHash.has(each.hash));
    const pairs = paying.flatMap((transaction) => {
      const receipt = byHash.get(transaction.hash);
      if (receipt === undefined) return [];
      const effectiveGasPrice = paidPrice(transaction, receipt, block.baseFeePerGas);
      return [{ transaction, receipt: { ...receipt, effectiveGasPrice } }];
    });
    return pairs.length === paying.length ? pairs : undefined;
  });
  if (included !== undefined) return included;
  // No failure of the node: many have receipts only of the newest blocks.
  const words = `has no receipts for block ${number}: use a node that keeps them`;
  throw new ChainError('rejected', `${node.name} ${words}`);
}
