import type { SnapshotView } from '../../client/views/gas.ts';
import { type BlockView, describeTxType, type TxView } from '../../client/views/metrics.ts';
import { PERCENTILES } from '../../contract/choices.ts';
import { chainProfile } from '../../core/chains.ts';
import { GAS_PER_BLOB } from '../../core/eip4844.ts';
import { ownValue } from '../../core/own-value.ts';
import { tipRankWords } from '../../core/tip-rank-words.ts';
import {
  formatAge,
  formatChange,
  formatCount,
  formatGwei,
  formatNative,
  formatPercent,
  formatUsd,
  usdOf,
} from '../../core/units.ts';
import { cleanLine, labelledLines, utcTime, wrapped } from '../output.ts';

/** What a block or transaction does not say about itself. */
export interface Surroundings {
  /** The service's present; `null` where it does not tell. */
  readonly snapshot: SnapshotView | null;
  /** Wall clock, ms. */
  readonly now: number;
}

const BADGES = { replay: '[REPLAY]', simulated: '[SIMULATED]', rpc: null, service: null } as const;

/** The badge and the chain's name, for the first line. */
function whereWords(chainId: number | null, { snapshot }: Surroundings): string {
  const badge = snapshot === null ? null : BADGES[snapshot.source.kind];
  const id = chainId ?? snapshot?.chainId ?? null;
  return [badge, id === null ? null : chainProfile(id).name].filter((word) => word !== null).join('  ');
}

/** `2026-01-05 12:00:00 UTC, 4s ago`; a recording's blocks have no age by our clock. */
function whenWords(ms: number | null, { snapshot, now }: Surroundings): string | null {
  if (ms === null) return null;
  const time = `${utcTime(ms, 'seconds')} UTC`;
  if (snapshot?.source.kind === 'replay') return time;
  return `${time}, ${formatAge(Math.max(now - ms, 0) / 1_000)}`;
}

/** `0.00124 ETH  $3.99`: dollars at the coin's present price, where it is known. */
function coinWords(
  wei: bigint | null,
  chainId: number | null,
  { snapshot }: Surroundings,
  usd: number | null = null,
): string | null {
  if (wei === null) return null;
  const id = chainId ?? snapshot?.chainId ?? null;
  const amount = formatNative(wei, id === null ? 'coins' : chainProfile(id).nativeSymbol);
  const price = snapshot?.nativeUsd ?? null;
  const dollars = usd ?? (price === null ? null : usdOf(wei, price));
  return dollars === null ? amount : `${amount}  ${formatUsd(dollars)}`;
}

function confirmationWords(confirmations: number | null): string | null {
  if (confirmations === null) return null;
  return confirmations === 1 ? '1 confirmation' : `${formatCount(confirmations)} confirmations`;
}

const BAR_CELLS = 20;

/** What `gastop block` prints for people: at most 80 columns wide. */
export function blockText(block: BlockView, surroundings: Surroundings): string {
  const head = [whereWords(block.chainId, surroundings), `#${formatCount(block.blockNumber)}`];
  return [
    head.filter((word) => word !== '').join('  '),
    '',
    ...labelledLines([
      ['time', whenWords(block.timestamp, surroundings)],
      ['confirmed', confirmationWords(block.confirmations)],
      ['hash', text(block.hash)],
      ['parent', text(block.parentHash)],
      ['base fee', `${formatGwei(block.baseFeePerGas)} gwei`],
      ['next base', nextWords(block.baseFeePerGas, block.nextBaseFeePerGas)],
      ['full', fullWords(block)],
      ['transactions', block.transactionCount === null ? null : formatCount(block.transactionCount)],
      ['tips, gwei', tipWords(block.tips)],
      ['blob fee', blobFeeWords(block)],
      ['blobs', blobWords(block)],
      ['burnt', coinWords(block.burntWei, block.chainId, surroundings)],
      ['fees go to', text(block.feeRecipient)],
    ]),
  ].join('\n');
}

function text(value: string | null): string | null {
  return value === null ? null : cleanLine(value);
}

/** A fee and how it differs from the one before. */
function nextWords(now: number, next: number | null): string | null {
  if (next === null) return null;
  const change = now === 0 ? '' : ` (${formatChange((next - now) / now)})`;
  return `${formatGwei(next)} gwei${change}`;
}

function fullWords({ gasUsedRatio, gasUsed, gasLimit }: BlockView): string | null {
  const gas =
    gasUsed === null
      ? null
      : gasLimit === null
        ? `${formatCount(gasUsed)} gas`
        : `${formatCount(gasUsed)} of ${formatCount(gasLimit)} gas`;
  if (gasUsedRatio === null) return gas;
  const filled = Math.round(gasUsedRatio * BAR_CELLS);
  const bar = '█'.repeat(filled) + '░'.repeat(BAR_CELLS - filled);
  return [bar, formatPercent(gasUsedRatio), gas].filter((part) => part !== null).join('  ');
}

function tipWords(tips: BlockView['tips']): string | null {
  if (tips === null) return null;
  return wrapped(
    PERCENTILES.flatMap((name) => {
      const tip = tips[name];
      return tip === undefined ? [] : [`${name} ${formatGwei(tip)}`];
    }),
  );
}

function blobFeeWords({ blobBaseFee, nextBlobBaseFee }: BlockView): string | null {
  if (blobBaseFee === null) return null;
  const next = nextBlobBaseFee === null ? '' : `, next ${formatGwei(nextBlobBaseFee)}`;
  return `${formatGwei(blobBaseFee)} gwei${next}`;
}

function blobWords({ blobGasUsed, excessBlobGas }: BlockView): string | null {
  if (blobGasUsed === null) return null;
  const count = blobGasUsed / Number(GAS_PER_BLOB);
  const excess = excessBlobGas === null ? '' : `, excess ${formatCount(excessBlobGas)}`;
  return `${formatCount(count)}  (${formatCount(blobGasUsed)} blob gas${excess})`;
}

const STATUS_WORDS: Readonly<Record<string, string>> = {
  PENDING: 'waits in the pool',
  SUCCESS: 'success',
  REVERTED: 'reverted; its gas was paid anyway',
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
      ['type', tx.type === null ? null : describeTxType(tx.type)],
      ['from', toAddress(tx.from)],
      ['to', tx.to === null ? (tx.from === null ? null : 'none: it creates a contract') : toAddress(tx.to)],
      ['call', toAddress(tx.selector)],
      ['value', coinWords(tx.value, chainId, surroundings)],
      ['nonce', tx.nonce === null ? null : String(tx.nonce)],
      ['gas', gasWords(tx)],
      ['max fee', gwei(tx.maxFeePerGas)],
      ['max tip', gwei(tx.maxPriorityFeePerGas)],
      ['gas price', gwei(tx.gasPrice)],
      ['blob cap', txBlobWords(tx)],
      ['paid', paidWords(tx)],
      ['cost', coinWords(tx.costWei, chainId, surroundings, tx.costUsd)],
      ['tip rank', rankWords(tx)],
    ]),
  ].join('\n');
}

function toAddress(value: string | null): string | null {
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

function txBlobWords({ maxFeePerBlobGas, blobCount }: TxView): string | null {
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
