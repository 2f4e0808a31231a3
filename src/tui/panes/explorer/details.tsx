import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef } from 'react';
import type { GasClient } from '../../../client/client.ts';
import type { SnapshotView } from '../../../client/views/gas.ts';
import {
  type BlockView,
  confirmationWords,
  describeBlock,
  describeTx,
  type Fact,
  type TxRowView,
  type TxView,
} from '../../../client/views/metrics.ts';
import { PERCENTILES } from '../../../contract/choices.ts';
import { hexText, shortHex } from '../../../core/text.ts';
import { tipRankWords } from '../../../core/tip-rank-words.ts';
import { formatCount, formatGwei, formatNative, UNKNOWN } from '../../../core/units.ts';
import { useClipboard } from '../../app/terminal.ts';
import { useToast } from '../../chrome/toast.tsx';
import {
  type PlaceName,
  type Polled,
  useMonitor,
  useMonitorQuery,
  useShownSnapshot,
} from '../../data/queries.ts';
import { scrollKeys, useKeys } from '../../input/use-keys.tsx';
import { factGrid, given, sectionLine } from '../../ui/fact-list.tsx';
import { type PaneContext, usePane, useRoom } from '../../ui/pane-context.tsx';
import { missingReason, PolledFrame } from '../../ui/pane-state.tsx';
import { ScrolledLines, TitledLines } from '../../ui/scroll.tsx';
import {
  bold,
  colored,
  displayWidth,
  EMPTY_LINE,
  faint,
  flow,
  known,
  type Line,
  leftColumn,
  lineWidth,
  plain,
  rightColumn,
  type Span,
  scrolledTo,
  type TableColumn,
  useTable,
} from '../../ui/text.tsx';
import { ageText } from '../../ui/time.ts';
import { back, type ExplorerState, noTransactions, opened, type Place } from './explorer-state.ts';

export interface ExplorerLevelProps {
  readonly change: (change: (state: ExplorerState) => ExplorerState) => void;
}

interface PlaceProps<Kind extends Place['kind']> extends ExplorerLevelProps {
  readonly place: Extract<Place, { kind: Kind }>;
}

const scrolled = (state: ExplorerState, at: number): ExplorerState => ({
  ...state,
  places: state.places.map((place, nth, { length }) => (nth < length - 1 ? place : { ...place, at })),
});

/** Confirmations after which a block changes no more. */
const SETTLED = 12;

/** Refetches a block or a transaction with each new head while a reorg may replace it. */
function useSettling<T>(
  key: readonly [string, string | number | null],
  ask: (client: GasClient, signal: AbortSignal) => Promise<T>,
  blockOf: (value: T) => number | null,
): Polled<T> {
  const snapshot = useShownSnapshot();
  const head = snapshot.blockNumber ?? 0;
  return useMonitorQuery({
    key,
    enabled: key[1] !== null,
    ask,
    head: snapshot,
    isSettled: (value) => head - (blockOf(value) ?? head) >= SETTLED,
  });
}

const useBlock = (number: number | null) =>
  useSettling(
    ['block', number],
    (client, signal) => client.block(number ?? 'latest', { signal }),
    () => number,
  );

interface PlaceFrameProps {
  readonly place: PlaceName;
  readonly polled: Polled<unknown>;
  readonly children: (notice: Line | null) => ReactNode;
}

function PlaceFrame({ place, polled, children }: PlaceFrameProps) {
  const isBlock = place.kind === 'block';
  const name = isBlock ? `block ${formatCount(place.number)}` : `transaction ${hexText(place.hash, 21, '…')}`;
  const what = isBlock ? name : 'this transaction';
  const absent = { title: `No ${name}`, hint: '/ looks up another, Esc goes back' };
  const hint = `r asks again now, ${absent.hint}`;
  return <PolledFrame {...{ polled, what, absent, hint, children }} />;
}

const LEAST_CELLS = 16;
const MOST_CELLS = 72;

