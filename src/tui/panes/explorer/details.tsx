import { useRef, useState } from 'react';
import type { GasClient } from '../../../client/gas-client.ts';
import { allPages } from '../../../client/paging.ts';
import type { HorizonView } from '../../../client/views/advice.ts';
import { type CallCost, costOfCall, workOfGas } from '../../../client/views/cost.ts';
import type { Fact } from '../../../client/views/fact.ts';
import type { SnapshotView } from '../../../client/views/gas.ts';
import { describeLikely } from '../../../client/views/gas-texts.ts';
import {
  type BlockView,
  confirmationWords,
  describeBlock,
  describeCoins,
  describeTx,
  isFinalWith,
  type TxRowView,
  type TxView,
} from '../../../client/views/metrics.ts';
import { PERCENTILES } from '../../../contract/choices.ts';
import { LANES } from '../../../core/advice.ts';
import { hexText, shortHex } from '../../../core/text.ts';
import { tipRankWords } from '../../../core/tip-rank-words.ts';
import { coinDigits, formatCount, formatDuration, formatGwei, UNKNOWN } from '../../../core/units.ts';
import { useClipboard } from '../../app/terminal.ts';
import { useToast } from '../../chrome/toast.tsx';
import { type PlaceName, useMonitor, useShownSnapshot } from '../../data/monitor-context.ts';
import { type Polled, type PolledQuery, useMonitorQuery } from '../../data/polled-query.ts';
import { useRecommendation } from '../../data/prices.ts';
import { scrollKeys, useKeys } from '../../input/use-keys.tsx';
import { factGrid, given, pendingLines, section, sectionLine, toldFacts } from '../../ui/fact-list.tsx';
import { type PaneContext, usePane, useRoom } from '../../ui/pane-context.tsx';
import { missingReason, PolledFrame, type PolledFrameProps } from '../../ui/pane-state.tsx';
import { ScrolledLines, TitledLines } from '../../ui/scroll.tsx';
import { known, leftColumn, rightColumn, type TableColumn, useTable } from '../../ui/table.tsx';
import {
  bold,
  colored,
  EMPTY_LINE,
  faint,
  flow,
  type Line,
  lineWidth,
  plain,
  type Span,
  scrolledTo,
  shownWidth,
} from '../../ui/text.tsx';
import { ageText } from '../../ui/time.ts';
import { useAtRest } from '../../ui/use-elapsed.ts';

interface PlaceProps<Kind extends PlaceName['kind']> {
  readonly place: Extract<PlaceName, { kind: Kind }>;
  /** How far it is scrolled. */
  readonly at: number;
  readonly scroll: (at: number) => void;
  readonly open: (place: PlaceName) => void;
  /** Shows another block in its place. */
  readonly turn: (number: number) => void;
}

type Included = Pick<TxView, 'blockNumber' | 'confirmations'>;

/** Confirmations by the newest known block, the block itself included. */
const depthOf = ({ blockNumber }: Included, { blockNumber: head }: SnapshotView) =>
  blockNumber === null || head === null ? null : head - blockNumber + 1;

/** Refetches a block or a transaction with each new head until it is final: until then a reorg may replace it. */
function useSettling<T extends Included>(
  key: readonly [string, string | number | null],
  ask: (client: GasClient, signal: AbortSignal) => Promise<T>,
  options: Pick<PolledQuery<T>, 'enabled' | 'keepsPrevious'> = {},
): Polled<T> {
  const snapshot = useShownSnapshot();
  return useMonitorQuery({
    key,
    enabled: key[1] !== null && options.enabled !== false,
    keepsPrevious: options.keepsPrevious ?? false,
    ask,
    head: snapshot,
    isSettled: (value) => isFinalWith(value.confirmations ?? depthOf(value, snapshot) ?? 0, snapshot.chainId),
  });
}

const useBlock = (number: number | null, options?: Parameters<typeof useSettling<BlockView>>[2]) =>
  useSettling(['block', number], (client, signal) => client.block(number ?? 'latest', { signal }), options);

type PlaceFrameProps = Pick<PolledFrameProps, 'polled' | 'children'> & { readonly place: PlaceName };

