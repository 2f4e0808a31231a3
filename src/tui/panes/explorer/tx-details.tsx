import { Box, useIsScreenReaderEnabled } from 'ink';
import {
  type BlockView,
  describeTxType,
  type TxRowView,
  type TxView,
} from '../../../client/views/metrics.ts';
import { hexText, shortHex } from '../../../core/text.ts';
import { tipRankWords } from '../../../core/tip-rank-words.ts';
import {
  formatAge,
  formatCount,
  formatGwei,
  formatNative,
  formatPercent,
  formatUsd,
  UNKNOWN,
} from '../../../core/units.ts';
import { useClipboard } from '../../app/terminal.ts';
import { scrollKeys, useKeys } from '../../input/use-keys.tsx';
import { factGrid, type NamedValue, sectionLine } from '../../ui/fact-list.tsx';
import { PaneState } from '../../ui/pane-state.tsx';
import type { TableColumn } from '../../ui/table.ts';
import { EMPTY_LINE, type Line, LineList, OneLine, SegmentLine } from '../../ui/text.tsx';
import type { ColorName, Theme } from '../../ui/theme.ts';
import {
  confirmationsOf,
  confirmationsText,
  type FactsContext,
  tipLines,
  tipScale,
} from './block-details.tsx';
import { SpokenTx } from './explorer-pane.tsx';
import type { ExplorerLevelProps, Place } from './explorer-state.ts';
import { explorerProblem, momentText, noTransactions, PlaceFrame, withHidden } from './place-frame.tsx';
import { useBlock, useFactsContext, useTx } from './use-explorer.ts';

interface StatusWords {
  readonly text: string;
  readonly color: ColorName;
}

/** A glyph and a word, so that the colour does not speak alone. */
export function statusWords(status: string | null, { glyph }: Theme): StatusWords | null {
  switch (status) {
    case null:
      return null;
    case 'SUCCESS':
      return { text: `${glyph.live} success`, color: 'good' };
    case 'REVERTED':
      return { text: `${glyph.warning} reverted`, color: 'bad' };
    case 'PENDING':
      return { text: `${glyph.stale} pending`, color: 'warn' };
    default:
      return { text: status.toLowerCase(), color: 'accent' };
  }
}

const SHORT = new Map([['SUCCESS', 'ok']]);

/** The same for a column, in fewer letters. */
export function shortStatus(status: string | null, theme: Theme): StatusWords | null {
  const words = statusWords(status, theme);
  const short = SHORT.get(status ?? '');
  if (words === null || short === undefined) return words;
  return { ...words, text: words.text.replace(/\S+$/, short) };
}

/** From this width on each transaction shows its hash too. */
const HASH_FROM = 110;
/** From these widths on a status has a word, and every word its glyph before it. */
const WORDS_FROM = 72;
const ALL_FROM = 84;

/** The columns of a block's transactions, left to right. */
export function txColumns(width: number, symbol: string, theme: Theme): readonly TableColumn<TxRowView>[] {
  const { ellipsis, into } = theme.glyph;
  const gwei = (wei: number | null) => (wei === null ? UNKNOWN : formatGwei(wei));
  const hashRoom = width >= 190 ? 66 : 21;
  const columns: readonly TableColumn<TxRowView>[] = [
    {
      id: 'index',
      heading: '#',
      align: 'right',
      least: 3,
      rank: 0,
      cell: ({ transactionIndex }) =>
        transactionIndex === null ? UNKNOWN : formatCount(transactionIndex + 1),
    },
    {
      id: 'type',
      heading: 'type',
      align: 'right',
      least: 4,
      rank: 5,
      cell: ({ type }) => (type === null ? UNKNOWN : String(type)),
    },
    {
      id: 'hash',
      heading: 'hash',
      align: 'left',
      least: hashRoom,
      rank: width >= HASH_FROM ? 6 : 8,
      cell: ({ hash }) => hexText(hash, hashRoom, ellipsis),
    },
    {
      id: 'route',
      heading: `from ${into} to`,
      align: 'left',
      least: 25,
      rank: 1,
      cell: ({ from, to }): string =>
        `${from === null ? UNKNOWN : shortHex(from, ellipsis)} ${into} ${to === null ? 'new contract' : shortHex(to, ellipsis)}`,
    },
    {
      id: 'gas',
      heading: 'gas used',
      align: 'right',
      least: 8,
      rank: 4,
      cell: ({ gasUsed }) => (gasUsed === null ? UNKNOWN : formatCount(gasUsed)),
    },
    {
      id: 'price',
      heading: 'paid',
      align: 'right',
      least: 7,
      rank: 2,
      cell: ({ effectiveGasPrice }) => gwei(effectiveGasPrice),
    },
    {
      id: 'tip',
      heading: 'tip',
      align: 'right',
      least: 7,
      rank: 0,
      cell: ({ priorityFeePerGas }) => [{ text: gwei(priorityFeePerGas), bold: true }],
    },
    {
      id: 'cost',
      heading: `cost ${symbol}`,
      align: 'right',
      least: 11,
      rank: 7,
      cell: ({ costWei }) =>
        costWei === null ? UNKNOWN : formatNative(costWei, symbol).replace(` ${symbol}`, ''),
    },
    {
      id: 'status',
      heading: 'status',
      align: 'left',
      least: statusRoom(width),
      rank: 3,
      cell: ({ status }) => statusCell(status, statusRoom(width), theme),
    },
  ];
  return width < HASH_FROM ? columns.filter(({ id }) => id !== 'hash') : columns;
}

