import { Box, useIsScreenReaderEnabled } from 'ink';
import { useRef } from 'react';
import type { SnapshotView } from '../../../client/views/gas.ts';
import type {
  BaseFeeRowView,
  BlockView,
  GasUsedRatioRowView,
  PriorityFeeRowView,
} from '../../../client/views/metrics.ts';
import { formatCount, formatDuration, formatGwei, formatNative, UNKNOWN } from '../../../core/units.ts';
import { useNow } from '../../app/clock.ts';
import { useClipboard } from '../../app/terminal.ts';
import { type ActionHandlers, scrollKeys, useKeys } from '../../input/use-keys.tsx';
import { useWidest } from '../../ui/fact-list.tsx';
import { PaneState, PolledFrame } from '../../ui/pane-state.tsx';
import { columnsWithin, columnWidths, headingLine, rowLine, type TableColumn } from '../../ui/table.ts';
import { changeSpan, type Line, LineList, OneLine, SegmentLine, scrolledTo } from '../../ui/text.tsx';
import { type Theme, useTheme } from '../../ui/theme.ts';
import { clockText, type OffsetAt, systemOffset, zoneText } from '../../ui/time.ts';
import { SpokenBlocks } from './explorer-pane.tsx';
import type { ExplorerLevelProps } from './explorer-state.ts';
import { fullnessLine, presentOf } from './place-frame.tsx';
import { useBlockList, useRowDetails } from './use-explorer.ts';

/** From this width on blocks are asked for one by one: there is room for what only they say. */
const DETAILS_FROM = 104;

interface BlockColumnsContext {
  /** Of the pane. */
  readonly width: number;
  /** What ages are counted from, ms. */
  readonly present: number;
  readonly symbol: string;
  readonly offsetAt: OffsetAt;
  readonly theme: Theme;
}

/** The columns of the list of blocks, left to right. */
function blockColumns(context: BlockColumnsContext): readonly TableColumn<BlockRow>[] {
  const { width, present, symbol, offsetAt, theme } = context;
  const gwei = (wei: number | null | undefined) => (wei == null ? UNKNOWN : formatGwei(wei));
  const count = (value: number | null | undefined) => (value == null ? UNKNOWN : formatCount(value));
  const bar = barCells(width);
  const columns: readonly TableColumn<BlockRow>[] = [
    {
      id: 'block',
      heading: 'block',
      align: 'right',
      least: 6,
      rank: 0,
      cell: ({ number }) => (number === null ? UNKNOWN : formatCount(number)),
    },
    {
      id: 'age',
      heading: 'age',
      align: 'right',
      least: 6,
      rank: 3,
      cell: ({ timestamp }) => formatDuration((present - timestamp) / 1_000),
    },
    {
      id: 'base',
      heading: 'base fee',
      align: 'right',
      least: 8,
      rank: 0,
      cell: ({ baseFee }) => [{ text: gwei(baseFee), bold: true }],
    },
    {
      id: 'change',
      heading: 'change',
      align: 'right',
      least: 9,
      rank: 4,
      cell: ({ change }) => (change === null ? UNKNOWN : [changeSpan(change, theme)]),
    },
    {
      id: 'full',
      heading: 'gas used',
      align: 'left',
      least: bar + 6,
      rank: 1,
      cell: ({ gasUsedRatio }) => (gasUsedRatio === null ? UNKNOWN : fullnessLine(gasUsedRatio, bar, theme)),
    },
    { id: 'tip', heading: 'tip p50', align: 'right', least: 7, rank: 2, cell: ({ tip }) => gwei(tip) },
    {
      id: 'tips',
      heading: 'p25 – p95',
      align: 'right',
      least: 15,
      rank: 5,
      cell: ({ spread }) => (spread === null ? UNKNOWN : `${gwei(spread.low)} – ${gwei(spread.high)}`),
    },
    {
      id: 'txs',
      heading: 'txs',
      align: 'right',
      least: 5,
      rank: 6,
      cell: ({ details }) => count(details?.transactionCount),
    },
    {
      id: 'burnt',
      heading: `burnt ${symbol}`,
      align: 'right',
      least: 10,
      rank: 7,
      cell: ({ details }) =>
        details?.burntWei == null
          ? UNKNOWN
          : formatNative(details.burntWei, symbol).replace(` ${symbol}`, ''),
    },
    {
      id: 'time',
      heading: 'time',
      align: 'right',
      least: 8,
      rank: 8,
      cell: ({ timestamp }) => clockText(timestamp, offsetAt, true),
    },
  ];
  return width < DETAILS_FROM ? columns.filter(({ id }) => !FROM_DETAILS.has(id)) : columns;
}

