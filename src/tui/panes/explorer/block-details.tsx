import { Box, useIsScreenReaderEnabled } from 'ink';
import { useEffect } from 'react';
import { ClientError } from '../../../client/errors.ts';
import type { BlockView } from '../../../client/views/metrics.ts';
import { PERCENTILES } from '../../../contract/choices.ts';
import { hexText, shortHex } from '../../../core/text.ts';
import { formatAge, formatCount, formatGwei, formatNative, formatUsd, usdOf } from '../../../core/units.ts';
import { useClipboard } from '../../app/terminal.ts';
import { useToast } from '../../chrome/toast.tsx';
import { type ActionHandlers, useKeys } from '../../input/use-keys.tsx';
import { factGrid, type NamedValue, sectionLine, useWidest } from '../../ui/fact-list.tsx';
import { PaneState } from '../../ui/pane-state.tsx';
import { columnsWithin, columnWidths, headingLine, rowLine } from '../../ui/table.ts';
import {
  changeSpan,
  displayWidth,
  EMPTY_LINE,
  type Line,
  LineList,
  OneLine,
  SegmentLine,
  scrolledTo,
} from '../../ui/text.tsx';
import { type Theme, useTheme } from '../../ui/theme.ts';
import type { OffsetAt } from '../../ui/time.ts';
import { SpokenBlock } from './explorer-pane.tsx';
import type { ExplorerLevelProps, Place } from './explorer-state.ts';
import {
  explorerProblem,
  fullnessLine,
  momentText,
  noTransactions,
  PlaceFrame,
  withHidden,
} from './place-frame.tsx';
import { txColumns } from './tx-details.tsx';
import { type BlockTxsData, useBlock, useBlockTxs, useFactsContext } from './use-explorer.ts';

export type Tips = Readonly<Record<string, number>>;

/** The percentiles in a row: `p10 0.00100  p25 0.00200 …`, over as many lines as they need. */
export function tipLines(tips: Tips, width: number): readonly Line[] {
  const cells = PERCENTILES.flatMap((name) => {
    const tip = tips[name];
    return tip === undefined ? [] : [{ name, text: formatGwei(tip) }];
  });
  const room = Math.max(0, ...cells.map(({ name, text }) => name.length + 1 + displayWidth(text))) + 2;
  const perLine = Math.max(Math.floor((width + 2) / room), 1);
  const lines: Line[] = [];
  for (let from = 0; from < cells.length; from += perLine) {
    lines.push(
      cells
        .slice(from, from + perLine)
        .flatMap(({ name, text }) => [
          { text: `${name} `, faint: true },
          { text: `${text}${' '.repeat(room - name.length - 1 - displayWidth(text))}` },
        ]),
    );
  }
  return lines;
}

const LEAST_CELLS = 16;
const MOST_CELLS = 72;

/**
 * The tips of a block as a box on a logarithmic scale: the line from the lowest to the highest percentile, the box
 * over the middle half, the marker at the median. With `mark` a second line points at one tip. Empty where a scale
 * would say nothing.
 */
export function tipScale(
  tips: Tips,
  width: number,
  theme: Theme,
  mark: number | null = null,
): readonly Line[] {
  const { glyph } = theme;
  const known = PERCENTILES.flatMap((name) => tips[name] ?? []);
  const low = Math.min(...known, mark ?? Number.POSITIVE_INFINITY);
  const high = Math.max(...known, mark ?? 0);
  const ends = [`${formatGwei(low)} `, ` ${formatGwei(high)}`] as const;
  const cells = Math.min(width - displayWidth(ends[0]) - displayWidth(ends[1]) - 2, MOST_CELLS);
  if (known.length < 2 || !(high > low) || cells < LEAST_CELLS) return [];
  const at = (tip: number) => Math.round(shareOf(tip, low, high) * (cells - 1));
  const [from, to] = [tips.p25, tips.p75];
  const middle = tips.p50 === undefined ? null : at(tips.p50);
  const drawn: { text: string; color?: 'accent' | 'tip'; bold?: boolean; faint?: boolean }[] = [];
  for (let place = 0; place < cells; place += 1) {
    if (place === middle) drawn.push({ text: glyph.marker, color: 'accent', bold: true });
    else if (from !== undefined && to !== undefined && place >= at(from) && place <= at(to)) {
      drawn.push({ text: glyph.barFull, color: 'tip' });
    } else drawn.push({ text: glyph.line, faint: true });
  }
  const scale: Line = [
    { text: ends[0] },
    { text: glyph.lineLeft, faint: true },
    ...joinAlike(drawn),
    { text: glyph.lineRight, faint: true },
    { text: ends[1] },
  ];
  if (mark === null) return [scale];
  return [
    scale,
    pointer(displayWidth(ends[0]) + 1 + at(mark), `this one, ${formatGwei(mark)}`, width, theme),
  ];
}

