import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import type { GasClient } from '../../../client/client.ts';
import { ClientError } from '../../../client/errors.ts';
import type { SnapshotView } from '../../../client/views/gas.ts';
import type { BlockView, TxRowView } from '../../../client/views/metrics.ts';
import { PERCENTILES } from '../../../contract/choices.ts';
import { hexText, shortHex } from '../../../core/text.ts';
import { formatAge, formatCount, formatGwei, formatNative, formatUsd, usdOf } from '../../../core/units.ts';
import { remedyFor } from '../../app/connection.ts';
import { useClipboard } from '../../app/terminal.ts';
import { useToast } from '../../chrome/toast.tsx';
import { type Polled, useMonitor, useMonitorQuery } from '../../data/queries.ts';
import { scrollKeys, useKeys } from '../../input/use-keys.tsx';
import { factGrid, given, type NamedValue, sectionLine } from '../../ui/fact-list.tsx';
import { type PaneContext, usePane, useRoom, useShownSnapshot } from '../../ui/pane-context.tsx';
import { missingReason, PaneState, PolledFrame, serviceMessage } from '../../ui/pane-state.tsx';
import { TitledLines } from '../../ui/scroll.tsx';
import { useTable } from '../../ui/table.ts';
import {
  bold,
  changeSpan,
  colored,
  displayWidth,
  EMPTY_LINE,
  faint,
  flow,
  fullnessLine,
  type Line,
  lineWidth,
  plain,
  type Span,
  scrolledTo,
} from '../../ui/text.tsx';
import { momentText } from '../../ui/time.ts';
import {
  type ExplorerLevelProps,
  noTransactions,
  opened,
  type Place,
  type PlaceName,
  scrolled,
  turnedTo,
} from './explorer-state.ts';
import { txColumns } from './tx-details.tsx';

type Tips = Readonly<Record<string, number>>;

function percentileLines(tips: Tips, width: number): readonly Line[] {
  const cells = PERCENTILES.flatMap((name): readonly Line[] => {
    const tip = tips[name];
    return tip === undefined ? [] : [[faint(`${name} `), plain(formatGwei(tip))]];
  });
  const room = Math.max(0, ...cells.map(lineWidth));
  return flow(cells, width, { most: Number.POSITIVE_INFINITY, roomOf: () => room });
}

const LEAST_CELLS = 16;
const MOST_CELLS = 72;

/** The tips of a block as a box plot on a logarithmic scale, with a second line that points at one tip (`mark`). */
function scaleLines(tips: Tips, width: number, mark: number | null): readonly Line[] {
  const known = PERCENTILES.flatMap((name) => tips[name] ?? []);
  const low = Math.min(...known, mark ?? Number.POSITIVE_INFINITY);
  const high = Math.max(...known, mark ?? 0);
  const [start, end] = [`${formatGwei(low)} `, ` ${formatGwei(high)}`];
  const cells = Math.min(width - displayWidth(start) - displayWidth(end) - 2, MOST_CELLS);
  if (known.length < 2 || !(high > low) || cells < LEAST_CELLS) return [];
  // Zero has no logarithm: it is placed below the lowest.
  const least = Math.max(low, high / 1e6, 1);
  const at = (tip: number) => {
    const share = Math.log(Math.max(tip, least) / least) / Math.log(high / least);
    return Math.round(Math.min(Math.max(share, 0), 1) * (cells - 1));
  };
  const { p25, p50, p75 } = tips;
  const middle = p50 === undefined ? -1 : at(p50);
  const [from, to] = p25 === undefined || p75 === undefined ? [cells, -1] : [at(p25), at(p75)];
  const drawn = Array.from({ length: cells }, (_, place): Span => {
    if (place === middle) return bold('●', 'accent');
    return place >= from && place <= to ? colored('█', 'tip') : faint('─');
  });
  const scale = [plain(start), faint('├'), ...drawn, faint('┤'), plain(end)];
  if (mark === null) return [scale];
  // The text goes to the side of the mark with more room.
  const place = displayWidth(start) + 1 + at(mark);
  const words = `this one, ${formatGwei(mark)}`;
  const arrow: Span = bold('│', 'accent');
  const before = plain(`${' '.repeat(Math.max(place - words.length - 1, 0))}${words} `);
  const fits = place + 2 + words.length <= width;
  return [scale, fits ? [plain(' '.repeat(place)), arrow, plain(` ${words}`)] : [before, arrow]];
}