const FROM_DETAILS = new Set(['tips', 'txs', 'burnt']);

function barCells(width: number): number {
  if (width < 72) return 6;
  return width < 150 ? 10 : 20;
}

/** Columns without a single value say nothing: a foreign service or a recording may know less than ours. */
function columnsWithValues(
  columns: readonly TableColumn<BlockRow>[],
  rows: readonly BlockRow[],
): readonly TableColumn<BlockRow>[] {
  return columns.filter(({ id, cell }) => id === 'block' || rows.some((row) => cell(row) !== UNKNOWN));
}

/** One block of the list; prices in wei per gas. `null`: the service has not said. */
export interface BlockRow {
  /** `null`: a service that gives rows by time alone; such a block cannot be opened. */
  readonly number: number | null;
  /** Ms since epoch. */
  readonly timestamp: number;
  readonly baseFee: number | null;
  /** Against the block before it, where that one is in the list. */
  readonly change: number | null;
  readonly gasUsedRatio: number | null;
  /** Median tip. */
  readonly tip: number | null;
  /** The tips at the 25th and at the 95th percentile. */
  readonly spread: { readonly low: number; readonly high: number } | null;
  /** The whole block, where it has been asked for. */
  readonly details: BlockView | null;
}

export interface BlockSeries {
  readonly baseFees: readonly BaseFeeRowView[];
  readonly gasUsedRatios: readonly GasUsedRatioRowView[];
  readonly tips: readonly PriorityFeeRowView[];
  readonly lowTips: readonly PriorityFeeRowView[];
  readonly highTips: readonly PriorityFeeRowView[];
}

/** The last blocks of `series`, newest first, at most `most`; the head is there as soon as the snapshot knows it. */
export function blockRows(series: BlockSeries, snapshot: SnapshotView, most: number): readonly BlockRow[] {
  const rows = new Map<string, BlockRow>();
  const put = (key: string, at: At, value: Partial<BlockRow>) =>
    rows.set(key, { ...(rows.get(key) ?? emptyRow(at)), ...value });
  for (const [key, row] of keyed(series.baseFees)) put(key, row, { baseFee: row.mean });
  for (const [key, row] of keyed(series.gasUsedRatios)) put(key, row, { gasUsedRatio: row.mean });
  // A block without transactions has no tips, whatever stands in their place.
  const isEmpty = (key: string) => rows.get(key)?.gasUsedRatio === 0;
  for (const [key, row] of keyed(series.tips)) put(key, row, { tip: isEmpty(key) ? null : row.value });
  const high = new Map(keyed(series.highTips));
  for (const [key, row] of keyed(series.lowTips)) {
    const most = high.get(key);
    if (most !== undefined && !isEmpty(key)) put(key, row, { spread: { low: row.value, high: most.value } });
  }
  const { blockNumber, blockTimestamp, baseFee, gasUsedRatio } = snapshot;
  if (blockNumber !== null && blockTimestamp !== null && !rows.has(String(blockNumber))) {
    const head = { timestamp: blockTimestamp, blockNumber };
    put(String(blockNumber), head, { baseFee: Number(baseFee), gasUsedRatio });
  }
  const newest = [...rows.values()].sort(newestFirst).slice(0, most + 1);
  return newest.slice(0, most).map((row, place) => ({ ...row, change: changeOf(row, newest[place + 1]) }));
}

