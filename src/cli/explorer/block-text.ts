import type { BlockView } from '../../client/views/explorer.ts';
import { PERCENTILES } from '../../contract/choices.ts';
import { GAS_PER_BLOB } from '../../core/eip4844.ts';
import { formatChange, formatCount, formatGwei, formatPercent } from '../../core/units.ts';
import { cleanLine } from '../clean-line.ts';
import { labelledLines, wrapped } from '../labelled-lines.ts';
import { coinWords, confirmationWords, type Surroundings, whenWords, whereWords } from './explorer-words.ts';

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
