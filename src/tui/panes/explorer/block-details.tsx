import { useInfiniteQuery } from '@tanstack/react-query';
import { Box } from 'ink';
import { useEffect } from 'react';
import { ClientError } from '../../../client/errors.ts';
import type { SnapshotView } from '../../../client/views/gas.ts';
import type { BlockView, TxRowView } from '../../../client/views/metrics.ts';
import { PERCENTILES } from '../../../contract/choices.ts';
import { hexText, shortHex } from '../../../core/text.ts';
import { formatAge, formatCount, formatGwei, formatNative, formatUsd, usdOf } from '../../../core/units.ts';
import { useClipboard } from '../../app/terminal.ts';
import { useToast } from '../../chrome/toast.tsx';
import { useMonitor } from '../../data/queries.ts';
import { useKeys } from '../../input/use-keys.tsx';
import { factGrid, given, type NamedValue, sectionLine } from '../../ui/fact-list.tsx';
import { type PaneContext, usePaneContext } from '../../ui/pane-context.ts';
import { withHidden } from '../../ui/scroll.tsx';
import { spokenRow, useTable } from '../../ui/table.ts';
import {
  changeSpan,
  displayWidth,
  EMPTY_LINE,
  fullnessLine,
  type Line,
  LineList,
  OneLine,
  SegmentLine,
  type Span,
  SpokenSentences,
  scrolledTo,
  spokenLine,
} from '../../ui/text.tsx';
import { momentText } from '../../ui/time.ts';
import {
  type ExplorerLevelProps,
  noTransactions,
  opened,
  type Place,
  scrolled,
  turnedTo,
} from './explorer-state.ts';
import { PlaceFrame, useSettling } from './place-frame.tsx';
import { txColumns } from './tx-details.tsx';

type Tips = Readonly<Record<string, number>>;

/** The percentiles in a row: `p10 0.00100  p25 0.00200 …`, over as many lines as they need. */
function percentileLines(tips: Tips, width: number): readonly Line[] {
  const cells = PERCENTILES.flatMap((name) => {
    const tip = tips[name];
    return tip === undefined ? [] : [{ name, text: formatGwei(tip) }];
  });
  const room = Math.max(0, ...cells.map(({ name, text }) => name.length + 1 + displayWidth(text))) + 2;
  const perLine = Math.max(Math.floor((width + 2) / room), 1);
  return Array.from({ length: Math.ceil(cells.length / perLine) }, (_, line) =>
    cells
      .slice(line * perLine, (line + 1) * perLine)
      .flatMap(({ name, text }) => [
        { text: `${name} `, faint: true },
        { text: text.padEnd(room - name.length - 1) },
      ]),
  );
}

const LEAST_CELLS = 16;
const MOST_CELLS = 72;

/**
 * The tips of a block as a box on a logarithmic scale: the line from the lowest to the highest percentile, the box
 * over the middle half, the marker at the median. With `mark` a second line points at one tip. Empty where a scale
 * would say nothing.
 */
function scaleLines(tips: Tips, width: number, { glyph }: PaneContext['theme'], mark: number | null) {
  const known = PERCENTILES.flatMap((name) => tips[name] ?? []);
  const low = Math.min(...known, mark ?? Number.POSITIVE_INFINITY);
  const high = Math.max(...known, mark ?? 0);
  const [start, end] = [`${formatGwei(low)} `, ` ${formatGwei(high)}`];
  const cells = Math.min(width - displayWidth(start) - displayWidth(end) - 2, MOST_CELLS);
  if (known.length < 2 || !(high > low) || cells < LEAST_CELLS) return [];
  // Zero has no logarithm: it lies where a thousandth of the highest would.
  const least = Math.max(low, high / 1e6, 1);
  const at = (tip: number) => {
    const share = Math.log(Math.max(tip, least) / least) / Math.log(high / least);
    return Math.round(Math.min(Math.max(share, 0), 1) * (cells - 1));
  };
  const { p25, p50, p75 } = tips;
  const middle = p50 === undefined ? -1 : at(p50);
  const [from, to] = p25 === undefined || p75 === undefined ? [cells, -1] : [at(p25), at(p75)];
  const drawn = Array.from({ length: cells }, (_, place): Span => {
    if (place === middle) return { text: glyph.marker, color: 'accent', bold: true };
    return place >= from && place <= to
      ? { text: glyph.barFull, color: 'tip' }
      : { text: glyph.line, faint: true };
  });
  const scale: Line = [
    { text: start },
    { text: glyph.lineLeft, faint: true },
    ...drawn,
    { text: glyph.lineRight, faint: true },
    { text: end },
  ];
  if (mark === null) return [scale];
  // The words stand at the side of the mark that has room.
  const place = displayWidth(start) + 1 + at(mark);
  const words = `this one, ${formatGwei(mark)}`;
  const arrow: Span = { text: glyph.vertical, color: 'accent', bold: true };
  const before = { text: `${' '.repeat(Math.max(place - words.length - 1, 0))}${words} ` };
  const fits = place + 2 + words.length <= width;
  return [scale, fits ? [{ text: ' '.repeat(place) }, arrow, { text: ` ${words}` }] : [before, arrow]];
}

