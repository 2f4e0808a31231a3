import { Box, useIsScreenReaderEnabled } from 'ink';
import { useRef, useSyncExternalStore } from 'react';
import * as z from 'zod';
import {
  CHAIN_SORTS,
  type ChainRow,
  type ChainSort,
  chainOf,
  matchesRow,
  rowBadge,
  rowProblem,
  rowTexts,
  sortedRows,
  titleOf,
  workCost,
} from '../../../client/views/chains.ts';
import { formatDuration } from '../../../core/units.ts';
import { useFind } from '../../app/finder.tsx';
import type { MonitorSource } from '../../app/source.ts';
import { useRemembered } from '../../data/remembered.ts';
import { Clickable } from '../../input/mouse.tsx';
import { scrollKeys, useKeys } from '../../input/use-keys.tsx';
import { useNow, usePaneMemory, useRoom } from '../../ui/pane-context.tsx';
import { selectedPlace, useFirstRow } from '../../ui/scroll.tsx';
import { leftColumn, rightColumn, type TableColumn, useTable } from '../../ui/table.tsx';
import {
  bold,
  colored,
  faint,
  fitLine,
  type Line,
  LineList,
  lineWidth,
  plain,
  spreadLine,
  wrapText,
} from '../../ui/text.tsx';
import { useElapsed } from '../../ui/use-elapsed.ts';

export interface Board {
  readonly read: () => readonly ChainRow[];
  /** Polls from the first listener on. */
  readonly subscribe: (listener: () => void) => () => void;
  readonly everyMs: number;
  readonly open: (name: string) => Promise<MonitorSource>;
}

const Sort = z.enum(CHAIN_SORTS);

/** While the cursor moves, and so long after, no row changes its place. */
const REST_MS = 5_000;

/** The rows in their order: sorted, or as they were sorted before the cursor began to move. */
function useOrdered(
  rows: readonly ChainRow[],
  sort: ChainSort,
  selected: string | null,
): readonly ChainRow[] {
  const isAtRest = useElapsed(REST_MS, selected) || selected === null;
  const before = useRef<{ readonly sort: ChainSort; readonly names: readonly string[] }>(null);
  if (isAtRest || before.current?.sort !== sort) {
    before.current = { sort, names: sortedRows(rows, sort).map(({ name }) => name) };
  }
  return before.current.names.flatMap((name) => rows.find((row) => row.name === name) ?? []);
}

const HEAD_ROWS = 2;
const DETAIL_ROWS = 2;
const LEAST_ADVICE = 14;
const LONGEST_TITLE = 18;
const MARGIN = 3;
const FIND_HINT = {
  words: 'words filter the chains: ⏎ keeps the filter, Esc clears it',
  onEnter: 'keep',
} as const;

type BoardPaneProps = { readonly board: Board; readonly open: (name: string) => void };

