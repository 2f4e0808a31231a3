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
import { useKeys } from '../../input/use-keys.tsx';
import { factGrid, given, type NamedValue, sectionLine } from '../../ui/fact-list.tsx';
import { type PaneContext, usePane, useRoom } from '../../ui/pane-context.tsx';
import { ScrolledLines } from '../../ui/scroll.tsx';
import { known, leftColumn, rightColumn, type TableColumn } from '../../ui/table.ts';
import { bold, colored, EMPTY_LINE, faint, type Line, plain, type Span } from '../../ui/text.tsx';
import { momentText } from '../../ui/time.ts';
import {
  depthSegments,
  gasFacts,
  gweiText,
  PlaceFrame,
  tipLines,
  useBlock,
  useSettling,
} from './block-details.tsx';
import { type ExplorerLevelProps, opened, type Place, scrolled } from './explorer-state.ts';

/** Each with a glyph and a word, in addition to the colour. */
const STATUSES = new Map<string, Span>([
  ['SUCCESS', colored('● success', 'good')],
  ['REVERTED', colored('! reverted', 'bad')],
  ['PENDING', colored('◌ pending', 'warn')],
]);

export const statusSpan = (status: string): Span =>
  STATUSES.get(status) ?? colored(status.toLowerCase(), 'accent');

export function txColumns({ width, symbol }: PaneContext): readonly TableColumn<TxRowView>[] {
  const hashRoom = width >= 190 ? 66 : 21;
  const short = (hex: string | null, without: string) => (hex === null ? without : shortHex(hex, '…'));
  return [
    rightColumn('#', 3, 0, ({ transactionIndex: index }) => known(index, (place) => formatCount(place + 1))),
    rightColumn('type', 4, 5, ({ type }) => known(type, String)),
    leftColumn('hash', hashRoom, 6, ({ hash }) => hexText(hash, hashRoom, '…')),
    leftColumn(
      'from → to',
      25,
      1,
      ({ from, to }) => `${short(from, UNKNOWN)} → ${short(to, 'new contract')}`,
    ),
    rightColumn('gas used', 8, 4, ({ gasUsed }) => known(gasUsed, formatCount)),
    rightColumn('paid', 7, 3, ({ effectiveGasPrice }) => known(effectiveGasPrice, formatGwei)),
    rightColumn('tip', 7, 0, ({ priorityFeePerGas }) => [bold(known(priorityFeePerGas, formatGwei))]),
    rightColumn(`cost ${symbol}`, 11, 7, ({ costWei }) =>
      known(costWei, (wei) => formatNative(wei, symbol).replace(` ${symbol}`, '')),
    ),
    leftColumn('status', 10, 2, (tx) =>
      known(tx.status, (status) => {
        const { text, color } = statusSpan(status);
        return [colored(text.replace('success', 'ok'), color)];
      }),
    ),
  ];
}

/** The longest name, so that both grids align. */
const NAME_ROOM = 'gas limit'.length;

function txTitle(tx: TxView, { snapshot, present }: PaneContext): readonly Line[] {
  return [
    [bold('Transaction')],
    ...(tx.status === null ? [] : [[{ ...statusSpan(tx.status), bold: true }]]),
    ...(tx.blockNumber === null ? [] : depthSegments(tx, snapshot)),
    ...(tx.timestamp === null ? [] : [[plain(formatAge((present - tx.timestamp) / 1_000))]]),
  ];
}

function identity(tx: TxView, { width, symbol, present }: PaneContext): readonly NamedValue[] {
  const { blockNumber, transactionIndex: index, blockTransactionCount: count } = tx;
  const hex = (value: string) => hexText(value, width - NAME_ROOM - 4, '…');
  const of = count === null ? '' : ` of ${formatCount(count)}`;
  const place = index === null ? '' : `, transaction ${formatCount(index + 1)}${of}`;
  const pending = blockNumber === null && tx.status === 'PENDING' ? 'none yet: pending' : null;
  return [
    ...given(tx.hash, 'hash', hex, true),
    ...given(blockNumber, 'block', (number) => [
      plain(formatCount(number)),
      faint(`${place}  Enter opens it`),
    ]),
    ...given(pending, 'block', (text) => text),
    ...given(tx.timestamp, 'time', (at) => momentText(at, present)),
    ...given(tx.from, 'from', hex, true),
    ...given(tx.to ?? 'new contract', 'to', hex, true),
    ...given(tx.value, 'value', (wei) => formatNative(wei, symbol)),
    ...given(tx.type, 'type', describeTxType),
    ...given(tx.nonce, 'nonce', formatCount),
    { name: 'call', value: [{ text: tx.selector ?? 'no call data', faint: tx.selector === null }] },
  ];
}