function PlaceFrame({ place, ...frame }: PlaceFrameProps) {
  const isBlock = place.kind === 'block';
  const name = isBlock ? `block ${formatCount(place.number)}` : `transaction ${hexText(place.hash, 21, '…')}`;
  const what = isBlock ? name : 'this transaction';
  const absent = { title: `No ${name}`, hint: '/ looks up another, Esc goes back' };
  const hint = `r asks again now, ${absent.hint}`;
  return <PolledFrame {...frame} {...{ what, absent, hint }} />;
}

type Tips = NonNullable<BlockView['tips']>;

const LEAST_CELLS = 16;
const MOST_CELLS = 72;

/** Tips as a box plot on a logarithmic scale, with a second line that points at one tip (`mark`). */
function scaleLines(tips: Tips, width: number, mark: number | null): readonly Line[] {
  const shown = PERCENTILES.flatMap((name) => tips[name] ?? []);
  const all = mark === null ? shown : [...shown, mark];
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const [start, end] = [` ${formatGwei(low)} `, ` ${formatGwei(high)}`];
  const cells = Math.min(width - shownWidth(start) - shownWidth(end) - 3, MOST_CELLS);
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
  const place = shownWidth(start) + 1 + at(mark);
  const words = `this one, ${formatGwei(mark)}`;
  const fits = place + 2 + words.length < width;
  const before = fits ? ' '.repeat(place) : `${words} `.padStart(place);
  return [scale, [plain(before), bold('│', 'accent'), plain(fits ? ` ${words}` : '')]];
}

function tipLines(tips: Tips, { width, isSpoken }: PaneContext, mark: number | null = null): readonly Line[] {
  const cells = PERCENTILES.flatMap((name) =>
    given(tips[name], name, formatGwei).map(({ value }): Line => [faint(`${name} `), ...value]),
  );
  const room = Math.max(0, ...cells.map(lineWidth));
  const figures = flow(cells, width, { most: Number.POSITIVE_INFINITY, roomOf: () => room });
  const scale = isSpoken ? [] : scaleLines(tips, width, mark);
  return mark === null ? [...figures, ...scale] : [...scale, ...figures];
}

/** Confirmations by the newest known block, or as the service reports. */
function depthSegments(included: Included, snapshot: SnapshotView): readonly Line[] {
  const reported = included.confirmations;
  const depth = depthOf(included, snapshot);
  const count = depth === null ? reported : Math.max(depth, reported ?? 0);
  return count === null ? [] : [[plain(confirmationWords(count, snapshot.chainId))]];
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
  const { symbol, snapshot, width } = context;
  const own = describeBlock(block, { symbol, nativeUsd: snapshot.nativeUsd });
  const facts = factLines([...own, ['hash', block.hash], ['parent', block.parentHash]], width);
  if (block.tips === null || block.gasUsedRatio === 0) return [...gap, ...facts, ...gap, ...gap];
  const heading = sectionLine('Tips', [faint('gwei, weighted by gas')]);
  return [...gap, ...facts, ...gap, heading, ...tipLines(block.tips, context), ...gap];
}

export function noTransactions({ source }: SnapshotView): string | null {
  return source.kind === 'replay' ? 'a recording holds no transactions; its blocks can be looked up' : null;
}

/** The transactions of a block, in the service's order. */
function useBlockTxs(block: BlockView | null, isWanted: boolean): Polled<readonly TxRowView[]> {
  const snapshot = useShownSnapshot();
  const { blockNumber = null, timestamp = null, hash = null } = block ?? {};
  const at = timestamp ?? 0;
  return useMonitorQuery({
    key: ['block-txs', blockNumber, hash],
    enabled:
      isWanted && timestamp !== null && noTransactions(snapshot) === null && block?.transactionCount !== 0,
    freshMs: Number.POSITIVE_INFINITY,
    ask: async (client, signal) => {
      // Services differ in whether the ends of a window are inclusive.
      const window = { from: at - 1_000, to: at + 1_000 };
      const rows = await allPages(
        (page) => client.txs({ ...window, ...page }, { signal }),
        ({ hash }) => hash,
      );
      return rows.filter((row) => row.blockNumber === null || row.blockNumber === blockNumber);
    },
  });
}

