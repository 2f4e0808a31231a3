import { formatCount, formatDuration, formatGwei, formatNative } from '../../../core/units.ts';
import { useClipboard } from '../../app/terminal.ts';
import { useKeptState } from '../../app/ui-state.ts';
import { type ActionHandlers, scrollKeys, useKeys } from '../../input/use-keys.tsx';
import { type PaneContext, usePane, useRoom } from '../../ui/pane-context.tsx';
import { PaneState, PolledFrame } from '../../ui/pane-state.tsx';
import { TitledLines, useFirstRow } from '../../ui/scroll.tsx';
import { known, leftColumn, rightColumn, type TableColumn, useTable } from '../../ui/table.ts';
import { bold, changeSpan, FULLNESS_WIDTH, faint, fullnessLine, type Line, plain } from '../../ui/text.tsx';
import { offsetAt, zoneText } from '../../ui/time.ts';
import { BlockScreen } from './block-details.tsx';
import { type BlockRow, useBlockList, useRowDetails } from './block-series.ts';
import {
  back,
  EXPLORER_MEMORY,
  type ExplorerLevelProps,
  type ExplorerState,
  INITIAL_EXPLORER_STATE,
  opened,
} from './explorer-state.ts';
import { TxScreen } from './tx-details.tsx';

export function ExplorerScreen() {
  const [state, change] = useKeptState(EXPLORER_MEMORY, INITIAL_EXPLORER_STATE);
  const place = state.places.at(-1);
  // With nothing open, Esc is left to other scopes.
  useKeys('explorer', place === undefined ? {} : { close: () => change(back) });
  if (place === undefined) return <BlocksScreen change={change} cursor={state.cursor} />;
  return place.kind === 'block' ? (
    <BlockScreen key={place.number} change={change} place={place} />
  ) : (
    <TxScreen key={place.hash} change={change} place={place} />
  );
}

/** From this width on blocks are requested one by one, for columns that need it. */
const DETAILS_FROM = 104;
const CHROME = 2;
const SPOKEN_BLOCKS = 10;

export function blockColumns(context: PaneContext): readonly TableColumn<BlockRow>[] {
  const { present, symbol } = context;
  // The title names one offset, even if clocks changed between two blocks.
  const offsetMs = offsetAt(present) * 60_000;
  return [
    rightColumn('block', 6, 0, ({ number }) => known(number, formatCount)),
    rightColumn('age', 6, 3, ({ timestamp }) => formatDuration((present - timestamp) / 1_000)),
    rightColumn('base fee', 8, 0, ({ baseFee }) => [bold(known(baseFee, formatGwei))]),
    rightColumn('change', 9, 4, ({ change }) => known(change, (ratio) => [changeSpan(ratio)])),
    leftColumn('gas used', FULLNESS_WIDTH, 1, ({ gasUsedRatio }) => known(gasUsedRatio, fullnessLine)),
    rightColumn('tip p50', 7, 2, ({ tip }) => known(tip, formatGwei)),
    rightColumn('p25 – p95', 15, 5, ({ spread }) =>
      known(spread, ({ low, high }) => `${formatGwei(low)} – ${formatGwei(high)}`),
    ),
    rightColumn('txs', 5, 6, ({ details }) => known(details?.transactionCount, formatCount)),
    rightColumn(`burnt ${symbol}`, 10, 7, ({ details }) =>
      known(details?.burntWei, (wei) => formatNative(wei, symbol).replace(` ${symbol}`, '')),
    ),
    rightColumn('time', 8, 8, ({ timestamp }) => new Date(timestamp + offsetMs).toISOString().slice(11, 19)),
  ];
}

function BlocksScreen({ change, cursor }: ExplorerLevelProps & Pick<ExplorerState, 'cursor'>) {
  const context = usePane();
  const { columns, rows } = useRoom();
  const { isSpoken, present, snapshot } = context;
  const copy = useClipboard();
  const isWide = columns >= DETAILS_FROM && !isSpoken;
  const { polled, rows: blocks } = useBlockList(snapshot, isWide);
  const missing = polled.data?.missing ?? [];
  const notices = missing.length + (polled.error === null ? 0 : 1);
  const room = isSpoken ? SPOKEN_BLOCKS : Math.max(rows - CHROME - notices, 1);
  const place = placeOf(blocks, cursor);
  const firstRow = useFirstRow({ count: blocks.length, place, room });
  const above = isSpoken ? place : firstRow;
  const shown = useRowDetails(blocks.slice(above, above + room), isWide);
  const all = blockColumns(context);
  const marked = isSpoken ? null : place - above;
  const table = useTable({ columns: all, rows: shown, cursor: marked, rowName: 'Block' });

  const go = (to: number) => {
    const row = blocks[Math.min(Math.max(to, 0), blocks.length - 1)];
    change((state) => ({ ...state, cursor: to <= 0 || row === undefined ? null : keyOf(row) }));
  };
  const keysOf = ({ number }: BlockRow): ActionHandlers => {
    if (number === null) return { open: 'This service does not number its blocks, so none can be opened' };
    const open = () => change((state) => opened(state, { kind: 'block', number }));
    return { open, copy: () => copy(String(number)) };
  };
  const row = blocks[place];
  useKeys('explorer', {
    ...(blocks.length > 1 ? scrollKeys(go, { top: place, room, most: blocks.length - 1 }) : {}),
    ...(row === undefined ? {} : keysOf(row)),
  });

  const below = blocks.length - above - shown.length;
  const hidden = above > 0 ? `${above} newer (g)` : below > 0 ? `${below} more (j)` : null;
  const hasTime = table.heading.some(({ text }) => text === 'time');
  const zone = hasTime ? `, times in ${zoneText(offsetAt(present))}` : '';
  const title: readonly Line[] = isSpoken
    ? [[plain('Latest blocks, newest first. Enter opens the first one named here')]]
    : [
        [bold('Latest blocks')],
        [faint(`prices in gwei${zone}`)],
        ...(hidden === null ? [] : [[faint(hidden)]]),
      ];
  return (
    <PolledFrame
      polled={polled}
      what="the latest blocks"
      hint="r asks again now, / looks up a block or a transaction"
    >
      {(notice) =>
        blocks.length === 0 ? (
          <PaneState
            kind="empty"
            title="No blocks yet"
            hint="The list begins with the next block; / looks up an older one."
          />
        ) : (
          <TitledLines
            {...{ title, notice }}
            lines={[...missing.map((text): Line => [faint(` ${text}`)]), table.heading, ...table.lines]}
          />
        )
      }
    </PolledFrame>
  );
}

/** Blocks without numbers are identified by their times, which are far larger than block numbers. */
function keyOf({ number, timestamp }: BlockRow): number {
  return number ?? timestamp;
}

/** The row of the cursor's block; if it has left the list, the cursor is at the end. */
function placeOf(rows: readonly BlockRow[], cursor: number | null): number {
  if (cursor === null || rows.length === 0) return 0;
  const place = rows.findIndex((row) => keyOf(row) <= cursor);
  return place < 0 ? rows.length - 1 : place;
}