export function BoardPane({ board, open }: BoardPaneProps) {
  const { columns, rows: room } = useRoom();
  const isSpoken = useIsScreenReaderEnabled();
  const now = useNow();
  const [selected, select] = usePaneMemory<string | null>('board', null);
  const [sort, setSort] = useRemembered('board.sort', Sort, 'swap', { isEverywhere: true });
  const find = useFind('board', () => FIND_HINT);
  const all = useOrdered(useSyncExternalStore(board.subscribe, board.read), sort, selected);
  const rows = all.filter((row) => matchesRow(row, find.filter));
  const place = selectedPlace(rows, ({ name }) => name === selected);
  const row = rows[place];
  const tableRoom = Math.max(room - HEAD_ROWS - DETAIL_ROWS - find.rows, 1);
  const above = useFirstRow({ count: rows.length, place, room: isSpoken ? rows.length : tableRoom });
  const shown = isSpoken ? rows : rows.slice(above, above + tableRoom);

  const go = (to: number) => select(rows[to]?.name ?? null);
  useKeys('board', {
    ...scrollKeys(go, { top: place, room: tableRoom, most: rows.length - 1 }),
    open: row && (() => open(row.name)),
    sort: () =>
      setSort((before) => CHAIN_SORTS[(CHAIN_SORTS.indexOf(before) + 1) % CHAIN_SORTS.length] ?? before),
  });

  const titles = all.map((each) => lineWidth(titleLine(each, now)));
  const titleWidth = Math.min(Math.max(5, ...titles), LONGEST_TITLE);
  const table = useTable({
    columns: chainColumns(titleWidth),
    rows: shown.map((each) => ({ ...rowTexts(each, now), title: titleLine(each, now) })),
    margin: MARGIN,
    cursor: place - above,
    rowName: 'Chain',
  });
  const lines = table.lines.map((line, at): Line => {
    const each = shown[at];
    if (isSpoken || each === undefined || each.figures !== null) return line;
    // The advice of a chain without figures takes the place of its columns.
    const title = [...line.slice(0, 1), ...fitLine(titleLine(each, now), titleWidth)];
    return fitLine([...title, faint(`  ${rowTexts(each, now).advice}`)], columns - 1);
  });
  const nothing =
    find.filter === '' ? 'No chains are set up.' : 'No chain has such a name; Esc clears the filter.';
  const details = row === undefined ? [nothing] : wrapText(detailText(row, now), columns - 2, DETAIL_ROWS);
  const count = `${find.filter === '' ? '' : `${rows.length} of `}${all.length}`;
  const title = [bold(' gastop '), plain(`  chains ${count}  by ${sort}`)];
  return (
    <Box flexDirection="column" height={room}>
      <LineList
        lines={[spreadLine(title, [faint(`every ${formatDuration(board.everyMs / 1_000)} `)], columns)]}
      />
      {find.field}
      <LineList lines={[table.heading]} />
      <Clickable onClick={(_, row) => go(above + row)}>
        <LineList lines={lines} />
      </Clickable>
      <Box flexGrow={1} />
      <LineList lines={details.map((detail): Line => [faint(` ${detail}`)])} />
    </Box>
  );
}

type ToldRow = ReturnType<typeof rowTexts> & { readonly title: Line };

const chainColumns = (titleWidth: number): readonly TableColumn<ToldRow>[] => [
  leftColumn('chain', titleWidth, 0, ({ title }) => title, { most: titleWidth }),
  rightColumn('swap', 9, 0, ({ swap }) => swap, { stays: false }),
  rightColumn('swap gwei', 9, 1, ({ swapInCoin }) => swapInCoin),
  rightColumn('send', 9, 3, ({ send }) => send),
  rightColumn('send gwei', 9, 3, ({ sendInCoin }) => sendInCoin),
  rightColumn('L1', 4, 4, ({ l1 }) => l1),
  rightColumn('gwei', 7, 2, ({ price }) => price),
  rightColumn('trend', 5, 5, ({ trend }) => trend),
  rightColumn('age', 4, 1, ({ age }) => age),
  leftColumn('advice', LEAST_ADVICE, 0, ({ advice }) => advice, { most: Number.POSITIVE_INFINITY }),
];

function titleLine(row: ChainRow, now: number): Line {
  const badge = rowBadge(row);
  // A simulated chain has no other name.
  const name = titleOf(row).toUpperCase() === badge ? '' : titleOf(row);
  const isSound = rowProblem(row, now) === null;
  return [
    ...(isSound ? [] : [colored('! ', 'bad')]),
    ...(badge === null ? [] : [bold(`${badge}${name === '' ? '' : ' '}`, 'warn')]),
    { text: name, bold: isSound },
  ];
}

/** What has no room in the row: the whole reason, why its L1 part is not known, and whose dollars these are. */
function detailText(row: ChainRow, now: number): string {
  const { dataFee, dataFeeReason } = workCost(row, 'swap') ?? { dataFee: 0n, dataFeeReason: null };
  const parts = [
    `${titleOf(row)}: ${rowTexts(row, now).advice}`,
    dataFee === null ? `L1 part not known${dataFeeReason === null ? '' : `: ${dataFeeReason}`}` : null,
    row.isOwnName && row.figures !== null ? `on ${chainOf(row)}` : null,
    row.usdFrom === null ? null : `dollars of ${row.usdFrom}`,
    row.figures?.snapshot.source.name ? `asks ${row.figures.snapshot.source.name}` : null,
  ];
  return parts.filter((part) => part !== null).join('; ');
}
