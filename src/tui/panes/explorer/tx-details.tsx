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
import { useMonitor } from '../../data/queries.ts';
import { useKeys } from '../../input/use-keys.tsx';
import { factGrid, given, type NamedValue, sectionLine } from '../../ui/fact-list.tsx';
import { type PaneContext, usePaneContext } from '../../ui/pane-context.ts';
import { ScrolledLines } from '../../ui/scroll.tsx';
import { leftColumn, rightColumn, type TableColumn } from '../../ui/table.ts';
import { EMPTY_LINE, type Line, type Span } from '../../ui/text.tsx';
import type { Theme } from '../../ui/theme.ts';
import { momentText } from '../../ui/time.ts';
import { depthSegments, gasFacts, gweiText, tipLines, useBlock } from './block-details.tsx';
import { type ExplorerLevelProps, opened, type Place, scrolled } from './explorer-state.ts';
import { PlaceFrame, useSettling } from './place-frame.tsx';

/** A glyph and a word, so that the colour does not speak alone. */
export function statusSpan(status: string | null, { glyph }: Theme): Span | null {
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

/** The columns of a block's transactions, left to right. */
export function txColumns({ width, symbol, theme }: PaneContext): readonly TableColumn<TxRowView>[] {
  const { ellipsis, into } = theme.glyph;
  const hashRoom = width >= 190 ? 66 : 21;
  const short = (hex: string | null, without: string) => (hex === null ? without : shortHex(hex, ellipsis));
  const gwei = (wei: number | null) => (wei === null ? UNKNOWN : formatGwei(wei));
  const count = (value: number | null) => (value === null ? UNKNOWN : formatCount(value));
  return [
    rightColumn('#', 3, 0, ({ transactionIndex: index }) => count(index === null ? null : index + 1)),
    rightColumn('type', 4, 5, ({ type }) => (type === null ? UNKNOWN : String(type))),
    leftColumn('hash', hashRoom, 6, ({ hash }) => hexText(hash, hashRoom, ellipsis)),
    leftColumn(
      `from ${into} to`,
      25,
      1,
      ({ from, to }): string => `${short(from, UNKNOWN)} ${into} ${short(to, 'new contract')}`,
    ),
    rightColumn('gas used', 8, 4, ({ gasUsed }) => count(gasUsed)),
    rightColumn('paid', 7, 3, ({ effectiveGasPrice }) => gwei(effectiveGasPrice)),
    rightColumn('tip', 7, 0, ({ priorityFeePerGas }) => [{ text: gwei(priorityFeePerGas), bold: true }]),
    rightColumn(`cost ${symbol}`, 11, 7, ({ costWei }) =>
      costWei === null ? UNKNOWN : formatNative(costWei, symbol).replace(` ${symbol}`, ''),
    ),
    leftColumn('status', 10, 2, ({ status }) => {
      const span = statusSpan(status, theme);
      return span === null ? UNKNOWN : [{ ...span, text: span.text.replace('success', 'ok') }];
    }),
  ];
}

/** The longest name: both grids stand under each other. */
const NAME_ROOM = 'gas limit'.length;

/** The first line: what became of it. */
function txTitle(tx: TxView, { theme, snapshot, present }: PaneContext): readonly Line[] {
  const status = statusSpan(tx.status, theme);
  return [
    [{ text: 'Transaction', bold: true }],
    ...(status === null ? [] : [[{ ...status, bold: true }]]),
    ...(tx.blockNumber === null ? [] : depthSegments(tx, snapshot)),
    ...(tx.timestamp === null ? [] : [[{ text: formatAge((present - tx.timestamp) / 1_000) }]]),
  ];
}

/** What it is. */
function identity(
  tx: TxView,
  { width, symbol, theme, offsetAt, present }: PaneContext,
): readonly NamedValue[] {
  const { blockNumber, transactionIndex: index, blockTransactionCount: count } = tx;
  const hex = (value: string) => hexText(value, width - NAME_ROOM - 4, theme.glyph.ellipsis);
  const of = count === null ? '' : ` of ${formatCount(count)}`;
  const place = index === null ? '' : `, transaction ${formatCount(index + 1)}${of}`;
  const pending = blockNumber === null && tx.status === 'PENDING' ? 'none yet: pending' : null;
  return [
    ...given(tx.hash, 'hash', hex, true),
    ...given(blockNumber, 'block', (number) => [
      { text: formatCount(number) },
      { text: `${place}  Enter opens it`, faint: true },
    ]),
    ...given(pending, 'block', (text) => text),
    ...given(tx.timestamp, 'time', (at) => momentText(at, present, offsetAt)),
    ...given(tx.from, 'from', hex, true),
    ...given(tx.to ?? 'new contract', 'to', hex, true),
    ...given(tx.value, 'value', (wei) => formatNative(wei, symbol)),
    ...given(tx.type, 'type', describeTxType),
    ...given(tx.nonce, 'nonce', formatCount),
    { name: 'call', value: [{ text: tx.selector ?? 'no call data', faint: tx.selector === null }] },
  ];
}

/** What it paid. */
function payment(tx: TxView, block: BlockView | null, { symbol }: PaneContext): readonly NamedValue[] {
  const { priorityFeePerGas: tip, costUsd } = tx;
  const paid = (price: number): Line => {
    const base = block?.baseFeePerGas ?? (tip === null ? null : price - tip);
    const parts = tip === null || base === null ? '' : `  base ${formatGwei(base)} + tip ${formatGwei(tip)}`;
    return [
      { text: gweiText(price), bold: true },
      { text: parts, faint: true },
    ];
  };
  const usd = costUsd === null ? '' : `  ${formatUsd(costUsd)}`;
  return [
    ...given(tx.effectiveGasPrice, 'paid', paid, true),
    ...given(tx.costWei, 'cost', (wei) => `${formatNative(wei, symbol)}${usd}`),
    ...gasFacts(tx.gasUsed, tx.gasLimit, (used, limit) =>
      limit === 0 ? '' : `, ${formatPercent(used / limit)}`,
    ),
    ...given(tx.maxFeePerGas, 'max fee', gweiText),
    ...given(tx.maxPriorityFeePerGas, 'max tip', gweiText),
    // Whatever is signed with caps has no price of its own.
    ...given(tx.maxFeePerGas === null ? tx.gasPrice : null, 'signed', gweiText),
    ...given(tx.maxFeePerBlobGas, 'max blob', gweiText),
    ...given(tx.blobCount === 0 ? null : tx.blobCount, 'blobs', formatCount),
  ];
}

/** Where its tip stood among the tips of its block. */
function standing(tx: TxView, block: BlockView | null, context: PaneContext): readonly Line[] {
  const { priorityFeePerGas: tip, tipRank } = tx;
  const tips = block?.tips ?? null;
  if (tip === null || (tips === null && tipRank === null)) return [];
  const rank = tipRank === null ? '' : `, ${tipRankWords(tipRank, tx.blockTransactionCount)}`;
  const heading = sectionLine('Tip', [{ text: gweiText(tip) }, { text: rank }]);
  return [heading, ...(tips === null ? [] : tipLines(tips, context, tip))];
}

interface TxScreenProps extends ExplorerLevelProps {
  readonly place: Extract<Place, { kind: 'tx' }>;
}

/** Facts spread out from here on. */
const AIRY_FROM = 23;

/** One transaction: what it is, what it paid, and where its tip stood in its block. */
export function TxScreen({ place, snapshot, change, columns, rows }: TxScreenProps) {
  const { client } = useMonitor();
  const copy = useClipboard();
  const context = usePaneContext(snapshot, columns);
  const polled = useSettling(
    ['tx', place.hash],
    snapshot,
    (signal) => client.tx(place.hash, { signal }),
    (tx) => tx.blockNumber,
  );
  const tx = polled.data?.value ?? null;
  // The tips of its block, to draw where it stood among them; without them the rest is shown all the same.
  const number = tx?.blockNumber ?? null;
  const block = useBlock(number, snapshot).data?.value ?? null;
  useKeys('explorer', {
    ...(number === null ? {} : { open: () => change((state) => opened(state, { kind: 'block', number })) }),
    copy: () => copy(place.hash, shortHex(place.hash, '…')),
  });
  const grid = (facts: readonly NamedValue[]) => factGrid(facts, context.width, context.theme, NAME_ROOM);
  const gap = rows >= AIRY_FROM ? [EMPTY_LINE] : [];
  return (
    <PlaceFrame place={place} polled={polled} snapshot={snapshot} columns={columns} rows={rows}>
      {(notice) =>
        tx === null ? null : (
          <ScrolledLines
            scope="explorer"
            title={txTitle(tx, context)}
            lines={[
              ...gap,
              ...grid(identity(tx, context)),
              ...gap,
              ...grid(payment(tx, block, context)),
              ...gap,
              ...standing(tx, block, context),
            ]}
            notice={notice}
            top={place.top}
            onScroll={(top) => change((state) => scrolled(state, { top }))}
            width={columns}
            height={rows}
          />
        )
      }
    </PlaceFrame>
  );
}