export function tipLines(
  tips: Tips,
  { width, isSpoken }: PaneContext,
  mark: number | null = null,
): readonly Line[] {
  const scale = isSpoken ? [] : scaleLines(tips, width - 2, mark).map((line) => [plain(' '), ...line]);
  const figures = percentileLines(tips, width);
  return mark === null ? [...figures, ...scale] : [...scale, ...figures];
}

/** One block; refetched with each new head while a reorg may replace it. `null`: none requested. */
export const useBlock = (number: number | null) =>
  useSettling(
    ['block', number],
    (client, signal) => client.block(number ?? 'latest', { signal }),
    () => number,
  );

const PAGE_SIZE = 100;
/** For fast chains, a window in seconds contains neighbouring blocks too; limits the pages that are read. */
const MOST_PAGES = 50;

/** The transactions of a block, page by page, in the service's order. `null`: none requested. */
function useBlockTxs(block: BlockView | null) {
  const { client } = useMonitor();
  const { blockNumber = null, timestamp = null, hash = null, transactionCount = null } = block ?? {};
  const ofBlock = (row: TxRowView) => row.blockNumber === null || row.blockNumber === blockNumber;
  return useInfiniteQuery({
    queryKey: ['block-txs', blockNumber, hash],
    enabled: blockNumber !== null && timestamp !== null,
    staleTime: Number.POSITIVE_INFINITY,
    initialPageParam: 0,
    // The window includes a second at each side, because services differ in whether its ends are inclusive.
    queryFn: ({ pageParam: page, signal }) => {
      const at = timestamp ?? 0;
      return client.txs({ from: at - 1_000, to: at + 1_000, size: PAGE_SIZE, page }, { signal });
    },
    getNextPageParam: (last, pages) => {
      const rows = pages.flatMap((page) => page.rows);
      // A service without paging returns the same rows again.
      const isAgain = pages.length > 1 && last.rows[0]?.hash === pages[0]?.rows[0]?.hash;
      const isAll = isAgain || last.rows.length === 0 || rows.length >= last.total;
      const isComplete = transactionCount !== null && rows.filter(ofBlock).length >= transactionCount;
      return isAll || isComplete || pages.length >= MOST_PAGES ? undefined : pages.length;
    },
    select: ({ pages }) => [
      ...new Map(pages.flatMap((page) => page.rows.filter(ofBlock)).map((row) => [row.hash, row])).values(),
    ],
  });
}

function txsNote(
  { transactionCount }: BlockView,
  snapshot: SnapshotView,
  { data, error, failureReason }: ReturnType<typeof useBlockTxs>,
): string | null {
  const without = noTransactions(snapshot);
  if (without !== null) return without.replace(/; .*/, '');
  if (transactionCount === 0) return 'no transactions in this block';
  if (data !== undefined && data.length > 0) return null;
  const failure = failureReason ?? error;
  if (failure !== null) return `no transactions: ${missingReason(failure, false)}`;
  return data === undefined
    ? 'loading the transactions …'
    : 'the service gives no transactions of this block';
}

function blockTitle(block: BlockView, { present, snapshot }: PaneContext): readonly Line[] {
  const at = block.timestamp;
  return [
    [bold(`Block ${formatCount(block.blockNumber)}`)],
    ...(at === null ? [] : [[plain(formatAge((present - at) / 1_000))]]),
    ...depthSegments(block, snapshot),
    ...(at === null ? [] : [[faint(momentText(at, present))]]),
  ];
}

/** Confirmations of the block, itself included: computed from the newest known block, or as the service reports. */
export function depthSegments(
  of: Pick<BlockView, 'confirmations'> & { readonly blockNumber: number | null },
  { blockNumber: head }: SnapshotView,
): readonly Line[] {
  const { blockNumber, confirmations: reported } = of;
  const count =
    blockNumber === null || head === null ? reported : Math.max(head - blockNumber + 1, reported ?? 0);
  if (count === null) return [];
  return [[plain(`${formatCount(count)} ${count === 1 ? 'confirmation' : 'confirmations'}`)]];
}

export const gweiText = (wei: number) => `${formatGwei(wei)} gwei`;