/** The tips of a block drawn and in figures; a screen reader is told the figures. */
export function tipLines(tips: Tips, { width, theme, isSpoken }: PaneContext, mark: number | null = null) {
  const scale = isSpoken ? [] : scaleLines(tips, width - 2, theme, mark);
  const figures = percentileLines(tips, width - 2);
  const lines = mark === null ? [...figures, ...scale] : [...scale, ...figures];
  return lines.map((line): Line => [{ text: ' ' }, ...line]);
}

/** One block; asked again with each new head while it may still be replaced. `null`: none is wanted. */
export function useBlock(number: number | null, snapshot: SnapshotView) {
  const { client } = useMonitor();
  return useSettling(
    ['block', number],
    snapshot,
    (signal) => client.block(number ?? 'latest', { signal }),
    () => number,
  );
}

const PAGE_SIZE = 100;
/** A window by seconds holds the blocks of fast chains beside the wanted one; more pages than this are not for eyes. */
const MOST_PAGES = 50;

/** The transactions of a block, page by page, as the service orders them. `null`: none are wanted. */
function useBlockTxs(block: BlockView | null) {
  const { client } = useMonitor();
  const { blockNumber = null, timestamp = null, hash = null, transactionCount = null } = block ?? {};
  const ofBlock = (row: TxRowView) => row.blockNumber === null || row.blockNumber === blockNumber;
  return useInfiniteQuery({
    queryKey: ['block-txs', blockNumber, hash],
    enabled: blockNumber !== null && timestamp !== null,
    staleTime: Number.POSITIVE_INFINITY,
    initialPageParam: 0,
    // The window takes in a second at each side, because services differ in whether its ends belong to it.
    queryFn: ({ pageParam: page, signal }) => {
      const at = timestamp ?? 0;
      return client.txs({ from: at - 1_000, to: at + 1_000, size: PAGE_SIZE, page }, { signal });
    },
    getNextPageParam: (last, pages) => {
      const rows = pages.flatMap((page) => page.rows);
      const own = rows.filter(ofBlock).length;
      // A service that knows no pages gives the same rows again.
      const isAgain = pages.length > 1 && last.rows[0]?.hash === pages[0]?.rows[0]?.hash;
      const isAll = isAgain || last.rows.length === 0 || rows.length >= last.total;
      const isComplete = transactionCount !== null && own >= transactionCount;
      return isAll || isComplete || pages.length >= MOST_PAGES ? undefined : pages.length;
    },
    select: ({ pages }) => [
      ...new Map(pages.flatMap((page) => page.rows.filter(ofBlock)).map((row) => [row.hash, row])).values(),
    ],
  });
}

/** What stands in the place of the list of transactions; `null`: the list itself. */
function txsNote(
  { transactionCount }: BlockView,
  snapshot: SnapshotView,
  { data, error, failureReason }: TxsQuery,
) {
  const without = noTransactions(snapshot);
  if (without !== null) return without.replace(/; .*/, '');
  if (transactionCount === 0) return 'no transactions in this block';
  if (data !== undefined && data.length > 0) return null;
  const failure = failureReason ?? error;
  if (failure !== null) {
    const isAbsent = failure instanceof ClientError && failure.code === 'not-found';
    return `no transactions: ${isAbsent ? 'this service has none' : failure.message}`.replaceAll('\n', ' ');
  }
  return data === undefined
    ? 'loading the transactions …'
    : 'the service gives no transactions of this block';
}

type TxsQuery = ReturnType<typeof useBlockTxs>;

/** Gas of one blob (EIP-4844). */
const GAS_PER_BLOB = 131_072;
const BAR_CELLS = 10;
/** Facts spread out from here on. */
const AIRY_FROM = 30;

/** Everything the service says of a block, but its transactions. */
function blockLines(block: BlockView, context: PaneContext, isAiry: boolean): readonly Line[] {
  const gap = isAiry ? [EMPTY_LINE] : [];
  const tips = block.gasUsedRatio === 0 ? null : block.tips;
  const heading = sectionLine('Tips', [{ text: 'gwei, weighted by gas', faint: true }]);
  return [
    ...gap,
    ...factGrid(blockFacts(block, context), context.width, context.theme),
    ...gap,
    ...(tips === null ? [] : [heading, ...tipLines(tips, context)]),
    ...gap,
  ];
}