/** Tips as a box plot on a logarithmic scale, with a second line that points at one tip (`mark`). */
function scaleLines(tips: Readonly<Record<string, number>>, width: number, mark: number | null) {
  const shown = PERCENTILES.flatMap((name) => tips[name] ?? []);
  const low = Math.min(...shown, mark ?? Number.POSITIVE_INFINITY);
  const high = Math.max(...shown, mark ?? 0);
  const [start, end] = [` ${formatGwei(low)} `, ` ${formatGwei(high)}`];
  const cells = Math.min(width - displayWidth(start) - displayWidth(end) - 3, MOST_CELLS);
  if (shown.length < 2 || !(high > low) || cells < LEAST_CELLS) return [];
  const least = Math.max(low, high / 1e6, 1);
  const at = (tip: number) =>
    Math.round((Math.log(Math.max(tip, least) / least) / Math.log(high / least)) * (cells - 1));
  const { p25, p50, p75 } = tips;
  const [from, to] = p25 === undefined || p75 === undefined ? [cells, -1] : [at(p25), at(p75)];
  const drawn = Array.from({ length: cells }, (_, place): Span => {
    if (p50 !== undefined && place === at(p50)) return bold('●', 'accent');
    return place >= from && place <= to ? colored('█', 'tip') : faint('─');
  });
  const scale = [plain(start), faint('├'), ...drawn, faint('┤'), plain(end)];
  if (mark === null) return [scale];
  const place = displayWidth(start) + 1 + at(mark);
  const words = `this one, ${formatGwei(mark)}`;
  const fits = place + 2 + words.length < width;
  const before = fits ? ' '.repeat(place) : `${words} `.padStart(place);
  return [scale, [plain(before), bold('│', 'accent'), plain(fits ? ` ${words}` : '')]];
}

function tipLines(
  tips: Readonly<Record<string, number>>,
  { width, isSpoken }: PaneContext,
  mark: number | null = null,
): readonly Line[] {
  const cells = PERCENTILES.flatMap((name): readonly Line[] => {
    const tip = tips[name];
    return tip === undefined ? [] : [[faint(`${name} `), plain(formatGwei(tip))]];
  });
  const room = Math.max(0, ...cells.map(lineWidth));
  const figures = flow(cells, width, { most: Number.POSITIVE_INFINITY, roomOf: () => room });
  const scale = isSpoken ? [] : scaleLines(tips, width, mark);
  return mark === null ? [...figures, ...scale] : [...scale, ...figures];
}

/** Confirmations, the block itself included: by the newest known block, or as the service reports. */
function depthSegments(
  { blockNumber, confirmations: reported }: Pick<TxView, 'blockNumber' | 'confirmations'>,
  { blockNumber: head }: SnapshotView,
): readonly Line[] {
  const isCounted = blockNumber !== null && head !== null;
  const count = isCounted ? Math.max(head - blockNumber + 1, reported ?? 0) : reported;
  return count === null ? [] : [[plain(confirmationWords(count))]];
}

const STRONG = new Set(['base fee', 'paid']);

/** A grid of facts, in which hashes and addresses are shortened in their middle. */
function factLines(facts: readonly Fact[], width: number): readonly Line[] {
  const room = width - Math.max(...facts.map(([name]) => name.length)) - 4;
  const line = (name: string, text: string): Line => {
    const shown = text.startsWith('0x') ? hexText(text, room, '…') : text;
    return [{ text: shown, bold: STRONG.has(name) }];
  };
  const named = facts.flatMap(([name, text]) => given(text, name, (known) => line(name, known)));
  return factGrid(named, width);
}

const BLOCK_AIRY_FROM = 30;