/** `24,480,000 of 36,000,000`, or the limit alone. `share`: further text about both. */
export function gasFacts(used: number | null, limit: number | null, share = '') {
  if (used === null) return given(limit, 'gas limit', formatCount);
  const of = limit === null ? '' : ` of ${formatCount(limit)}${share}`;
  return given(used, 'gas used', () => [plain(formatCount(used)), faint(of)]);
}

const GAS_PER_BLOB = 131_072;

function blockFacts(block: BlockView, { width, symbol, snapshot }: PaneContext): readonly NamedValue[] {
  const { baseFeePerGas: base, nextBaseFeePerGas: next } = block;
  const { nativeUsd } = snapshot;
  const hex = (name: string, value: string | null) =>
    given(value, name, (text) => hexText(text, width - 16, '…'), true);
  return [
    ...given(base, 'base fee', (wei) => [bold(gweiText(wei))]),
    ...gasFacts(block.gasUsed, block.gasLimit),
    ...given(next, 'next base', (wei) => [
      plain(`${gweiText(wei)} `),
      ...(base === 0 ? [] : [changeSpan(wei / base - 1)]),
    ]),
    ...given(block.gasUsedRatio, 'full', fullnessLine),
    ...given(block.blobBaseFee, 'blob base', gweiText),
    ...given(block.blobGasUsed, 'blob gas', (used) => {
      const blobs = Math.round(used / GAS_PER_BLOB);
      const count = `, ${blobs === 0 ? 'no' : formatCount(blobs)} ${blobs === 1 ? 'blob' : 'blobs'}`;
      return [plain(formatCount(used)), faint(count)];
    }),
    ...given(block.nextBlobBaseFee, 'next blob', gweiText),
    ...given(block.excessBlobGas, 'excess blob', (gas) => `${formatCount(gas)} gas`),
    ...given(block.burntWei, 'burnt', (wei) => [
      plain(formatNative(wei, symbol)),
      faint(nativeUsd === null ? '' : `  ${formatUsd(usdOf(wei, nativeUsd))}`),
    ]),
    ...given(block.transactionCount, 'transactions', formatCount),
    ...hex('fees to', block.feeRecipient),
    ...hex('hash', block.hash),
    ...hex('parent', block.parentHash),
  ];
}

const AIRY_FROM = 30;

function blockLines(block: BlockView, context: PaneContext, rows: number): readonly Line[] {
  const gap = rows >= AIRY_FROM ? [EMPTY_LINE] : [];
  const tips = block.gasUsedRatio === 0 ? null : block.tips;
  const heading = sectionLine('Tips', [faint('gwei, weighted by gas')]);
  return [
    ...gap,
    ...factGrid(blockFacts(block, context), context.width),
    ...gap,
    ...(tips === null ? [] : [heading, ...tipLines(tips, context)]),
    ...gap,
  ];
}

const AHEAD = 20;
const SPOKEN_TXS = 10;

type BlockScreenProps = ExplorerLevelProps & { readonly place: Extract<Place, { kind: 'block' }> };

