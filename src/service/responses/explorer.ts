import { mapBounded } from '../../chain/async.ts';
import {
  type ChainBlock,
  type ChainReceipt,
  type ChainTransaction,
  paidPrice,
} from '../../chain/chain-source.ts';
import type { TxMetrics, TxRow, TxsMetrics } from '../../contract/metrics.ts';
import type { Pending } from '../../contract/pending.ts';
import { PAGE_SIZE_DEFAULT, type TxsParameters } from '../../contract/queries.ts';
import type { LaneName } from '../../core/advice.ts';
import type { Block, Hex } from '../../core/block.ts';
import type { Pooled } from '../../core/transactions/stuck.ts';
import type { BlockStore } from '../../store/blocks.ts';
import type { Window } from '../../store/history.ts';
import { type ChainReader, ifAvailable, type MinedTransaction } from '../chain-reader.ts';
import { type ApiFailure, notFound, unavailable } from '../http/errors.ts';
import type { PublishedChain } from '../published-chain.ts';
import { type MetricsContext, metricsWindow } from './metrics.ts';
import { gasCount, integerOrNull, isoFromSec, toWire, usdOrNull } from './wire.ts';

export interface LookupContext extends MetricsContext, Pick<PublishedChain, 'head' | 'rules' | 'nativeUsd'> {
  /** Base fee of the block after the head, wei per gas. */
  readonly nextBaseFee: bigint;
  /** Of the block after the head, Unix seconds. */
  readonly nextTime: number;
  /** Why no new blocks come, one line; `null` while they do. */
  readonly problem: string | null;
  readonly blocks: BlockStore;
  readonly reader: ChainReader;
  /** What holds back a transaction in no block; `null` while that is not known. */
  readonly pending: (transaction: Pooled, lane: LaneName) => Promise<Pending | null>;
}

/** @throws {ApiFailure} for a recording, which has no transactions */
function requireTransactions({ kind }: ChainReader): void {
  if (kind !== 'replay') return;
  throw notFound(
    'this service follows a recording, which holds no transactions; ask one that follows a node (--rpc URL)',
  );
}

/** A reorg happened between two requests of ours, unless the node itself is failing. */
function reorganised(number: number, { problem }: Pick<LookupContext, 'problem'>): ApiFailure {
  return problem === null
    ? unavailable(`block ${number} is being replaced by another (a reorg); ask again in a second`, 1)
    : unavailable(`block ${number} cannot be read now: ${problem}`, 5);
}

export const confirmationsAt = (number: number, head: Block) => Math.max(head.number - number + 1, 1);

/** Tip of a transaction, wei per gas; a rollup's deposits pay nothing at all. `null`: its price is unknown. */
export function tipOf(effectiveGasPrice: bigint | null, baseFeePerGas: bigint): bigint | null {
  if (effectiveGasPrice === null) return null;
  return effectiveGasPrice > baseFeePerGas ? effectiveGasPrice - baseFeePerGas : 0n;
}

type Paid = Pick<ChainReceipt, 'gasUsed' | 'effectiveGasPrice' | 'blobFee' | 'dataFee'>;
const costOf = ({ gasUsed, effectiveGasPrice: price, blobFee, dataFee }: Paid) =>
  price === null ? null : gasUsed * price + blobFee + dataFee;

const SELECTOR_LENGTH = 10;

/** The fields from receipt and block: all `null` while it is pending. */
const PENDING = {
  status: 'PENDING',
  gasUsed: null,
  effectiveGasPrice: null,
  priorityFeePerGas: null,
  costWei: null,
  dataFeeWei: null,
  costUsd: null,
  blockNumber: null,
  blockHash: null,
  timestamp: null,
  transactionIndex: null,
  confirmations: 0,
  tipRank: null,
  blockTransactionCount: null,
} as const satisfies Partial<TxMetrics>;
type Inclusion = Pick<TxMetrics, keyof typeof PENDING>;

