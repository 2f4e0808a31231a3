import type { ChainBlock } from '../../chain/chain-source.ts';
import type { TxRow, TxsMetrics } from '../../contract/explorer.ts';
import type { TxsParameters } from '../../contract/queries.ts';
import type { HistoryStore } from '../../store/history-store.ts';
import type { MinedTransaction } from '../chain-reader.ts';
import { mapBounded } from '../map-bounded.ts';
import { blocksOfWindow } from './block-window.ts';
import { costOf, type LookupContext, reorganised, requireTransactions, tipOf } from './lookup-context.ts';
import { metricsWindow } from './metrics-window.ts';
import { isoFromSec, wireInteger, wireWei } from './wire.ts';

/** Blocks whose transactions are asked for at once. */
const PARALLEL = 4;

/** The history whose present is `now` and whose last hour ends at `end`; Unix seconds. */
export interface TxsHistory {
  readonly store: HistoryStore;
  readonly end: number;
  readonly now: number;
}

/**
 * One page of a window's transactions, newest first. All blocks of the window are counted; transactions are only
 * asked for of those that the page touches.
 * @throws {ApiFailure} `validation_failed` for a window that makes no sense or holds too many blocks
 */
export async function txsMetrics(
  asked: TxsParameters,
  history: TxsHistory,
  context: LookupContext,
  signal: AbortSignal,
): Promise<TxsMetrics> {
  const { profile, reader } = context;
  requireTransactions(reader);
  const window = await metricsWindow({ ...asked, bucket: 'block' }, { ...history, profile });
  const { from, blocks } = await blocksOfWindow(
    { from: window.from, to: window.to, isChosen: asked.from !== undefined },
    context,
    signal,
  );
  const { page, size } = window;
  const parts = partsOfPage(blocks.toReversed(), page * size, size);
  const rows = await mapBounded(parts, PARALLEL, signal, async ({ block, skip, take }) => {
    const mined = await reader.transactionsOf(block);
    if (mined === null) throw reorganised(block.number, context);
    return mined
      .toReversed()
      .slice(skip, skip + take)
      .map((transaction) => toRow(transaction, block));
  });
  return {
    chainId: profile.id,
    from: isoFromSec(from),
    to: isoFromSec(window.to),
    bucket: 'block',
    page,
    size,
    total: blocks.reduce((sum, block) => sum + block.transactionHashes.length, 0),
    data: rows.flat(),
  };
}

/** What of each block, newest first, lies on the page of `size` that begins at `offset`. */
function partsOfPage(newestFirst: readonly ChainBlock[], offset: number, size: number) {
  const parts: { block: ChainBlock; skip: number; take: number }[] = [];
  let start = 0;
  for (const block of newestFirst) {
    const end = start + block.transactionHashes.length;
    const skip = Math.max(offset - start, 0);
    const take = Math.min(end, offset + size) - (start + skip);
    if (take > 0) parts.push({ block, skip, take });
    start = end;
  }
  return parts;
}

function toRow(transaction: MinedTransaction, block: ChainBlock): TxRow {
  const { hash, type, from, to, value, status, transactionIndex, gasUsed, effectiveGasPrice } = transaction;
  return {
    timestamp: isoFromSec(block.timestamp),
    blockNumber: block.number,
    transactionIndex,
    hash,
    status: status === 'success' ? 'SUCCESS' : 'REVERTED',
    type,
    from,
    to,
    value: value.toString(),
    gasUsed: wireInteger(gasUsed),
    effectiveGasPrice: wireWei(effectiveGasPrice),
    priorityFeePerGas: wireWei(tipOf(effectiveGasPrice, block.baseFeePerGas)),
    costWei: costOf(transaction).toString(),
  };
}