export function BlockScreen({ place, change }: BlockScreenProps) {
  const toast = useToast();
  const copy = useClipboard();
  const context = usePane();
  const { rows } = useRoom();
  const { snapshot } = context;
  const polled = useBlock(place.number);
  const block = polled.data ?? null;
  const isListed = noTransactions(snapshot) === null && block?.transactionCount !== 0;
  const txs = useBlockTxs(isListed ? block : null);
  const list = txs.data ?? [];
  const facts = block === null ? [] : blockLines(block, context, rows);
  const selected = place.selected === null ? null : Math.min(place.selected, list.length - 1);
  const tableRows = context.isSpoken ? list.slice(selected ?? 0).slice(0, SPOKEN_TXS) : list;
  const all = txColumns(context);
  const table = useTable({
    columns: all,
    rows: tableRows,
    cursor: context.isSpoken && selected !== null ? 0 : selected,
    rowName: 'Transaction',
  });
  const note = block === null ? null : txsNote(block, snapshot, txs);
  const heading: Line = note === null ? table.heading : [faint(` ${note}`)];
  const lines = [...facts, heading, ...table.lines];
  // The title does not scroll.
  const room = context.isSpoken ? lines.length : Math.max(rows - 1 - (polled.error === null ? 0 : 1), 1);
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
    const next = Math.min(Math.max(to, 0), list.length - 1);
    scrollTo(inSight(before + next, top, room), next);
  };
  /** Scrolls the facts line by line until the first transaction is visible, then moves between transactions. */
  const move = (to: number) => {
    const by = to - top;
    if (selected === 0 && by < 0) scrollTo(Math.min(top, facts.length));
    else if (selected !== null) select(selected + by);
    else if (by > 0 && list.length > 0 && before < top + room) select(by - 1);
    else scrollTo(to);
  };
  const open = (name: Parameters<typeof opened>[1]) => change((state) => opened(state, name));
  const turnTo = (number: number) => change((state) => turnedTo(state, number));
  const marked = selected === null ? undefined : list[selected];
  const moves = {
    ...scrollKeys(move, { top, room: context.isSpoken ? SPOKEN_TXS : room, most }),
    start: () => scrollTo(0),
    end: () => (list.length > 0 ? select(list.length - 1) : scrollTo(most)),
  };
  const openTx = () => (marked === undefined ? select(0) : open({ kind: 'tx', hash: marked.hash }));
  useKeys('explorer', {
    ...(most === 0 && list.length === 0 ? {} : moves),
    ...(list.length === 0 ? {} : { open: openTx }),
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

  // The headings stay at the top once they would have scrolled away.
  const shown = lines
    .slice(top, top + room)
    .with(0, (top > facts.length ? heading : lines[top]) ?? EMPTY_LINE);
  return (
    <PlaceFrame place={place} polled={polled}>
      {(notice) =>
        block === null ? null : (
          <TitledLines title={blockTitle(block, context)} lines={shown} notice={notice} below={most - top} />
        )
      }
    </PlaceFrame>
  );
}

/** With the line before it, which the headings cover once they would have scrolled away. */
function inSight(line: number, top: number, room: number): number {
  return scrolledTo(line, scrolledTo(line - 1, top, room), room);
}

function problemOf(place: PlaceName, error: Error, snapshot: SnapshotView) {
  const without = noTransactions(snapshot);
  const what = place.kind === 'block' ? `block ${formatCount(place.number)}` : 'this transaction';
  if (place.kind === 'tx' && without !== null) {
    return { title: 'No transactions here', reason: without, hint: '/ looks up a block, Esc goes back' };
  }
  if (!(error instanceof ClientError) || error.code !== 'not-found') {
    const hint = remedyFor(error) ?? 'r asks again now, / looks up another, Esc goes back';
    return { title: `No answer for ${what}`, reason: error.message, hint };
  }
  // The service's message would only repeat the path.
  const message = serviceMessage(error);
  const hint = '/ looks up another, Esc goes back';
  if (place.kind === 'block') {
    const reason = message ?? 'the service has no such block, or gives no blocks at all';
    return { title: `No ${what}`, reason, hint };
  }
  return {
    title: `No transaction ${hexText(place.hash, 21, '…')}`,
    reason: message ?? 'the service knows no such transaction: check the hash and the chain',
    hint: `looked for again with every block; ${hint}`,
  };
}

interface PlaceFrameProps {
  readonly place: PlaceName;
  readonly polled: Polled<unknown>;
  readonly children: (notice: Line | null) => ReactNode;
}

export function PlaceFrame({ place, polled, children }: PlaceFrameProps) {
  const { data, error, retryAt } = polled;
  const snapshot = useShownSnapshot();
  if (data === undefined && error !== null) {
    return <PaneState kind="error" retryAt={retryAt} {...problemOf(place, error, snapshot)} />;
  }
  const what = place.kind === 'block' ? `block ${place.number}` : 'the transaction';
  return <PolledFrame {...{ polled, what, children }} />;
}

/** Confirmations after which a block changes no more. */
const SETTLED = 12;

/** Refetches a block or a transaction with each new head while a reorg may replace it. */
export function useSettling<T>(
  key: readonly [string, string | number | null],
  ask: (client: GasClient, signal: AbortSignal) => Promise<T>,
  blockOf: (value: T) => number | null,
): Polled<T> {
  const snapshot = useShownSnapshot();
  const head = snapshot.blockNumber;
  return useMonitorQuery({
    key,
    enabled: key[1] !== null,
    ask,
    head: snapshot,
    isSettled: (value) => {
      const number = blockOf(value);
      return number !== null && head !== null && head - number >= SETTLED;
    },
  });
}