/** The first line: which block, when, how deep. */
function blockTitle(block: BlockView, { present, offsetAt, snapshot }: PaneContext): readonly Line[] {
  const at = block.timestamp;
  return [
    [{ text: `Block ${formatCount(block.blockNumber)}`, bold: true }],
    ...(at === null ? [] : [[{ text: formatAge((present - at) / 1_000) }]]),
    ...depthSegments(block, snapshot),
    ...(at === null ? [] : [[{ text: momentText(at, present, offsetAt), faint: true }]]),
  ];
}

/** Blocks on top of it, itself included: by the newest block that is known, or as the service said. */
export function depthSegments(
  {
    blockNumber,
    confirmations: said,
  }: Pick<BlockView, 'confirmations'> & { readonly blockNumber: number | null },
  { blockNumber: head }: SnapshotView,
): readonly Line[] {
  const count = blockNumber === null || head === null ? said : Math.max(head - blockNumber + 1, said ?? 0);
  if (count === null) return [];
  return [[{ text: `${formatCount(count)} ${count === 1 ? 'confirmation' : 'confirmations'}` }]];
}

export const gweiText = (wei: number) => `${formatGwei(wei)} gwei`;

/** `24,480,000 of 36,000,000`, or the limit alone. `share`: what else is said of both. */
export function gasFacts(
  used: number | null,
  limit: number | null,
  share: (used: number, limit: number) => string,
) {
  if (used === null) return given(limit, 'gas limit', formatCount);
  const of = limit === null ? '' : ` of ${formatCount(limit)}${share(used, limit)}`;
  return given(used, 'gas used', () => [{ text: formatCount(used) }, { text: of, faint: true }]);
}

/** Its fields by name, as many as the service says. */
function blockFacts(
  block: BlockView,
  { width, theme, symbol, snapshot }: PaneContext,
): readonly NamedValue[] {
  const { baseFeePerGas: base, nextBaseFeePerGas: next } = block;
  const hex = (name: string, value: string | null) =>
    given(value, name, (text) => hexText(text, width - 16, theme.glyph.ellipsis), true);
  return [
    ...given(base, 'base fee', (wei) => [{ text: gweiText(wei), bold: true }]),
    ...gasFacts(block.gasUsed, block.gasLimit, () => ''),
    ...given(next, 'next base', (wei) => [
      { text: `${gweiText(wei)} ` },
      ...(base === 0 ? [] : [changeSpan(wei / base - 1, theme)]),
    ]),
    ...given(block.gasUsedRatio, 'full', (ratio) => fullnessLine(ratio, BAR_CELLS, theme)),
    ...given(block.blobBaseFee, 'blob base', gweiText),
    ...given(block.blobGasUsed, 'blob gas', (used) => {
      const blobs = Math.round(used / GAS_PER_BLOB);
      const count = `, ${blobs === 0 ? 'no' : formatCount(blobs)} ${blobs === 1 ? 'blob' : 'blobs'}`;
      return [{ text: formatCount(used) }, { text: count, faint: true }];
    }),
    ...given(block.nextBlobBaseFee, 'next blob', gweiText),
    ...given(block.excessBlobGas, 'excess blob', (gas) => `${formatCount(gas)} gas`),
    ...given(block.burntWei, 'burnt', (wei) => [
      { text: formatNative(wei, symbol) },
      {
        text: snapshot.nativeUsd === null ? '' : `  ${formatUsd(usdOf(wei, snapshot.nativeUsd))}`,
        faint: true,
      },
    ]),
    ...given(block.transactionCount, 'transactions', formatCount),
    ...hex('fees to', block.feeRecipient),
    ...hex('hash', block.hash),
    ...hex('parent', block.parentHash),
  ];
}

interface BlockScreenProps extends ExplorerLevelProps {
  readonly place: Extract<Place, { kind: 'block' }>;
}

/** The next page is asked for before the cursor reaches the end of this one. */
const AHEAD = 20;
/** Transactions that are read out at once. */
const SPOKEN_TXS = 10;