interface At {
  readonly timestamp: number;
  readonly blockNumber: number | null;
}

/**
 * What the rows of one block have in common: its number or, where the service gives none, its time to the second and
 * its place among the blocks of that second. Services take the milliseconds from here and there.
 */
function keyed<Row extends At>(rows: readonly Row[]): readonly (readonly [key: string, row: Row])[] {
  const perSecond = new Map<number, number>();
  return rows.map((row) => {
    if (row.blockNumber !== null) return [String(row.blockNumber), row] as const;
    const second = Math.round(row.timestamp / 1_000);
    const place = perSecond.get(second) ?? 0;
    perSecond.set(second, place + 1);
    return [`at ${second} ${place}`, row] as const;
  });
}

function emptyRow(at: At): BlockRow {
  return {
    number: at.blockNumber,
    timestamp: at.timestamp,
    baseFee: null,
    change: null,
    gasUsedRatio: null,
    tip: null,
    spread: null,
    details: null,
  };
}

function newestFirst(one: BlockRow, other: BlockRow): number {
  if (one.number !== null && other.number !== null) return other.number - one.number;
  return other.timestamp - one.timestamp;
}

function changeOf(row: BlockRow, before: BlockRow | undefined): number | null {
  if (before === undefined || row.baseFee === null || before.baseFee === null || before.baseFee === 0)
    return null;
  if (row.number !== null && before.number !== row.number - 1) return null;
  return row.baseFee / before.baseFee - 1;
}

/** `row` with what its own question has brought. */
function withDetails(row: BlockRow, details: BlockView | undefined): BlockRow {
  if (details === undefined) return row;
  const { p25: low, p95: high } = details.tips ?? {};
  return {
    ...row,
    spread:
      row.spread ??
      (details.gasUsedRatio === 0 || low === undefined || high === undefined ? null : { low, high }),
    gasUsedRatio: details.gasUsedRatio ?? row.gasUsedRatio,
    details,
  };
}

interface BlockListProps {
  /** The blocks on the screen, newest first. */
  readonly rows: readonly BlockRow[];
  /** Place of the cursor among them. */
  readonly cursor: number;
  /** How many blocks are newer than the first on the screen, and how many there are in all. */
  readonly above: number;
  readonly total: number;
  readonly present: number;
  readonly symbol: string;
  readonly width: number;
  readonly height: number;
  readonly offsetAt: OffsetAt;
  /** Lines to show with the data. */
  readonly notices: readonly Line[];
}

/** Rows of the pane that are not blocks: title and headings. */
export const LIST_CHROME = 2;
const MARK = 3;

/** The latest blocks, newest first, the marked one with an arrow. */
export function BlockList(props: BlockListProps) {
  const { rows, cursor, above, total, present, symbol, width, height, offsetAt, notices } = props;
  const theme = useTheme();
  // The heading names one offset, also where clocks were changed between two blocks.
  const offset = offsetAt(present);
  const shown = { width, present, symbol, offsetAt: () => offset, theme };
  const all = columnsWithValues(blockColumns(shown), rows);
  const widths = useWidest(columnWidths(all, rows, theme));
  const columns = columnsWithin(all, widths, width - MARK - 1);
  const lines = rows.map((row, place): Line => {
    const marked = place === cursor;
    return [
      marked ? { text: ` ${theme.glyph.arrow} `, color: 'accent', bold: true } : { text: ' '.repeat(MARK) },
      ...rowLine(columns, widths, theme, row),
    ];
  });
  const zone = columns.some(({ id }) => id === 'time') ? `, times in ${zoneText(offset)}` : '';
  const title: readonly Line[] = [
    [{ text: 'Latest blocks', bold: true }],
    [{ text: `prices in gwei${zone}`, faint: true }],
    ...(above > 0 ? [[{ text: `${above} newer (g)`, faint: true }]] : []),
    ...(above === 0 && total > rows.length
      ? [[{ text: `${total - rows.length} more (j)`, faint: true }]]
      : []),
  ];
  return (
    <Box flexDirection="column" width={width} height={height} overflow="hidden">
      <SegmentLine segments={title} width={width} />
      {notices.map((notice) => (
        <SegmentLine key={notice[0]?.text} segments={[notice]} width={width} />
      ))}
      <OneLine line={[{ text: ' '.repeat(MARK) }, ...headingLine(columns, widths, theme)]} width={width} />
      <LineList lines={lines} width={width} />
    </Box>
  );
}