/** @throws {ApiFailure} `not_found` when neither the chain nor the node's pool has it */
export async function txMetrics(hash: Hex, lane: LaneName, context: LookupContext): Promise<TxMetrics> {
  const { reader, profile } = context;
  requireTransactions(reader);
  const transaction = await reader.transaction(hash);
  if (transaction === null) {
    throw notFound(
      `${profile.name} knows no such transaction, nor does a pool of the nodes; check the hash and the chain. Private relays show one only once it is mined`,
    );
  }
  const { data, value, gasLimit, blockNumber: _, blockHash: __, ...rest } = transaction;
  return {
    chainId: profile.id,
    ...toWire(rest),
    gasLimit: gasCount(gasLimit),
    value: value.toString(),
    selector: data.length < SELECTOR_LENGTH ? null : data.slice(0, SELECTOR_LENGTH).toLowerCase(),
    ...(await inclusionOf(transaction, context)),
    pending: transaction.blockNumber === null ? await context.pending(transaction, lane) : null,
  };
}

async function inclusionOf(transaction: ChainTransaction, context: LookupContext): Promise<Inclusion> {
  const { hash, blockNumber } = transaction;
  if (blockNumber === null) return PENDING;
  const { reader, head, nativeUsd, profile } = context;
  const receipt = await reader.receipt(hash);
  if (receipt === null) {
    throw unavailable('the node knows the transaction and not yet its receipt; ask again in a second', 1);
  }
  const block = await reader.blockOf({ number: receipt.blockNumber, hash: receipt.blockHash });
  if (block?.hash !== receipt.blockHash) throw reorganised(receipt.blockNumber, context);
  const mined = await ifAvailable(reader.transactionsOf(block));
  const effectiveGasPrice = paidPrice(transaction, receipt, block.baseFeePerGas);
  const tip = tipOf(effectiveGasPrice, block.baseFeePerGas);
  const cost = costOf({ ...receipt, effectiveGasPrice });
  const l1Part = receipt.l1Part ?? (profile.dataFee === undefined ? 0n : null);
  return {
    status: receipt.status === 'success' ? 'SUCCESS' : 'REVERTED',
    gasUsed: integerOrNull(receipt.gasUsed),
    effectiveGasPrice: integerOrNull(effectiveGasPrice),
    priorityFeePerGas: integerOrNull(tip),
    costWei: cost?.toString() ?? null,
    dataFeeWei: l1Part?.toString() ?? null,
    costUsd: usdOrNull(cost, nativeUsd),
    blockNumber: block.number,
    blockHash: block.hash,
    timestamp: isoFromSec(block.timestamp),
    transactionIndex: receipt.transactionIndex,
    confirmations: confirmationsAt(block.number, head),
    tipRank: mined === null || tip === null ? null : tipRank(hash, tip, mined, block.baseFeePerGas),
    blockTransactionCount: block.transactionHashes.length,
  };
}

/** The share of the block's other transactions with a lower tip, ties counted half; `null` without others. */
function tipRank(
  own: Hex,
  ownTip: bigint,
  mined: readonly MinedTransaction[],
  baseFee: bigint,
): number | null {
  const others = mined.flatMap(({ hash, effectiveGasPrice }) =>
    hash === own ? [] : (tipOf(effectiveGasPrice, baseFee) ?? []),
  );
  const below = others.filter((tip) => tip < ownTip).length;
  const same = others.filter((tip) => tip === ownTip).length;
  return others.length === 0 ? null : (below + same / 2) / others.length;
}

const BLOCKS_AT_ONCE = 4;

/** Newest first; requests transactions only for the blocks of the page. @throws {ApiFailure} `validation_failed` */
export async function txsMetrics(
  asked: TxsParameters,
  context: LookupContext,
  signal: AbortSignal,
): Promise<TxsMetrics> {
  const { profile, reader } = context;
  requireTransactions(reader);
  const window = await metricsWindow({ ...asked, bucket: 'block' }, context);
  const { from, blocks } = await blocksOfWindow({ from: window.from, to: window.to }, context, signal);
  const { page, size } = window.paging ?? { page: 0, size: PAGE_SIZE_DEFAULT };
  const listed = blocks
    .toReversed()
    .flatMap((block) => block.transactionHashes.map((_, index) => ({ block, index })).toReversed());
  const shown = Map.groupBy(listed.slice(page * size, (page + 1) * size), ({ block }) => block);
  const rows = await mapBounded([...shown], BLOCKS_AT_ONCE, signal, async ([block, places]) => {
    const mined = await reader.transactionsOf(block);
    if (mined === null) throw reorganised(block.number, context);
    return places.flatMap(({ index }) => mined.slice(index, index + 1).map((each) => toRow(each, block)));
  });
  return {
    chainId: profile.id,
    from: isoFromSec(from),
    to: isoFromSec(window.to),
    bucket: 'block',
    page,
    size,
    total: listed.length,
    data: rows.flat(),
  };
}