/** Why no transactions are listed; `null`: there are some. */
function txsNote(
  { transactionCount }: BlockView,
  snapshot: SnapshotView,
  { data, error }: Polled<readonly TxRowView[]>,
  isWanted: boolean,
): string | null {
  const without = noTransactions(snapshot);
  if (without !== null) return without.replace(/; .*/, '');
  if (transactionCount === 0) return 'no transactions in this block';
  if (data !== undefined && data.length > 0) return null;
  if (error !== null) return `no transactions: ${missingReason(error, false)}`;
  if (data !== undefined) return 'the service gives no transactions of this block';
  return isWanted ? 'loading the transactions …' : '⏎ lists its transactions';
}

const STATUSES = new Map<string, Span>([
  ['SUCCESS', colored('● success', 'good')],
  ['REVERTED', colored('! reverted', 'bad')],
  ['PENDING', colored('◌ pending', 'warn')],
]);

export const statusSpan = (status: string): Span =>
  STATUSES.get(status) ?? colored(status.toLowerCase(), 'accent');

function txColumns({ width, symbol }: PaneContext): readonly TableColumn<TxRowView>[] {
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
    rightColumn(`cost ${symbol}`, 11, 7, ({ costWei }) => known(costWei, coinDigits)),
    leftColumn('status', 10, 2, (tx) =>
      known(tx.status, (status) => {
        const { text, color } = statusSpan(status);
        return [colored(text.replace('success', 'ok'), color)];
      }),
    ),
  ];
}

/**
 * Where a block is scrolled. Its facts scroll line by line, which takes `steps`, until the first transaction is in sight;
 * from there on the cursor moves over the transactions. `first`: the first line or transaction in sight.
 */
function useScrolled(wanted: number, facts: number, txs: number, room: number) {
  const first = useRef(0);
  const steps = Math.max(facts + 2 - room, 0);
  const most = txs > 0 ? steps + txs - 1 : Math.max(facts + 1 - room, 0);
  const at = Math.min(wanted, most);
  // The heading between them stays: both scroll in the other rows.
  const top = at <= steps ? at : scrolledTo(facts + at - steps, first.current, room - 1);
  first.current = Math.max(Math.min(top, facts + txs + 1 - room), 0);
  return { at, most, steps, first: first.current };
}

const SPOKEN_TXS = 10;

interface BlockScreenProps extends PlaceProps<'block'> {
  /** Otherwise it is merely selected in the list beside it. */
  readonly isOpen: boolean;
}