/** A mark under the scale with its words at the side that has room. */
function pointer(place: number, words: string, width: number, { glyph }: Theme): Line {
  const arrow = { text: glyph.vertical, color: 'accent', bold: true } as const;
  if (place + 2 + words.length <= width) return [{ text: ' '.repeat(place) }, arrow, { text: ` ${words}` }];
  return [{ text: `${' '.repeat(Math.max(place - words.length - 1, 0))}${words} ` }, arrow];
}

function joinAlike<S extends { text: string; color?: string }>(spans: readonly S[]): readonly S[] {
  const joined: S[] = [];
  for (const span of spans) {
    const last = joined.at(-1);
    if (last !== undefined && last.color === span.color && last.text.startsWith(span.text))
      last.text += span.text;
    else joined.push({ ...span });
  }
  return joined;
}

/** Zero has no logarithm: it lies where a thousandth of the highest would. */
function shareOf(tip: number, low: number, high: number): number {
  const least = Math.max(low, high / 1e6, 1);
  const share = (Math.log(Math.max(tip, least)) - Math.log(least)) / (Math.log(high) - Math.log(least));
  return Math.min(Math.max(share, 0), 1);
}

/** What stands in the place of the list of transactions; `null`: the list itself. */
function txsNote(
  { transactionCount }: BlockView,
  without: string | null,
  { data, polled }: Pick<BlockTxsData, 'data' | 'polled'>,
): string | null {
  if (without !== null) return without.replace(/; .*/, '');
  if (transactionCount === 0) return 'no transactions in this block';
  if (data !== undefined && data.rows.length > 0) return null;
  if (polled.error !== null) {
    const { error } = polled;
    const lacks = error instanceof ClientError && error.code === 'not-found';
    return `no transactions: ${lacks ? 'this service has none' : error.message}`.replaceAll('\n', ' ');
  }
  if (data === undefined) return 'loading the transactions …';
  return 'the service gives no transactions of this block';
}

export interface FactsContext {
  readonly width: number;
  /** What ages are counted from, ms. */
  readonly present: number;
  /** The newest block. */
  readonly head: number | null;
  readonly symbol: string;
  /** Dollars for one coin. */
  readonly nativeUsd: number | null;
  readonly offsetAt: OffsetAt;
  readonly theme: Theme;
  /** An empty line between the parts. */
  readonly airy: boolean;
}

/** Gas of one blob (EIP-4844). */
const GAS_PER_BLOB = 131_072;
const BAR_CELLS = 10;

/** Everything the service says of a block, but its transactions. */
function blockLines(block: BlockView, context: FactsContext): readonly Line[] {
  const { width, theme, airy } = context;
  const tips = block.gasUsedRatio === 0 ? null : block.tips;
  const gap = airy ? [EMPTY_LINE] : [];
  const scale = tips === null ? [] : tipScale(tips, width - 2, theme);
  return [
    ...gap,
    ...factGrid(blockFacts(block, context), width, theme),
    ...gap,
    ...(tips === null ? [] : [sectionLine('Tips', [{ text: 'gwei, weighted by gas', faint: true }])]),
    ...(tips === null ? [] : tipLines(tips, width - 2)).map(indented),
    ...scale.map(indented),
    ...gap,
  ];
}

const indented = (line: Line): Line => [{ text: ' ' }, ...line];

/** The first line: which block, when, how deep. */
export function blockTitle(block: BlockView, context: FactsContext): readonly Line[] {
  const { present, offsetAt } = context;
  const at = block.timestamp;
  const depth = confirmationsOf(block.blockNumber, block.confirmations, context.head);
  return [
    [{ text: `Block ${formatCount(block.blockNumber)}`, bold: true }],
    ...(at === null ? [] : [[{ text: formatAge((present - at) / 1_000) }]]),
    ...(depth === null ? [] : [[{ text: confirmationsText(depth) }]]),
    ...(at === null
      ? []
      : [
          [
            {
              text: momentText(at, present, offsetAt),
              faint: true,
            },
          ],
        ]),
  ];
}

/** Blocks on top of it, itself included: by the newest block that is known, or as the service said. */
export function confirmationsOf(
  blockNumber: number | null,
  said: number | null,
  head: number | null,
): number | null {
  if (blockNumber === null) return said;
  if (head === null) return said;
  return Math.max(head - blockNumber + 1, said ?? 0);
}