/** One block: its facts, then its transactions, all in one scroll. */
export function BlockScreen({ place, snapshot, change, columns, rows }: BlockScreenProps) {
  const toast = useToast();
  const copy = useClipboard();
  const context = usePaneContext(snapshot, columns);
  const polled = useBlock(place.number, snapshot);
  const block = polled.data?.value ?? null;
  const isListed = noTransactions(snapshot) === null && block?.transactionCount !== 0;
  const txs = useBlockTxs(isListed ? block : null);
  const list = txs.data ?? [];
  const facts = block === null ? [] : blockLines(block, context, rows >= AIRY_FROM);
  const all = txColumns(context);
  const selected = place.selected === null ? null : Math.min(place.selected, list.length - 1);
  const table = useTable({ columns: all, rows: list, width: columns, cursor: selected });
  const note = block === null ? null : txsNote(block, snapshot, txs);
  const heading: Line = note === null ? table.heading : [{ text: ` ${note}`, faint: true }];
  // The title stands above what scrolls.
  const room = Math.max(rows - 1 - (polled.error === null ? 0 : 1), 1);
  const lines = [...facts, heading, ...table.lines];
  const before = facts.length + 1;
  const most = Math.max(lines.length - room, 0);
  const wanted = selected === null ? place.top : inSight(before + selected, place.top, room);
  const top = Math.min(Math.max(wanted, 0), most);

  const { hasNextPage, isFetching, fetchNextPage } = txs;
  const wantsMore =
    hasNextPage && !isFetching && txs.error === null && (selected ?? 0) + AHEAD + room > list.length;
  useEffect(() => {
    if (wantsMore) void fetchNextPage();
  }, [wantsMore, fetchNextPage]);

  const scrollTo = (to: number, marked: number | null = null) =>
    change((state) => scrolled(state, { top: Math.min(Math.max(to, 0), most), selected: marked }));
  const select = (to: number) => {
    if (to < 0) return scrollTo(Math.min(top, facts.length));
    const next = Math.min(to, list.length - 1);
    scrollTo(inSight(before + next, top, room), next);
  };
  /** Through the facts line by line until the first transaction is in sight, then from one to the next. */
  const move = (by: number) => {
    if (selected !== null) select(selected === 0 && by < 0 ? -1 : Math.max(selected + by, 0));
    else if (by > 0 && list.length > 0 && before < top + room) select(by - 1);
    else scrollTo(top + by);
  };
  const open = (name: Parameters<typeof opened>[1]) => change((state) => opened(state, name));
  const turnTo = (number: number) => change((state) => turnedTo(state, number));
  const marked = selected === null ? undefined : list[selected];
  const moves = {
    up: () => move(-1),
    down: () => move(1),
    'page-up': () => move(-room),
    'page-down': () => move(room),
    start: () => scrollTo(0),
    end: () => (list.length > 0 ? select(list.length - 1) : scrollTo(most)),
  };
  useKeys('explorer', {
    ...(most === 0 && list.length === 0 ? {} : moves),
    ...(list.length === 0
      ? {}
      : { open: () => (marked === undefined ? select(0) : open({ kind: 'tx', hash: marked.hash })) }),
    previous: () => {
      if (place.number > 0) turnTo(place.number - 1);
    },
    next: () => {
      if (snapshot.blockNumber === null || place.number < snapshot.blockNumber) turnTo(place.number + 1);
      else toast({ kind: 'info', text: 'This is the newest block' });
    },
    copy: () => {
      if (marked === undefined) copy(String(place.number));
      else copy(marked.hash, shortHex(marked.hash, '…'));
    },
  });

  return (
    <PlaceFrame place={place} polled={polled} snapshot={snapshot} columns={columns} rows={rows}>
      {(notice) => {
        if (block === null) return null;
        const title = blockTitle(block, context);
        if (context.isSpoken) {
          const said = list.slice(selected ?? 0, (selected ?? 0) + SPOKEN_TXS).map((tx, place_) => {
            const mark = place_ === 0 && selected !== null ? 'Marked: ' : '';
            return `${mark}Transaction ${spokenRow(all, tx)}`;
          });
          const about = facts.map(spokenLine);
          return (
            <SpokenSentences sentences={[title.map(spokenLine).join(', '), ...about, note ?? '', ...said]} />
          );
        }
        // The headings stand over what is shown once they would have scrolled away.
        const isPast = top > facts.length;
        const shown = isPast ? [heading, ...lines.slice(top + 1, top + room)] : lines.slice(top, top + room);
        return (
          <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
            <SegmentLine segments={withHidden(title, most - top)} width={columns} />
            {notice === null ? null : <OneLine line={[{ text: ' ' }, ...notice]} width={columns} />}
            <LineList lines={shown} width={columns} />
          </Box>
        );
      }}
    </PlaceFrame>
  );
}

/** With the line before it: the headings stand over that one once they would have scrolled away. */
function inSight(line: number, top: number, room: number): number {
  return scrolledTo(line, scrolledTo(line - 1, top, room), room);
}