function blockLines(block: BlockView, context: PaneContext, rows: number): readonly Line[] {
  const gap = rows >= BLOCK_AIRY_FROM ? [EMPTY_LINE] : [];
  const tips = block.gasUsedRatio === 0 ? null : block.tips;
  const { symbol, snapshot } = context;
  const own = describeBlock(block, { symbol, nativeUsd: snapshot.nativeUsd });
  const facts = [...own, ['hash', block.hash] as const, ['parent', block.parentHash] as const];
  const heading = sectionLine('Tips', [faint('gwei, weighted by gas')]);
  return [
    ...[...gap, ...factLines(facts, context.width)],
    ...[...gap, ...(tips === null ? [] : [heading, ...tipLines(tips, context)]), ...gap],
  ];
}

const PAGE_SIZE = 100;

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
      return isAll || isComplete ? undefined : pages.length;
    },
    select: ({ pages }) => pages.flatMap((page) => page.rows.filter(ofBlock)),
  });
}

/** Why no transactions are listed; `null`: there are some. */
function txsNote(
  { transactionCount }: BlockView,
  snapshot: SnapshotView,
  { data, error, failureReason }: ReturnType<typeof useBlockTxs>,
): string | null {
  const failure = failureReason ?? error;
  const without = noTransactions(snapshot);
  if (without !== null) return without.replace(/; .*/, '');
  if (transactionCount === 0) return 'no transactions in this block';
  if (data !== undefined && data.length > 0) return null;
  if (failure !== null) return `no transactions: ${missingReason(failure, false)}`;
  return data === undefined
    ? 'loading the transactions …'
    : 'the service gives no transactions of this block';
}

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
    leftColumn('from → to', 25, 1, (tx) => `${short(tx.from, UNKNOWN)} → ${short(tx.to, 'new contract')}`),
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

const AHEAD = 20;
const SPOKEN_TXS = 10;

export function BlockScreen({ place, change }: PlaceProps<'block'>) {
  const toast = useToast();
  const copy = useClipboard();
  const context = usePane();
  const { rows } = useRoom();
  const { snapshot, present, isSpoken } = context;
  const polled = useBlock(place.number);
  const block = polled.data ?? null;
  const isListed = noTransactions(snapshot) === null && block?.transactionCount !== 0;
  const txs = useBlockTxs(isListed ? block : null);
  const list = txs.data ?? [];
  const facts = block === null ? [] : blockLines(block, context, rows);
  const before = facts.length + 1;
  const room = isSpoken ? SPOKEN_TXS : Math.max(rows - 1 - (polled.error === null ? 0 : 1), 1);
  // The facts scroll line by line until the first transaction is visible; then the cursor moves over them.
  const steps = isSpoken ? 0 : Math.max(before + 1 - room, 0);
  const most = list.length > 0 ? steps + list.length : Math.max(before - room, 0);
  const at = Math.min(place.at, most);
  const selected = at > steps ? at - steps - 1 : null;
  const table = useTable({
    columns: txColumns(context),
    rows: isSpoken ? list.slice(selected ?? 0).slice(0, SPOKEN_TXS) : list,
    cursor: isSpoken && selected !== null ? 0 : selected,
    rowName: 'Transaction',
  });
  const note = block === null ? null : txsNote(block, snapshot, txs);
  const heading: Line = note === null ? table.heading : [faint(` ${note}`)];
  const lines = [...facts, heading, ...table.lines];
  const first = useRef(0);
  const line = before + (selected ?? 0);
  // In sight together with the line before, which the headings cover once they would have scrolled away.
  const wanted = selected === null ? at : scrolledTo(line, scrolledTo(line - 1, first.current, room), room);
  first.current = isSpoken ? 0 : Math.max(Math.min(wanted, lines.length - room), 0);
  const top = first.current;

  const { hasNextPage, isFetching, fetchNextPage } = txs;
  const isNeeded = (selected ?? 0) + AHEAD + room > list.length;
  const wantsMore = isNeeded && hasNextPage && !isFetching && txs.error === null;
  useEffect(() => {
    if (wantsMore) void fetchNextPage();
  }, [wantsMore, fetchNextPage]);

  const go = (to: number) => change((state) => scrolled(state, Math.min(Math.max(to, 0), most)));
  const turnTo = (number: number) => change((state) => opened(back(state), { kind: 'block', number }));
  const marked = selected === null ? undefined : list[selected];
  const openTx = () => {
    if (marked === undefined) go(steps + 1);
    else change((state) => opened(state, { kind: 'tx', hash: marked.hash }));
  };
  useKeys('explorer', {
    ...(most > 0 && scrollKeys(go, { top: at, room, most })),
    ...(list.length > 0 && { open: openTx }),
    previous: () => {
      if (place.number > 0) turnTo(place.number - 1);
    },
    next: () => {
      if (snapshot.blockNumber === null || place.number < snapshot.blockNumber) turnTo(place.number + 1);
      else toast({ kind: 'info', text: 'This is the newest block' });
    },
    copy: () => (marked ? copy(marked.hash, shortHex(marked.hash, '…')) : copy(String(place.number))),
  });

  const shown = isSpoken ? lines : lines.slice(top, top + room);
  if (top > facts.length) shown[0] = heading;
  return (
    <PlaceFrame place={place} polled={polled}>
      {(notice) => {
        if (block === null) return null;
        const { blockNumber, timestamp } = block;
        const title = [
          [bold(`Block ${formatCount(blockNumber)}`)],
          ...(timestamp === null ? [] : [[plain(ageText(timestamp, present))]]),
          ...depthSegments(block, snapshot),
          ...(timestamp === null ? [] : [[faint(context.moment(timestamp))]]),
        ];
        return <TitledLines {...{ title, notice }} lines={shown} below={lines.length - top - shown.length} />;
      }}
    </PlaceFrame>
  );
}