export function BlockScreen({ place, isOpen, at: wanted, scroll, open, turn }: BlockScreenProps) {
  const toast = useToast();
  const copy = useClipboard();
  const context = usePane();
  const { rows } = useRoom();
  const { snapshot, present, isSpoken } = context;
  const { isOwnService } = useMonitor();
  const isAtRest = useAtRest(place.number);
  const polled = useBlock(place.number, {
    enabled: isOpen || isOwnService || isAtRest,
    keepsPrevious: !isOpen,
  });
  const block = polled.data ?? null;
  // A service elsewhere counts requests: its transactions are listed of an open block.
  const isListed = isOpen || (isOwnService && isAtRest);
  const txs = useBlockTxs(block, isListed);
  const list = txs.data ?? [];
  const facts = block === null ? [] : blockLines(block, context, rows);
  const room = isSpoken ? SPOKEN_TXS : Math.max(rows - 1 - (polled.error === null ? 0 : 1), 1);
  // A screen reader reads all facts, and some transactions from the selected one on.
  const scrolled = useScrolled(wanted, isSpoken ? 0 : facts.length, list.length, room);
  const { at, most, steps } = scrolled;
  const selected = isOpen && list.length > 0 && at >= steps ? at - steps : null;
  const first = isSpoken ? 0 : scrolled.first;
  const above = isSpoken ? (selected ?? 0) : Math.max(first - facts.length, 0);
  const table = useTable({
    columns: txColumns(context),
    rows: list.slice(above, above + room),
    cursor: selected === null ? null : selected - above,
    rowName: 'Transaction',
  });
  const note = block === null ? null : txsNote(block, snapshot, txs, isOpen || isOwnService);
  const heading: Line = note === null ? table.heading : [faint(` ${note}`)];
  const whole = [...facts.slice(first), heading];
  const lines = isSpoken ? whole : whole.slice(0, room);
  const txLines = isSpoken ? table.lines : table.lines.slice(0, room - lines.length);
  const below = isSpoken ? 0 : facts.length + 1 + list.length - first - lines.length - txLines.length;

  const marked = selected === null ? undefined : list[selected];
  useKeys('explorer', {
    ...scrollKeys(scroll, { top: at, room, most }),
    open: marked && (() => open({ kind: 'tx', hash: marked.hash })),
    previous: () => {
      if (place.number > 0) turn(place.number - 1);
    },
    next: () => {
      if (snapshot.blockNumber === null || place.number < snapshot.blockNumber) turn(place.number + 1);
      else toast({ kind: 'info', text: 'This is the newest block' });
    },
    copy: () => (marked ? copy(marked.hash, shortHex(marked.hash, '…')) : copy(String(place.number))),
  });

  const isAbove = list.length > 0 && marked === undefined;
  useKeys('block', { 'to-transactions': isAbove ? () => scroll(steps) : undefined }, 'overlay');
  const txRows = { lines: txLines, select: (row: number) => isOpen && scroll(steps + above + row) };

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
        return <TitledLines {...{ title, notice, below, lines }} rows={txRows} />;
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

/** As much gas again; what it paid for L1 says little of now. */
function workLike({ chainId }: TxView, gas: number) {
  const work = workOfGas(gas, chainId);
  return work.dataFeeReason === null ? work : { ...work, dataFeeReason: 'without what L1 takes' };
}

/** What a transaction like it costs now in each lane, and at the price of each wait within the patience. */
function costLines(costs: CallCost, { snapshot, symbol, width }: PaneContext): readonly Line[] {
  const coin = { symbol, nativeUsd: snapshot.nativeUsd };
  const likely = (wait: HorizonView) => {
    const words = describeLikely(wait);
    return words === null ? '' : `, ${words} likely`;
  };
  const facts: readonly Fact[] = [
    ...LANES.map((lane): Fact => {
      const { price, wei } = costs.lanes[lane];
      return [lane, `${describeCoins(wei, coin)}  at ${formatGwei(price)} gwei`];
    }),
    ...costs.waits.map(({ wait, price, wei }): Fact => {
      const within = `within ${formatDuration(wait.horizonSec)}`;
      return [within, `${describeCoins(wei, coin)}  at ${formatGwei(price)} gwei${likely(wait)}`];
    }),
  ];
  const l1 = costs.dataFee === null ? `, ${costs.dataFeeReason ?? ''}` : '';
  return section('Now', `${formatCount(costs.gas)} gas${l1}`, factGrid(toldFacts(facts, width), width));
}

const TX_AIRY_FROM = 23;

export function TxScreen({ place, at, scroll, open }: PlaceProps<'tx'>) {
  const copy = useClipboard();
  const context = usePane();
  const { rows } = useRoom();
  const polled = useSettling(['tx', place.hash], (client, signal) => client.tx(place.hash, { signal }));
  const tx = polled.data ?? null;
  const number = tx?.blockNumber ?? null;
  const block = useBlock(number).data ?? null;
  const [isCosted, setCosted] = useState(false);
  const gas = tx === null ? null : tx.gasUsed || tx.gasLimit || null;
  useKeys('explorer', {
    open: number === null ? undefined : () => open({ kind: 'block', number }),
    cost: gas === null ? undefined : () => setCosted((before) => !before),
    copy: () => copy(place.hash, shortHex(place.hash, '…')),
  });
  const { patienceSec } = useMonitor();
  const { data: advice = null } = useRecommendation(context.snapshot);
  const callCostOf = (of: TxView, units: number) =>
    costOfCall(workLike(of, units), context.snapshot, advice, patienceSec);
  const gap = rows >= TX_AIRY_FROM ? [EMPTY_LINE] : [];
  // The title and the tips below say the others.
  const factsOf = (of: TxView) =>
    describeTx(of, {
      symbol: context.symbol,
      nativeUsd: context.snapshot.nativeUsd,
      when: context.moment,
    }).filter(([name]) => name !== 'status' && name !== 'tip rank');
  const linesOf = (of: TxView) => [
    ...gap,
    ...factLines(factsOf(of), context.width),
    ...(isCosted && gas !== null ? costLines(callCostOf(of, gas), context) : []),
    ...gap,
    ...standing(of, block, context),
    ...pendingLines(of.pending, context.symbol, context),
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
            top={at}
            onScroll={scroll}
          />
        )
      }
    </PlaceFrame>
  );
}