export function confirmationsText(count: number): string {
  return `${formatCount(count)} ${count === 1 ? 'confirmation' : 'confirmations'}`;
}

/** Its fields by name, as many as the service says. */
export function blockFacts(block: BlockView, context: FactsContext): readonly NamedValue[] {
  const { width, theme } = context;
  const hex = (name: string, value: string | null): NamedValue | null =>
    value === null
      ? null
      : { name, value: [{ text: hexText(value, width - 16, theme.glyph.ellipsis) }], alone: true };
  const facts: readonly (NamedValue | null)[] = [
    { name: 'base fee', value: [{ text: `${formatGwei(block.baseFeePerGas)} gwei`, bold: true }] },
    gasUsed(block),
    nextBase(block, theme),
    block.gasUsedRatio === null
      ? null
      : { name: 'full', value: fullnessLine(block.gasUsedRatio, BAR_CELLS, theme) },
    price('blob base', block.blobBaseFee),
    blobGas(block),
    price('next blob', block.nextBlobBaseFee),
    block.excessBlobGas === null
      ? null
      : { name: 'excess blob', value: [{ text: `${formatCount(block.excessBlobGas)} gas` }] },
    burnt(block, context),
    block.transactionCount === null
      ? null
      : { name: 'transactions', value: [{ text: formatCount(block.transactionCount) }] },
    hex('fees to', block.feeRecipient),
    hex('hash', block.hash),
    hex('parent', block.parentHash),
  ];
  return facts.filter((fact) => fact !== null);
}

function price(name: string, wei: number | null): NamedValue | null {
  return wei === null ? null : { name, value: [{ text: `${formatGwei(wei)} gwei` }] };
}

function nextBase({ baseFeePerGas, nextBaseFeePerGas }: BlockView, theme: Theme): NamedValue | null {
  if (nextBaseFeePerGas === null) return null;
  const change = baseFeePerGas === 0 ? [] : [changeSpan(nextBaseFeePerGas / baseFeePerGas - 1, theme)];
  return {
    name: 'next base',
    value: [{ text: `${formatGwei(nextBaseFeePerGas)} gwei ` }, ...change],
  };
}

function gasUsed({ gasUsed: used, gasLimit: limit }: BlockView): NamedValue | null {
  if (used === null && limit === null) return null;
  if (used === null) return { name: 'gas limit', value: [{ text: formatCount(limit ?? 0) }] };
  const of = limit === null ? '' : ` of ${formatCount(limit)}`;
  return { name: 'gas used', value: [{ text: formatCount(used) }, { text: of, faint: true }] };
}

function blobGas({ blobGasUsed: used }: BlockView): NamedValue | null {
  if (used === null) return null;
  const blobs = Math.round(used / GAS_PER_BLOB);
  const count = blobs === 0 ? 'no blobs' : blobs === 1 ? '1 blob' : `${formatCount(blobs)} blobs`;
  return {
    name: 'blob gas',
    value: [{ text: formatCount(used) }, { text: `, ${count}`, faint: true }],
  };
}

function burnt({ burntWei }: BlockView, { symbol, nativeUsd }: FactsContext): NamedValue | null {
  if (burntWei === null) return null;
  const usd = nativeUsd === null ? '' : `  ${formatUsd(usdOf(burntWei, nativeUsd))}`;
  return { name: 'burnt', value: [{ text: formatNative(burntWei, symbol) }, { text: usd, faint: true }] };
}

interface BlockScreenProps extends ExplorerLevelProps {
  readonly place: Extract<Place, { kind: 'block' }>;
}

/** Facts spread out from here on. */
const AIRY_FROM = 30;
/** The next page is asked for before the cursor reaches the end of this one. */
const AHEAD = 20;
const MARK = 3;

