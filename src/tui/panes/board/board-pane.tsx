import { Box, Text, useIsScreenReaderEnabled } from 'ink';
import { useRef, useSyncExternalStore } from 'react';
import {
  CHAIN_SORTS,
  type ChainRow,
  type ChainSort,
  matchesRow,
  rowTexts,
  sortedRows,
  titleOf,
  workCost,
} from '../../../client/views/chains.ts';
import { formatDuration } from '../../../core/units.ts';
import { useElapsed, useNow } from '../../app/clock.ts';
import type { MonitorSource } from '../../app/source.ts';
import { useKeptState } from '../../app/ui-state.ts';
import { TextField } from '../../input/text-field.tsx';
import { scrollKeys, useKeys } from '../../input/use-keys.tsx';
import { leftColumn, rightColumn, useTable } from '../../ui/table.ts';
import {
  bold,
  colored,
  displayWidth,
  faint,
  type Line,
  LineList,
  plain,
  SpreadLine,
  scrolledTo,
  truncate,
  wrapText,
} from '../../ui/text.tsx';
import { useTheme } from '../../ui/theme.ts';

/** Several chains side by side, of which one at a time is opened. */
export interface Board {
  /** The same list until something changes. */
  readonly read: () => readonly ChainRow[];
  /** Polls from the first listener on. */
  readonly subscribe: (listener: () => void) => () => void;
  /** How often there is something new, ms. */
  readonly everyMs: number;
  /** Opens the chain of this name as a source of its own. */
  readonly open: (name: string) => Promise<MonitorSource>;
}

interface BoardState {
  readonly sort: ChainSort;
  /** Name of the row under the cursor; `null`: the first. */
  readonly selected: string | null;
  /** How often the cursor has moved. */
  readonly moves: number;
  readonly filter: string;
  readonly isFinding: boolean;
}

const FIRST: BoardState = { sort: 'swap', selected: null, moves: 0, filter: '', isFinding: false };

/** While the cursor moves, and so long after, no row changes its place. */
const REST_MS = 5_000;

/** The rows in their order: the sorted one, or what was sorted before while somebody reads it. */
function useOrdered(rows: readonly ChainRow[], { sort, moves }: BoardState): readonly ChainRow[] {
  const isAtRest = useElapsed(REST_MS, moves) || moves === 0;
  const kept = useRef<{ readonly sort: ChainSort | null; names: readonly string[] }>({
    sort: null,
    names: [],
  });
  if (isAtRest || kept.current.sort !== sort) {
    kept.current = { sort, names: sortedRows(rows, sort).map(({ name }) => name) };
  }
  return kept.current.names.flatMap((name) => rows.find((row) => row.name === name) ?? []);
}

interface BoardPaneProps {
  readonly board: Board;
  readonly columns: number;
  readonly rows: number;
  readonly open: (name: string) => void;
}

/** The title and the heading of the table. */
const HEAD_ROWS = 2;
/** What is said of the selected row. */
const DETAIL_ROWS = 2;
const FIND_ROWS = 2;
const LEAST_ADVICE = 14;
const LONGEST_TITLE = 18;
const MARGIN = 3;
const GAP = 2;