function txTitle(tx: TxView, { snapshot, present }: PaneContext): readonly Line[] {
  return [
    [bold('Transaction')],
    ...(tx.status === null ? [] : [[{ ...statusSpan(tx.status), bold: true }]]),
    ...(tx.blockNumber === null ? [] : depthSegments(tx, snapshot)),
    ...(tx.timestamp === null ? [] : [[plain(ageText(tx.timestamp, present))]]),
  ];
}

function standing(tx: TxView, block: BlockView | null, context: PaneContext): readonly Line[] {
  const { priorityFeePerGas: tip, tipRank } = tx;
  const tips = block?.tips ?? null;
  if (tip === null || (tips === null && tipRank === null)) return [];
  const rank = tipRank === null ? '' : `, ${tipRankWords(tipRank, tx.blockTransactionCount)}`;
  const heading = sectionLine('Tip', [plain(`${formatGwei(tip)} gwei${rank}`)]);
  return [heading, ...(tips === null ? [] : tipLines(tips, context, tip))];
}

const TX_AIRY_FROM = 23;

export function TxScreen({ place, change }: PlaceProps<'tx'>) {
  const copy = useClipboard();
  const context = usePane();
  const { rows } = useRoom();
  const polled = useSettling(
    ['tx', place.hash],
    (client, signal) => client.tx(place.hash, { signal }),
    (tx) => tx.blockNumber,
  );
  const tx = polled.data ?? null;
  const number = tx?.blockNumber ?? null;
  const block = useBlock(number).data ?? null;
  useKeys('explorer', {
    ...(number === null ? {} : { open: () => change((state) => opened(state, { kind: 'block', number })) }),
    copy: () => copy(place.hash, shortHex(place.hash, '…')),
  });
  const gap = rows >= TX_AIRY_FROM ? [EMPTY_LINE] : [];
  // The title and the tips below say the others.
  const factsOf = (of: TxView) =>
    describeTx(of, {
      symbol: context.symbol,
      nativeUsd: context.snapshot.nativeUsd,
      when: context.moment,
    }).filter(([name]) => name !== 'status' && name !== 'tip rank');
  const linesOf = (of: TxView) => [
    ...[...gap, ...factLines(factsOf(of), context.width)],
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
            top={place.at}
            onScroll={(at) => change((state) => scrolled(state, at))}
          />
        )
      }
    </PlaceFrame>
  );
}