function payment(tx: TxView, block: BlockView | null, { symbol }: PaneContext): readonly NamedValue[] {
  const { priorityFeePerGas: tip, costUsd, gasUsed, gasLimit } = tx;
  const paid = (price: number): Line => {
    const base = block?.baseFeePerGas ?? (tip === null ? null : price - tip);
    const parts = tip === null || base === null ? '' : `  base ${formatGwei(base)} + tip ${formatGwei(tip)}`;
    return [bold(gweiText(price)), faint(parts)];
  };
  const usd = costUsd === null ? '' : `  ${formatUsd(costUsd)}`;
  return [
    ...given(tx.effectiveGasPrice, 'paid', paid, true),
    ...given(tx.costWei, 'cost', (wei) => `${formatNative(wei, symbol)}${usd}`),
    ...given(tx.dataFeeWei === 0n ? null : tx.dataFeeWei, 'L1 part', (wei) => formatNative(wei, symbol)),
    ...gasFacts(gasUsed, gasLimit, gasUsed && gasLimit ? `, ${formatPercent(gasUsed / gasLimit)}` : ''),
    ...given(tx.maxFeePerGas, 'max fee', gweiText),
    ...given(tx.maxPriorityFeePerGas, 'max tip', gweiText),
    // A transaction signed with caps has no gas price.
    ...given(tx.maxFeePerGas === null ? tx.gasPrice : null, 'signed', gweiText),
    ...given(tx.maxFeePerBlobGas, 'max blob', gweiText),
    ...given(tx.blobCount === 0 ? null : tx.blobCount, 'blobs', formatCount),
  ];
}

function standing(tx: TxView, block: BlockView | null, context: PaneContext): readonly Line[] {
  const { priorityFeePerGas: tip, tipRank } = tx;
  const tips = block?.tips ?? null;
  if (tip === null || (tips === null && tipRank === null)) return [];
  const rank = tipRank === null ? '' : `, ${tipRankWords(tipRank, tx.blockTransactionCount)}`;
  const heading = sectionLine('Tip', [plain(gweiText(tip)), plain(rank)]);
  return [heading, ...(tips === null ? [] : tipLines(tips, context, tip))];
}

const AIRY_FROM = 23;

type TxScreenProps = ExplorerLevelProps & { readonly place: Extract<Place, { kind: 'tx' }> };

export function TxScreen({ place, change }: TxScreenProps) {
  const copy = useClipboard();
  const context = usePane();
  const { rows } = useRoom();
  const polled = useSettling(
    ['tx', place.hash],
    (client, signal) => client.tx(place.hash, { signal }),
    (tx) => tx.blockNumber,
  );
  const tx = polled.data ?? null;
  // The tips of its block, to draw its rank; optional.
  const number = tx?.blockNumber ?? null;
  const block = useBlock(number).data ?? null;
  useKeys('explorer', {
    ...(number === null ? {} : { open: () => change((state) => opened(state, { kind: 'block', number })) }),
    copy: () => copy(place.hash, shortHex(place.hash, '…')),
  });
  const grid = (facts: readonly NamedValue[]) => factGrid(facts, context.width, NAME_ROOM);
  const gap = rows >= AIRY_FROM ? [EMPTY_LINE] : [];
  const linesOf = (of: TxView) => [
    ...[...gap, ...grid(identity(of, context))],
    ...[...gap, ...grid(payment(of, block, context))],
    ...[...gap, ...standing(of, block, context)],
  ];
  return (
    <PlaceFrame place={place} polled={polled}>
      {(notice) =>
        tx === null ? null : (
          <ScrolledLines
            scope="explorer"
            title={txTitle(tx, context)}
            lines={linesOf(tx)}
            notice={notice}
            top={place.top}
            onScroll={(top) => change((state) => scrolled(state, { top }))}
          />
        )
      }
    </PlaceFrame>
  );
}
