import { Box } from 'ink';
import { useRef } from 'react';
import { formatCount, formatDuration, formatGwei, formatNative, UNKNOWN } from '../../../core/units.ts';
import { useClipboard } from '../../app/terminal.ts';
import { type ActionHandlers, scrollKeys, useKeys } from '../../input/use-keys.tsx';
import { type PaneContext, usePaneContext } from '../../ui/pane-context.ts';
import { PaneState, PolledFrame } from '../../ui/pane-state.tsx';
import { leftColumn, rightColumn, spokenRow, type TableColumn, useTable } from '../../ui/table.ts';
import {
  changeSpan,
  fullnessLine,
  type Line,
  LineList,
  placed,
  SegmentLine,
  SpokenSentences,
  scrolledTo,
} from '../../ui/text.tsx';
import { clockText, zoneText } from '../../ui/time.ts';
import { type BlockRow, useBlockList, useRowDetails } from './block-series.ts';
import { type ExplorerLevelProps, opened } from './explorer-state.ts';

/** From this width on blocks are asked for one by one: there is room for what only they say. */
const DETAILS_FROM = 104;
const BAR_CELLS = 10;
/** Rows of the pane that are not blocks: title and headings. */
const CHROME = 2;
/** Blocks that are read out at once. */
const SPOKEN_BLOCKS = 10;

/** The columns of the list of blocks, left to right. */
export function blockColumns(context: PaneContext): readonly TableColumn<BlockRow>[] {
  const { present, symbol, offsetAt, theme } = context;
  const gwei = (wei: number | null | undefined) => (wei == null ? UNKNOWN : formatGwei(wei));
  const count = (value: number | null | undefined) => (value == null ? UNKNOWN : formatCount(value));
  // The title names one offset, also where clocks were changed between two blocks.
  const offset = offsetAt(present);
  return [
    rightColumn('block', 6, 0, ({ number }) => count(number)),
    rightColumn('age', 6, 3, ({ timestamp }) => formatDuration((present - timestamp) / 1_000)),
    rightColumn('base fee', 8, 0, ({ baseFee }) => [{ text: gwei(baseFee), bold: true }]),
    rightColumn('change', 9, 4, ({ change }) => (change === null ? UNKNOWN : [changeSpan(change, theme)])),
    leftColumn('gas used', BAR_CELLS + 6, 1, ({ gasUsedRatio }) =>
      gasUsedRatio === null ? UNKNOWN : fullnessLine(gasUsedRatio, BAR_CELLS, theme),
    ),
    rightColumn('tip p50', 7, 2, ({ tip }) => gwei(tip)),
    rightColumn('p25 – p95', 15, 5, ({ spread }) =>
      spread === null ? UNKNOWN : `${gwei(spread.low)} – ${gwei(spread.high)}`,
    ),
    rightColumn('txs', 5, 6, ({ details }) => count(details?.transactionCount)),
    rightColumn(`burnt ${symbol}`, 10, 7, ({ details }) =>
      details?.burntWei == null ? UNKNOWN : formatNative(details.burntWei, symbol).replace(` ${symbol}`, ''),
    ),
    rightColumn('time', 8, 8, ({ timestamp }) => clockText(timestamp, () => offset, true)),
  ];
}

interface BlocksScreenProps extends ExplorerLevelProps {
  readonly cursor: number | null;
}

/** The list of the latest blocks and what the keys do in it. */
export function BlocksScreen({ snapshot, change, columns, rows, cursor }: BlocksScreenProps) {
  const context = usePaneContext(snapshot, columns);
  const copy = useClipboard();
  const isWide = columns >= DETAILS_FROM && !context.isSpoken;
  const { polled, rows: blocks } = useBlockList(snapshot, isWide);
  const missing = polled.data?.value.missing ?? [];
  const room = Math.max(rows - CHROME - missing.length - (polled.error === null ? 0 : 1), 1);
  const place = placeOf(blocks, cursor);
  const first = useRef(0);
  first.current = Math.min(scrolledTo(place, first.current, room), Math.max(blocks.length - room, 0));
  // Nobody who follows the newest block wants to see it slide down.
  if (cursor === null) first.current = 0;
  const above = first.current;
  const shown = useRowDetails(blocks.slice(above, above + room), isWide);
  const all = blockColumns(context);
  const table = useTable({ columns: all, rows: shown, width: columns, cursor: place - above });

  const go = (to: number) => {
    const row = blocks[Math.min(Math.max(to, 0), blocks.length - 1)];
    change((state) => ({ ...state, cursor: to <= 0 || row === undefined ? null : keyOf(row) }));
  };
  const keysOf = ({ number }: BlockRow): ActionHandlers => {
    if (number === null) return { open: 'This service does not number its blocks, so none can be opened' };
    const open = () => change((state) => opened(state, { kind: 'block', number }));
    return { open, copy: () => copy(String(number)) };
  };
  const marked = blocks[place];
  useKeys('explorer', {
    ...(blocks.length > 1 ? scrollKeys(go, { top: place, room, most: blocks.length - 1 }) : {}),
    ...(marked === undefined ? {} : keysOf(marked)),
  });

  const below = blocks.length - above - shown.length;
  const hidden = above > 0 ? `${above} newer (g)` : below > 0 ? `${below} more (j)` : null;
  const hasTime = table.heading.some(({ text }) => text === 'time');
  const zone = hasTime ? `, times in ${zoneText(context.offsetAt(context.present))}` : '';
  const title: readonly Line[] = [
    [{ text: 'Latest blocks', bold: true }],
    [{ text: `prices in gwei${zone}`, faint: true }],
    ...(hidden === null ? [] : [[{ text: hidden, faint: true }]]),
  ];
  return (
    <PolledFrame
      polled={polled}
      what="the latest blocks"
      pending={false}
      width={columns}
      height={rows}
      hint="r asks again now, / looks up a block or a transaction"
    >
      {(notice) => {
        if (blocks.length === 0) {
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
        if (context.isSpoken) {
          const said = blocks
            .slice(place, place + SPOKEN_BLOCKS)
            .map((row) => `Block ${spokenRow(all, row)}.`);
          const heading = 'Latest blocks, newest first. Enter opens the first one named here.';
          return <SpokenSentences sentences={[heading, ...said]} />;
        }
        const notices = missing.map((text): Line => [{ text, faint: true }]);
        return (
          <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
            <SegmentLine segments={title} width={columns} />
            {placed([...(notice === null ? [] : [notice]), ...notices], (line) => (
              <SegmentLine segments={[line]} width={columns} />
            ))}
            <LineList lines={[table.heading, ...table.lines]} width={columns} />
          </Box>
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