export function BoardPane({ board, columns, rows: room, open }: BoardPaneProps) {
  const theme = useTheme();
  const isSpoken = useIsScreenReaderEnabled();
  const now = useNow();
  const [state, change] = useKeptState('board', FIRST);
  const set = (part: Partial<BoardState>) => change((before) => ({ ...before, ...part }));
  const { filter, isFinding, selected, sort } = state;
  const all = useOrdered(useSyncExternalStore(board.subscribe, board.read), state);
  const rows = all.filter((row) => matchesRow(row, filter));
  const place = Math.max(
    rows.findIndex(({ name }) => name === selected),
    0,
  );
  const row = rows[place];
  const tableRoom = Math.max(room - HEAD_ROWS - DETAIL_ROWS - (isFinding ? FIND_ROWS : 0), 1);
  const first = useRef(0);
  first.current = isSpoken
    ? 0
    : Math.max(Math.min(scrolledTo(place, first.current, tableRoom), rows.length - tableRoom), 0);
  const above = first.current;
  const shown = isSpoken ? rows : rows.slice(above, above + tableRoom);

  const go = (to: number) => {
    const next = rows[Math.min(Math.max(to, 0), rows.length - 1)];
    if (next !== undefined) set({ selected: next.name, moves: state.moves + 1 });
  };
  const nextSort = CHAIN_SORTS[(CHAIN_SORTS.indexOf(sort) + 1) % CHAIN_SORTS.length] ?? sort;
  useKeys('board', {
    ...(rows.length > 1 ? scrollKeys(go, { top: place, room: tableRoom, most: rows.length - 1 }) : {}),
    ...(row === undefined ? {} : { open: () => open(row.name) }),
    sort: () => set({ sort: nextSort }),
  });
  useKeys('global', {
    find: () => set({ isFinding: true, filter: '' }),
    ...(filter === '' ? {} : { back: () => set({ filter: '' }) }),
  });

  const texts = new Map(rows.map((each) => [each, rowTexts(each, now)]));
  const text = (each: ChainRow) => texts.get(each) ?? rowTexts(each, now);
  const titleWidth = Math.min(
    Math.max(
      5,
      ...all.map((each) => displayWidth(theme.text(titleOf(each))) + (each.problem === null ? 0 : 2)),
    ),
    LONGEST_TITLE,
  );
  const title = (each: ChainRow): Line => {
    const name = truncate(
      theme.text(titleOf(each)),
      titleWidth - (each.problem === null ? 0 : 2),
      theme.glyph.ellipsis,
    );
    return each.problem === null ? [bold(name)] : [colored(`${theme.glyph.warning} `, 'bad'), plain(name)];
  };
  const table = useTable<ChainRow>({
    columns: [
      leftColumn('chain', titleWidth, 0, title),
      rightColumn('swap', 7, 0, (each) => text(each).swap),
      rightColumn('send', 7, 3, (each) => text(each).send),
      rightColumn('L1', 4, 4, (each) => text(each).l1),
      rightColumn('gwei', 7, 2, (each) => text(each).price),
      rightColumn('trend', 5, 5, (each) => text(each).trend),
      rightColumn('age', 4, 1, (each) => text(each).age),
      leftColumn('advice', LEAST_ADVICE, 0, (each) => text(each).advice, { most: Number.POSITIVE_INFINITY }),
    ],
    rows: shown,
    width: columns,
    margin: MARGIN,
    cursor: place - above,
    rowName: 'Chain',
  });
  /** What a chain without figures has to say takes the place of its columns. */
  const spread = (each: ChainRow, line: Line): Line => {
    if (isSpoken || each.figures !== null) return line;
    const said = truncate(
      theme.text(text(each).advice),
      Math.max(columns - MARGIN - titleWidth - GAP - 1, 1),
      theme.glyph.ellipsis,
    );
    const name = title(each);
    const used = name.reduce((width, span) => width + displayWidth(span.text), 0);
    return [
      line[0] ?? plain(' '.repeat(MARGIN)),
      ...name,
      plain(' '.repeat(titleWidth - used + GAP)),
      faint(said),
    ];
  };
  const lines = table.lines.map((line, at) => {
    const each = shown[at];
    return each === undefined ? line : spread(each, line);
  });
  const details =
    row === undefined
      ? [filter === '' ? 'No chains are set up.' : 'No chain has such a name; Esc clears the filter.']
      : wrapText(
          theme.text(detailText(row, text(row).advice)),
          columns - 2,
          DETAIL_ROWS,
          theme.glyph.ellipsis,
        );
  return (
    <Box flexDirection="column" height={room} overflow="hidden">
      <SpreadLine
        width={columns}
        left={
          <>
            <Text bold> gastop </Text>
            {`  chains ${filter === '' ? '' : `${rows.length} of `}${all.length}  by ${sort}`}
          </>
        }
        right={<Text dimColor>{`every ${formatDuration(board.everyMs / 1_000)} `}</Text>}
      />
      {isFinding ? (
        <Box flexDirection="column" flexShrink={0} height={FIND_ROWS}>
          <TextField
            label=" find"
            width={columns}
            onChange={(typed) => set({ filter: typed.trim() })}
            onSubmit={() => set({ isFinding: false })}
            onCancel={() => set({ isFinding: false, filter: '' })}
          />
          <Text dimColor wrap="truncate">
            {theme.text(' words filter the chains by their names: ⏎ keeps the filter, Esc clears it')}
          </Text>
        </Box>
      ) : null}
      <LineList lines={[table.heading, ...lines]} width={columns} />
      <Box flexGrow={1} />
      <LineList lines={details.map((detail): Line => [faint(` ${detail}`)])} width={columns} />
    </Box>
  );
}

/** What has no room in the row: the whole reason, why its L1 part is not known, and whose dollars these are. */
function detailText(row: ChainRow, advice: string): string {
  const { dataFee, dataFeeReason } = workCost(row, 'swap') ?? { dataFee: 0n, dataFeeReason: null };
  const parts = [
    `${titleOf(row)}: ${advice}`,
    dataFee === null ? `L1 part not known${dataFeeReason === null ? '' : `: ${dataFeeReason}`}` : null,
    row.usdFrom === null ? null : `dollars of ${row.usdFrom}`,
    row.figures?.snapshot.source.name ? `asks ${row.figures.snapshot.source.name}` : null,
  ];
  return parts.filter((part) => part !== null).join('; ');
}