function statusRoom(width: number): number {
  return width < WORDS_FROM ? 1 : width < ALL_FROM ? 8 : 10;
}

/** Where there is no room for both, the word alone; where there is none for it, its glyph, which differs by status. */
function statusCell(status: string | null, room: number, theme: Theme): Line | string {
  const words = shortStatus(status, theme);
  if (words === null) return UNKNOWN;
  const [glyph = '', word = ''] = words.text.split(' ');
  const text = words.text.length <= room ? words.text : word.length <= room ? word : glyph;
  return [{ text, color: words.color }];
}

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
function txLines(tx: TxView, block: BlockView | null, context: FactsContext): readonly Line[] {
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
        ? { name: 'block', value: [{ text: 'none yet: pending' }] }
        : null
      : {
          name: 'block',
          value: [{ text: formatCount(blockNumber) }, { text: `${place}  Enter opens it`, faint: true }],
        },
    at === null
      ? null
      : {
          name: 'time',
          value: [{ text: momentText(at, present, offsetAt) }],
        },
    tx.from === null ? null : hex('from', tx.from),
    tx.to === null ? { name: 'to', value: [{ text: 'new contract' }], alone: true } : hex('to', tx.to),
    tx.value === null ? null : { name: 'value', value: [{ text: formatNative(tx.value, symbol) }] },
    tx.type === null ? null : { name: 'type', value: [{ text: describeTxType(tx.type) }] },
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

interface TxScreenProps extends ExplorerLevelProps {
  readonly place: Extract<Place, { kind: 'tx' }>;
}

/** Facts spread out from here on. */
const AIRY_FROM = 23;

/** One transaction: what it is, what it paid, and where its tip stood in its block. */
export function TxScreen({ place, ...level }: TxScreenProps) {
  const { snapshot, dispatch, columns, rows } = level;
  const copy = useClipboard();
  const spoken = useIsScreenReaderEnabled();
  const polled = useTx(place.hash, snapshot);
  const tx = polled.data?.value ?? null;
  // The tips of its block, to draw where it stood among them; without them the rest is shown all the same.
  const blockNumber = tx?.blockNumber ?? null;
  const block = useBlock(blockNumber, snapshot).data?.value ?? null;
  const context = useFactsContext(level, AIRY_FROM);
  const lines = tx === null ? [] : txLines(tx, block, context);
  const room = Math.max(rows - 1 - (polled.error === null ? 0 : 1), 1);
  const most = Math.max(lines.length - room, 0);
  const top = Math.min(place.top, most);
  const scroll = (to: number) => dispatch({ type: 'scroll', top: Math.min(Math.max(to, 0), most) });
  useKeys('explorer', {
    ...(most === 0 ? {} : scrollKeys(scroll, { top, room, most })),
    ...(blockNumber === null
      ? {}
      : { open: () => dispatch({ type: 'open', place: { kind: 'block', number: blockNumber } }) }),
    copy: () => copy(place.hash, shortHex(place.hash, '…')),
  });
  return (
    <PlaceFrame
      polled={polled}
      what="the transaction"
      problem={(error) => explorerProblem(place, error, noTransactions(snapshot))}
      columns={columns}
      rows={rows}
    >
      {(notice) => {
        if (tx === null) return <PaneState kind="loading" what="the transaction" />;
        if (spoken) return <SpokenTx tx={tx} block={block} context={context} />;
        const below = lines.length - top - room;
        return (
          <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
            <SegmentLine segments={withHidden(txTitle(tx, context), below)} width={columns} />
            {notice === null ? null : <OneLine line={[{ text: ' ' }, ...notice]} width={columns} />}
            <LineList lines={lines.slice(top, top + room)} width={columns} />
          </Box>
        );
      }}
    </PlaceFrame>
  );
}