interface BlocksScreenProps extends ExplorerLevelProps {
  readonly cursor: number | null;
}

/** The list of the latest blocks and what the keys do in it. */
export function BlocksScreen({ snapshot, symbol, dispatch, columns, rows, cursor }: BlocksScreenProps) {
  const now = useNow();
  const copy = useClipboard();
  const spoken = useIsScreenReaderEnabled();
  const isWide = columns >= DETAILS_FROM && !spoken;
  const list = useBlockList(snapshot, isWide);
  const missing = list.polled.data?.value.missing ?? [];
  const room = Math.max(rows - LIST_CHROME - missing.length - (list.polled.error === null ? 0 : 1), 1);
  const place = placeOf(list.rows, cursor);
  const first = useRef(0);
  first.current = Math.min(scrolledTo(place, first.current, room), Math.max(list.rows.length - room, 0));
  // Nobody who follows the newest block wants to see it slide down.
  if (cursor === null) first.current = 0;
  const above = first.current;
  const onScreen = list.rows.slice(above, above + room);
  const blockOf = useRowDetails(onScreen, isWide);
  const shown = onScreen.map((row) =>
    withDetails(row, row.number === null ? undefined : blockOf(row.number)),
  );

  const go = (to: number) => {
    const row = list.rows[Math.min(Math.max(to, 0), list.rows.length - 1)];
    dispatch({ type: 'move-cursor', to: to <= 0 || row === undefined ? null : keyOf(row) });
  };
  const marked = list.rows[place];
  const blockKeys = (number: number | null): ActionHandlers =>
    number === null
      ? { open: 'This service does not number its blocks, so none can be opened' }
      : {
          open: () => dispatch({ type: 'open', place: { kind: 'block', number } }),
          copy: () => copy(String(number)),
        };
  useKeys('explorer', {
    ...(list.rows.length > 1 ? scrollKeys(go, { top: place, room, most: list.rows.length - 1 }) : {}),
    ...(marked === undefined ? {} : blockKeys(marked.number)),
  });

  return (
    <PolledFrame
      polled={list.polled}
      what="the latest blocks"
      pending={false}
      width={columns}
      height={rows}
      hint="r asks again now, / looks up a block or a transaction"
    >
      {(notice) => {
        if (shown.length === 0) {
          return (
            <Box width={columns} height={rows}>
              <PaneState
                kind="empty"
                title="No blocks yet"
                hint="The list begins with the next block; / looks up an older one."
              />
            </Box>
          );
        }
        const present = presentOf(snapshot, now);
        if (spoken) return <SpokenBlocks rows={list.rows.slice(place, place + 10)} present={present} />;
        return (
          <BlockList
            rows={shown}
            cursor={place - above}
            above={above}
            total={list.rows.length}
            present={present}
            symbol={symbol}
            width={columns}
            height={rows}
            offsetAt={systemOffset}
            notices={[
              ...(notice === null ? [] : [notice]),
              ...missing.map((text) => [{ text, faint: true }]),
            ]}
          />
        );
      }}
    </PolledFrame>
  );
}

/** Blocks without numbers are told apart by their times, which are far larger than any block's number. */
function keyOf({ number, timestamp }: BlockRow): number {
  return number ?? timestamp;
}

/** Where the cursor's block is now; one that has left the list leaves the cursor at its end. */
function placeOf(rows: readonly BlockRow[], cursor: number | null): number {
  if (cursor === null || rows.length === 0) return 0;
  const place = rows.findIndex((row) => keyOf(row) <= cursor);
  return place < 0 ? rows.length - 1 : place;
}