/** One block: its facts, then its transactions, all in one scroll. */
export function BlockScreen({ place, ...level }: BlockScreenProps) {
  const { snapshot, symbol, dispatch, columns, rows } = level;
  const theme = useTheme();
  const toast = useToast();
  const copy = useClipboard();
  const spoken = useIsScreenReaderEnabled();
  const without = noTransactions(snapshot);
  const polled = useBlock(place.number, snapshot);
  const block = polled.data?.value ?? null;
  const txs = useBlockTxs(without === null && hasTransactions(block) ? block : null);
  const list = txs.data?.rows ?? [];
  const context = useFactsContext(level, AIRY_FROM);
  const facts = block === null ? [] : blockLines(block, context);
  const all = txColumns(columns, symbol, theme);
  const widths = useWidest(columnWidths(all, list, theme));
  const shownColumns = columnsWithin(all, widths, columns - MARK - 1);
  const note = block === null ? null : txsNote(block, without, txs);
  const heading: Line =
    list.length === 0 || note !== null
      ? [{ text: ` ${note ?? ''}`, faint: true }]
      : [{ text: ' '.repeat(MARK) }, ...headingLine(shownColumns, widths, theme)];
  // The title stands above what scrolls.
  const room = Math.max(rows - 1 - (polled.error === null ? 0 : 1), 1);
  const before = facts.length + 1;
  const count = before + list.length;
  const selected = place.selected === null ? null : Math.min(place.selected, list.length - 1);
  const most = Math.max(count - room, 0);
  const wanted = selected === null ? place.top : inSight(before + selected, place.top, room);
  const top = Math.min(Math.max(wanted, 0), most);

  const more = txs.data?.more === true;
  const loadMore = txs.loadMore;
  useEffect(() => {
    if (more && (selected ?? 0) + AHEAD + room > list.length) loadMore();
  });

  const select = (to: number) => {
    if (to < 0) return dispatch({ type: 'scroll', top: Math.min(top, facts.length), selected: null });
    const next = Math.min(to, list.length - 1);
    dispatch({ type: 'scroll', top: inSight(before + next, top, room), selected: next });
  };
  const scroll = (to: number) =>
    dispatch({ type: 'scroll', top: Math.min(Math.max(to, 0), most), selected: null });
  /** Down through the facts line by line until the first transaction is in sight, then from one to the next. */
  const down = (by: number) => {
    if (selected !== null) return select(selected + by);
    const firstInSight = list.length > 0 && before < top + room;
    if (firstInSight) select(by - 1);
    else scroll(top + by);
  };
  const up = (by: number) => {
    if (selected === null) scroll(top - by);
    else select(selected === 0 ? -1 : Math.max(selected - by, 0));
  };
  const marked = selected === null ? undefined : list[selected];
  const moves: ActionHandlers = {
    up: () => up(1),
    down: () => down(1),
    'page-up': () => up(room),
    'page-down': () => down(room),
    start: () => scroll(0),
    end: () => (list.length > 0 ? select(list.length - 1) : scroll(most)),
  };
  const open = () => {
    if (marked === undefined) select(0);
    else dispatch({ type: 'open', place: { kind: 'tx', hash: marked.hash } });
  };
  useKeys('explorer', {
    ...(most === 0 && list.length === 0 ? {} : moves),
    ...(list.length === 0 ? {} : { open }),
    previous: () => {
      if (place.number > 0) dispatch({ type: 'turn-to', number: place.number - 1 });
    },
    next: () => {
      if (snapshot.blockNumber === null || place.number < snapshot.blockNumber) {
        dispatch({ type: 'turn-to', number: place.number + 1 });
      } else toast({ kind: 'info', text: 'This is the newest block' });
    },
    copy: () => {
      const hash = marked?.hash;
      if (hash === undefined) copy(String(place.number));
      else copy(hash, shortHex(hash, '…'));
    },
  });

  return (
    <PlaceFrame
      polled={polled}
      what={`block ${place.number}`}
      problem={(error) => explorerProblem(place, error, without)}
      columns={columns}
      rows={rows}
    >
      {(notice) => {
        if (block === null) return <PaneState kind="loading" what={`block ${place.number}`} />;
        if (spoken)
          return <SpokenBlock block={block} context={context} txs={list} selected={selected} note={note} />;
        const lines = [
          ...facts,
          heading,
          ...list.map(
            (tx, index): Line => [
              index === selected
                ? { text: ` ${theme.glyph.arrow} `, color: 'accent', bold: true }
                : { text: ' '.repeat(MARK) },
              ...rowLine(shownColumns, widths, theme, tx),
            ],
          ),
        ];
        const shown = lines.slice(top > facts.length ? top + 1 : top, top + room);
        const below = count - top - room;
        return (
          <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
            <SegmentLine segments={withHidden(blockTitle(block, context), below)} width={columns} />
            {notice === null ? null : <OneLine line={[{ text: ' ' }, ...notice]} width={columns} />}
            <LineList lines={[...(top > facts.length ? [heading] : []), ...shown]} width={columns} />
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

function hasTransactions(block: BlockView | null): boolean {
  return block !== null && block.transactionCount !== 0;
}
