import type { TxView } from '../../client/views/explorer.ts';
import { ownValue } from '../../core/own-value.ts';
import { tipRankWords } from '../../core/tip-rank-words.ts';
import { formatCount, formatGwei, formatPercent } from '../../core/units.ts';
import { cleanLine } from '../clean-line.ts';
import { labelledLines } from '../labelled-lines.ts';
import { coinWords, confirmationWords, type Surroundings, whenWords, whereWords } from './explorer-words.ts';

/** EIP-2718 types, and the proposal that brought each. */
const TYPE_WORDS: Readonly<Record<number, string>> = {
  0: 'legacy',
  1: 'access list, EIP-2930',
  2: 'fee market, EIP-1559',
  3: 'blobs, EIP-4844',
  4: 'set code, EIP-7702',
};

const STATUS_WORDS: Readonly<Record<string, string>> = {
  PENDING: 'waits in the pool',
  SUCCESS: 'success',
  REVERTED: 'reverted; its gas is paid all the same',
};

/** What `gastop tx` prints for people: at most 80 columns wide. */
export function txText(tx: TxView, surroundings: Surroundings): string {
  const { chainId } = tx;
  const where = whereWords(chainId, surroundings);
  return [
    where === '' ? 'transaction' : `${where}  transaction`,
    '',
    ...labelledLines([
      ['hash', cleanLine(tx.hash)],
      ['status', statusWords(tx)],
      ['block', blockWords(tx)],
      ['time', whenWords(tx.timestamp, surroundings)],
      ['type', tx.type === null ? null : `${tx.type} (${TYPE_WORDS[tx.type] ?? "this chain's own"})`],
      ['from', text(tx.from)],
      ['to', tx.to === null ? (tx.from === null ? null : 'nobody: it creates a contract') : text(tx.to)],
      ['call', text(tx.selector)],
      ['value', coinWords(tx.value, chainId, surroundings)],
      ['nonce', tx.nonce === null ? null : String(tx.nonce)],
      ['gas', gasWords(tx)],
      ['max fee', gwei(tx.maxFeePerGas)],
      ['max tip', gwei(tx.maxPriorityFeePerGas)],
      ['gas price', gwei(tx.gasPrice)],
      ['blob cap', blobWords(tx)],
      ['paid', paidWords(tx)],
      ['cost', coinWords(tx.costWei, chainId, surroundings, tx.costUsd)],
      ['tip rank', rankWords(tx)],
    ]),
  ].join('\n');
}

function text(value: string | null): string | null {
  return value === null ? null : cleanLine(value);
}

function gwei(wei: number | null): string | null {
  return wei === null ? null : `${formatGwei(wei)} gwei`;
}

function statusWords({ status, confirmations }: TxView): string | null {
  if (status === null) return confirmationWords(confirmations);
  const words = ownValue(STATUS_WORDS, status) ?? cleanLine(status);
  const depth = status === 'PENDING' ? null : confirmationWords(confirmations);
  return depth === null ? words : `${words}, ${depth}`;
}

function blockWords({ blockNumber, transactionIndex, blockTransactionCount }: TxView): string | null {
  if (blockNumber === null) return null;
  const block = `#${formatCount(blockNumber)}`;
  if (transactionIndex === null) return block;
  const count = blockTransactionCount === null ? '' : ` of ${formatCount(blockTransactionCount)}`;
  return `${block}, transaction ${formatCount(transactionIndex + 1)}${count}`;
}

function gasWords({ gasUsed, gasLimit }: TxView): string | null {
  if (gasUsed === null) return gasLimit === null ? null : `limit ${formatCount(gasLimit)}`;
  if (gasLimit === null || gasLimit === 0) return `${formatCount(gasUsed)} used`;
  return `${formatCount(gasUsed)} of ${formatCount(gasLimit)} used (${formatPercent(gasUsed / gasLimit)})`;
}

function blobWords({ maxFeePerBlobGas, blobCount }: TxView): string | null {
  const cap = gwei(maxFeePerBlobGas);
  if (blobCount === null) return cap;
  const count = blobCount === 1 ? '1 blob' : `${formatCount(blobCount)} blobs`;
  return cap === null ? count : `${cap}, ${count}`;
}

function paidWords({ effectiveGasPrice, priorityFeePerGas }: TxView): string | null {
  const price = gwei(effectiveGasPrice);
  const tip = priorityFeePerGas === null ? '' : `, of it ${formatGwei(priorityFeePerGas)} tip`;
  return price === null ? null : `${price} per gas${tip}`;
}

function rankWords({ tipRank, blockTransactionCount: count }: TxView): string | null {
  if (tipRank === null) return count === 1 ? 'alone in its block' : null;
  return tipRankWords(tipRank, count);
}
