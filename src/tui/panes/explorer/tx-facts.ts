import type { BlockView, TxView } from '../../../client/views/explorer.ts';
import { hexText } from '../../../core/hex-text.ts';
import { tipRankWords } from '../../../core/tip-rank-words.ts';
import {
  formatAge,
  formatCount,
  formatGwei,
  formatNative,
  formatPercent,
  formatUsd,
} from '../../../core/units.ts';
import { factGrid, type NamedValue, sectionLine } from '../../ui/fact-list.tsx';
import { EMPTY_LINE, type Line } from '../../ui/text.tsx';
import { confirmationsOf, confirmationsText, type FactsContext } from './block-facts.ts';
import { momentText } from './present.ts';
import { tipLines, tipScale } from './tip-scale.ts';
import { statusWords, typeWords } from './tx-words.ts';

/** The longest name: both grids stand under each other. */
const NAME_ROOM = 'gas limit'.length;

/** The first line: what became of it. */
export function txTitle(tx: TxView, context: FactsContext): readonly Line[] {
  const status = statusWords(tx.status, context.theme);
  const depth = confirmationsOf(tx.blockNumber, tx.confirmations, context.head);
  const { timestamp } = tx;
  return [
    [{ text: 'Transaction', bold: true }],
    ...(status === null ? [] : [[{ text: status.text, color: status.color, bold: true }]]),
    ...(tx.blockNumber === null || depth === null ? [] : [[{ text: confirmationsText(depth) }]]),
    ...(timestamp === null ? [] : [[{ text: formatAge((context.present - timestamp) / 1_000) }]]),
  ];
}

/** Everything the service says of a transaction; `block` is the one that holds it, where it is known. */
export function txLines(tx: TxView, block: BlockView | null, context: FactsContext): readonly Line[] {
  const gap = context.airy ? [EMPTY_LINE] : [];
  return [
    ...gap,
    ...factGrid(identity(tx, context), context.width, context.theme, NAME_ROOM),
    ...gap,
    ...factGrid(payment(tx, block, context), context.width, context.theme, NAME_ROOM),
    ...gap,
    ...standing(tx, block, context),
  ];
}

/** What it is. */
export function identity(
  tx: TxView,
  { width, symbol, theme, offsetAt, present }: FactsContext,
): readonly NamedValue[] {
  const hex = (name: string, value: string): NamedValue => ({
    name,
    value: [{ text: hexText(value, width - NAME_ROOM - 4, theme.glyph.ellipsis) }],
    alone: true,
  });
  const { blockNumber, transactionIndex: index, blockTransactionCount: count, timestamp: at } = tx;
  const place =
    index === null
      ? ''
      : `, transaction ${formatCount(index + 1)}${count === null ? '' : ` of ${formatCount(count)}`}`;
  const facts: readonly (NamedValue | null)[] = [
    hex('hash', tx.hash),
    blockNumber === null
      ? tx.status === 'PENDING'
        ? { name: 'block', value: [{ text: 'waits in the pool for one' }] }
        : null
      : { name: 'block', value: [{ text: formatCount(blockNumber) }, { text: place, faint: true }] },
    at === null
      ? null
      : {
          name: 'time',
          value: [{ text: momentText(at, present, offsetAt) }],
        },
    tx.from === null ? null : hex('from', tx.from),
    tx.to === null
      ? { name: 'to', value: [{ text: 'nobody: it creates a contract' }], alone: true }
      : hex('to', tx.to),
    tx.value === null ? null : { name: 'value', value: [{ text: formatNative(tx.value, symbol) }] },
    tx.type === null ? null : { name: 'type', value: [{ text: typeWords(tx.type) }] },
    tx.nonce === null ? null : { name: 'nonce', value: [{ text: formatCount(tx.nonce) }] },
    { name: 'call', value: [{ text: tx.selector ?? 'no call data', faint: tx.selector === null }] },
  ];
  return facts.filter((fact) => fact !== null);
}

/** What it paid. */
export function payment(
  tx: TxView,
  block: BlockView | null,
  { symbol }: FactsContext,
): readonly NamedValue[] {
  const price = (name: string, wei: number | null): NamedValue | null =>
    wei === null ? null : { name, value: [{ text: `${formatGwei(wei)} gwei` }] };
  const facts: readonly (NamedValue | null)[] = [
    paid(tx, block),
    cost(tx, symbol),
    gas(tx),
    price('max fee', tx.maxFeePerGas),
    price('max tip', tx.maxPriorityFeePerGas),
    // Whatever is signed with caps has no price of its own.
    tx.maxFeePerGas === null ? price('signed', tx.gasPrice) : null,
    price('max blob', tx.maxFeePerBlobGas),
    tx.blobCount === null || tx.blobCount === 0
      ? null
      : { name: 'blobs', value: [{ text: formatCount(tx.blobCount) }] },
  ];
  return facts.filter((fact) => fact !== null);
}

function paid(
  { effectiveGasPrice: price, priorityFeePerGas: tip }: TxView,
  block: BlockView | null,
): NamedValue | null {
  if (price === null) return null;
  const base = block?.baseFeePerGas ?? (tip === null ? null : price - tip);
  const parts = tip === null || base === null ? '' : `  base ${formatGwei(base)} + tip ${formatGwei(tip)}`;
  return {
    name: 'paid',
    value: [
      { text: `${formatGwei(price)} gwei`, bold: true },
      { text: parts, faint: true },
    ],
    alone: true,
  };
}

function cost({ costWei, costUsd }: TxView, symbol: string): NamedValue | null {
  if (costWei === null) return null;
  const usd = costUsd === null ? '' : `  ${formatUsd(costUsd)}`;
  return { name: 'cost', value: [{ text: `${formatNative(costWei, symbol)}${usd}` }] };
}

function gas({ gasUsed: used, gasLimit: limit }: TxView): NamedValue | null {
  if (used === null)
    return limit === null ? null : { name: 'gas limit', value: [{ text: formatCount(limit) }] };
  const share =
    limit === null || limit === 0 ? '' : ` of ${formatCount(limit)}, ${formatPercent(used / limit)}`;
  return { name: 'gas used', value: [{ text: formatCount(used) }, { text: share, faint: true }] };
}

/** Where its tip stood among the tips of its block. */
function standing(tx: TxView, block: BlockView | null, context: FactsContext): readonly Line[] {
  const { width, theme } = context;
  const tip = tx.priorityFeePerGas;
  const tips = block?.tips ?? null;
  if (tip === null || (tips === null && tx.tipRank === null)) return [];
  const rank = tx.tipRank === null ? '' : tipRankWords(tx.tipRank, tx.blockTransactionCount);
  return [
    sectionLine('Tip', [{ text: `${formatGwei(tip)} gwei` }, { text: rank === '' ? '' : `, ${rank}` }]),
    ...(tips === null ? [] : [...tipScale(tips, width - 2, theme, tip), ...tipLines(tips, width - 2)]).map(
      (line): Line => [{ text: ' ' }, ...line],
    ),
  ];
}

/** Where its tip stood, in a sentence. */
export function standingSentence({ tipRank, blockTransactionCount }: TxView): string | null {
  return tipRank === null ? null : `Its tip was ${tipRankWords(tipRank, blockTransactionCount)}.`;
}