function toRow(transaction: MinedTransaction, block: ChainBlock): TxRow {
  const { value, status, gasUsed, blobFee: _, dataFee: __, ...rest } = transaction;
  return {
    ...toWire(rest),
    gasUsed: gasCount(gasUsed),
    timestamp: isoFromSec(block.timestamp),
    blockNumber: block.number,
    status: status === 'success' ? 'SUCCESS' : 'REVERTED',
    value: value.toString(),
    priorityFeePerGas: integerOrNull(tipOf(rest.effectiveGasPrice, block.baseFeePerGas)),
    costWei: costOf(transaction)?.toString() ?? null,
  };
}

/** Maximum number of blocks per request (contract, part 3). */
const BLOCKS_MAX = 100;
const PARALLEL = 8;
/** Every 1,024th time of deep history is exact (chain/rpc/read.ts), so an estimate is at most so many blocks off. */
const ESTIMATE_OFF = 1_024;
/** If the node lacks a block this deep, it was pruned, not orphaned. */
const SETTLED_DEPTH = 64;

/** The newest 100 blocks of a window, ascending, and its actual start: requesting these times returns the same window. */
async function blocksOfWindow(
  { from, to }: Window,
  context: LookupContext,
  signal: AbortSignal,
): Promise<{ readonly from: number; readonly blocks: readonly ChainBlock[] }> {
  const newest = await context.blocks.latestAt(to);
  const oldest = await context.blocks.oldest();
  if (newest === null || oldest === null) return { from, blocks: [] };
  const last = await lastWithin(newest, oldest, to, context, signal);
  // One more than the maximum: tells whether the window has more.
  const first = Math.max(last - BLOCKS_MAX, oldest.number);
  if (last < first) return { from, blocks: [] };
  const stored = await context.blocks.page(first, last - first + 1);
  const clues = new Map(stored.map((block) => [block.number, block]));
  const numbers = Array.from({ length: last - first + 1 }, (_, index) => first + index).filter(
    // A height without a block.
    (number) => clues.get(number)?.gasLimit !== 0n,
  );
  const read = (wanted: readonly number[]) =>
    mapBounded(wanted, PARALLEL, signal, (number) => readBlock(number, clues.get(number), context));
  // Times that the store only estimates are read from the chain.
  const isTimed = numbers.every((number) => clues.get(number)?.hash);
  const timed = isTimed ? stored.filter(({ gasLimit }) => gasLimit !== 0n) : await read(numbers);
  const within = timed.filter(({ timestamp }) => timestamp >= from && timestamp <= to);
  const blocks = await read(within.slice(-BLOCKS_MAX).map(({ number }) => number));
  const [oldestShown] = within.length > BLOCKS_MAX ? blocks : [];
  return { from: oldestShown?.timestamp ?? from, blocks };
}

/** The last block not after `to`; `newest` is the store's estimate of it. */
async function lastWithin(
  newest: Block,
  oldest: Block,
  to: number,
  context: LookupContext,
  signal: AbortSignal,
): Promise<number> {
  if (newest.hash !== null) return newest.number;
  let low = Math.max(newest.number - ESTIMATE_OFF, oldest.number - 1);
  let high = Math.min(newest.number + ESTIMATE_OFF, context.head.number);
  while (low < high) {
    signal.throwIfAborted();
    const middle = Math.ceil((low + high) / 2);
    const { timestamp } = await readBlock(middle, undefined, context);
    if (timestamp <= to) low = middle;
    else high = middle - 1;
  }
  return low;
}

async function readBlock(
  number: number,
  clue: Block | undefined,
  context: LookupContext,
): Promise<ChainBlock> {
  const { reader, head, problem } = context;
  const block = await (clue === undefined ? reader.block(number) : reader.blockOf(clue));
  if (block !== null) return block;
  if (problem !== null || head.number - number < SETTLED_DEPTH) throw reorganised(number, context);
  throw notFound(`the node no longer holds block ${number} of this window; ask for a later one`);
}
