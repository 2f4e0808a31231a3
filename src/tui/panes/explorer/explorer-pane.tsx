import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useRef } from 'react';
import { type ClientError, unlessRefused } from '../../../client/errors.ts';
import type { GasClient } from '../../../client/gas-client.ts';
import type { CallOptions } from '../../../client/requests.ts';
import type { SnapshotView } from '../../../client/views/gas.ts';
import type { BlockView, MetricsView } from '../../../client/views/metrics.ts';
import { PATHS } from '../../../contract/routes.ts';
import { chainProfile } from '../../../core/chains.ts';
import { changeRatio } from '../../../core/market-stats.ts';
import { coinDigits, formatCount, formatDuration, formatGwei } from '../../../core/units.ts';
import { useClipboard } from '../../app/terminal.ts';
import type { RawRequest } from '../../chrome/raw-view.tsx';
import { type PlaceName, useMonitor, useShownSnapshot } from '../../data/monitor-context.ts';
import { type Dated, useMonitorQuery } from '../../data/polled-query.ts';
import { scrollKeys, useKeys } from '../../input/use-keys.tsx';
import { type Memory, type PaneContext, usePane, usePaneMemory, useRoom } from '../../ui/pane-context.tsx';
import { missingReason, PolledFrame } from '../../ui/pane-state.tsx';
import { TitledLines, useFirstRow } from '../../ui/scroll.tsx';
import { SideBySide, useListWidth } from '../../ui/side-by-side.tsx';
import { known, leftColumn, rightColumn, type TableColumn, useTable } from '../../ui/table.tsx';
import { bold, changeSpan, FULLNESS_WIDTH, faint, fullnessLine, type Line, plain } from '../../ui/text.tsx';
import { offsetAt } from '../../ui/time.ts';
import { BlockScreen, TxScreen } from './details.tsx';

/** An open block or transaction, and how far it is scrolled. */
type Place = PlaceName & { readonly at: number };

interface ExplorerState {
  /** The block under the cursor, so that it stays while new ones arrive; `null` follows the newest. */
  readonly cursor: number | null;
  readonly places: readonly Place[];
}

const MEMORY = 'explorer';
const INITIAL: ExplorerState = { cursor: null, places: [] };

const idOf = (name: PlaceName) => (name.kind === 'block' ? String(name.number) : name.hash);

/** Blocks and transactions link to each other: one that is open is gone back to. */
function opened({ cursor, places }: ExplorerState, name: PlaceName): ExplorerState {
  const known = places.findIndex((place) => idOf(place) === idOf(name));
  return { cursor, places: known < 0 ? [...places, { ...name, at: 0 }] : places.slice(0, known + 1) };
}

const back = (state: ExplorerState) => ({ ...state, places: state.places.slice(0, -1) });

const stateIn = (memory: Memory) => (memory.get(MEMORY) ?? INITIAL) as ExplorerState;

export function openPlace(memory: Memory, name: PlaceName): void {
  memory.set(MEMORY, opened(stateIn(memory), name));
}

export function explorerRequest(memory: Memory): RawRequest {
  const place = stateIn(memory).places.at(-1);
  if (place === undefined) return { path: PATHS.baseFee, query: { bucket: 'block' } };
  return { path: (place.kind === 'block' ? PATHS.block : PATHS.tx).replace(/\{\w+\}/, idOf(place)) };
}

export function ExplorerPane() {
  const [state, change] = usePaneMemory(MEMORY, INITIAL);
  const listWidth = useListWidth();
  const place = state.places.at(-1);
  const list = useBlockList(state.cursor, place === undefined || listWidth !== null);
  // With nothing open, Esc is left to other scopes.
  useKeys('explorer', { close: place && (() => change(back)) });
  const open = (name: PlaceName) => change((before) => opened(before, name));
  const select = (cursor: number | null) => change((before) => ({ ...before, cursor }));
  const pick = (cursor: number | null) => change({ cursor, places: [] });
  const blocks = <BlocksScreen list={list} open={open} select={select} pick={pick} />;
  const level = {
    open,
    at: place?.at ?? 0,
    scroll: (at: number) =>
      change((before) => ({ ...before, places: before.places.with(-1, { ...place, at } as Place) })),
    turn: (number: number) => {
      change((before) => opened(back(before), { kind: 'block', number }));
      // The list goes with it.
      select(number === list.blocks[0]?.number ? null : number);
    },
  };
  const number = listWidth === null ? null : (list.row?.number ?? null);
  const shown = place ?? (number === null ? undefined : ({ kind: 'block', number } as const));
  if (shown === undefined) return blocks;
  const isOpen = place !== undefined;
  const details =
    shown.kind === 'block' ? (
      <BlockScreen key={isOpen ? shown.number : 'selected'} {...level} isOpen={isOpen} place={shown} />
    ) : (
      <TxScreen key={shown.hash} {...level} place={shown} />
    );
  if (listWidth === null) return details;
  return <SideBySide leftWidth={listWidth} left={blocks} right={details} isRightOpen={isOpen} />;
}

/**
 * One block of the list; prices in wei per gas. Its key is its number, or its second (far larger) from a service that
 * has rows by time only: without a number (`null`) it cannot be opened.
 */
type BlockRow = Readonly<Record<'key' | 'timestamp', number>> &
  Readonly<Record<'number' | keyof typeof BLANK, number | null>> & { readonly details?: BlockView | null };

const BLANK = { baseFee: null, change: null, gasUsedRatio: null, tip: null };
const MOST_BLOCKS = 240;
const USUAL_BLOCK_SEC = 12;

/** The newest blocks. A part that the service refuses is missing; without any of them the request fails. */
async function loadBlocks(
  client: GasClient,
  { chainId, blockTimestamp: end }: SnapshotView,
  call: CallOptions,
) {
  const blockSec = chainId === null ? USUAL_BLOCK_SEC : chainProfile(chainId).feeRule.blockTimeSec;
  const spanMs = Math.min(Math.max(blockSec * MOST_BLOCKS, 60), 3_600) * 1_000;
  const window = end === null ? {} : { from: end - spanMs, to: end + 1_000 };
  const query = { ...window, bucket: 'block' } as const;
  const rows = new Map<number, BlockRow>();
  const refusals: { readonly name: string; readonly error: ClientError }[] = [];
  const part = async <Row extends { readonly timestamp: number; readonly blockNumber: number | null }>(
    name: string,
    request: Promise<MetricsView<Row>>,
    of: (row: Row) => Partial<BlockRow>,
  ) => {
    const { found, error } = await unlessRefused(request);
    if (error !== null) refusals.push({ name, error });
    for (const row of found?.rows ?? []) {
      const { blockNumber: number, timestamp } = row;
      const key = number ?? Math.round(timestamp / 1_000);
      rows.set(key, { ...BLANK, key, number, timestamp, ...rows.get(key), ...of(row) });
    }
  };
  const tips = client.priorityFee({ ...query, percentile: 'p50' }, call);
  await Promise.all([
    part('base fees', client.baseFee(query, call), ({ mean }) => ({ baseFee: mean })),
    part('fullness', client.gasUsedRatio(query, call), ({ mean }) => ({ gasUsedRatio: mean })),
    part('tips', tips, ({ value }) => ({ tip: value })),
  ]);
  const [first] = refusals;
  if (first !== undefined && refusals.length === 3) throw first.error;
  return { rows, missing: refusals.map(({ name, error }) => `no ${name}: ${missingReason(error, false)}`) };
}

/** The newest blocks first; the head appears as soon as the snapshot has it. */
function newestFirst(loaded: ReadonlyMap<number, BlockRow>, snapshot: SnapshotView): readonly BlockRow[] {
  const rows = new Map(loaded);
  const { blockNumber: number, blockTimestamp: timestamp, baseFee, gasUsedRatio } = snapshot;
  if (number !== null && timestamp !== null && !rows.has(number)) {
    rows.set(number, { ...BLANK, key: number, number, timestamp, baseFee: Number(baseFee), gasUsedRatio });
  }
  const newest = [...rows.values()].sort((one, other) => other.key - one.key);
  return newest.slice(0, MOST_BLOCKS).map((row, place): BlockRow => {
    const before = newest[place + 1];
    const isNext = before !== undefined && (row.number === null || before.number === row.number - 1);
    const change = isNext && row.baseFee !== null ? changeRatio(row.baseFee, before.baseFee) : null;
    // A block without transactions has no tips, even if the response has values.
    return { ...row, change, tip: row.gasUsedRatio === 0 ? null : row.tip };
  });
}

/** Pause between two block requests: a node or a quota allows four a second; blocks that are made here need none. */
const GAP_MS = 250;
const OWN_GAP_MS = 10;
/** After this many refusals the service has no such route, or is throttling. */
const MOST_REFUSALS = 2;
const DETAILS_CACHED_MS = 600_000;

/**
 * Adds what the block route alone has, requested in sequence, newest first, and again after a reorg. `areShown`: from
 * when all rows had it on.
 */
function useRowDetails(rows: readonly BlockRow[], enabled: boolean) {
  const { client, frozen, now } = useMonitor();
  const { kind } = useShownSnapshot().source;
  const queries = useQueryClient();
  // An opened block shows the same cached data first.
  const keyOf = ({ number, baseFee }: BlockRow) => ['block', number, `row ${baseFee}`];
  const stateOf = (row: BlockRow) => queries.getQueryState<Dated<BlockView>>(keyOf(row));
  const next = rows.find((row) => row.number !== null && (stateOf(row)?.status ?? 'pending') === 'pending');
  const refusals = rows.filter((row) => stateOf(row)?.status === 'error').length;
  useQuery({
    queryKey: next === undefined ? ['block', null, 'row'] : keyOf(next),
    enabled: enabled && !frozen && next !== undefined && refusals < MOST_REFUSALS,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: DETAILS_CACHED_MS,
    queryFn: async ({ signal }): Promise<Dated<BlockView>> => {
      await new Promise((resolve) =>
        setTimeout(resolve, kind === 'simulated' || kind === 'replay' ? OWN_GAP_MS : GAP_MS),
      );
      signal.throwIfAborted();
      return { value: await client.block(next?.number ?? 0, { signal }), at: now() };
    },
  });
  const areShown = useRef(false);
  areShown.current = enabled && (areShown.current || (rows.length > 0 && next === undefined));
  const detailed = rows.map((row) => {
    const details = stateOf(row)?.data?.value ?? null;
    return { ...row, details, gasUsedRatio: details?.gasUsedRatio ?? row.gasUsedRatio };
  });
  return { rows: detailed, areShown: areShown.current };
}

/** From this width on blocks are requested one by one, for columns that need it. */
const DETAILS_FROM = 104;
/** With fewer blocks the embedded service is still filling its history. */
const ENOUGH_BLOCKS = 60;
const CHROME = 2;
const SPOKEN_BLOCKS = 10;

export function blockColumns(
  { present, symbol }: PaneContext,
  hasDetails = false,
): readonly TableColumn<BlockRow>[] {
  // The frame names one offset, even if clocks changed between two blocks.
  const offsetMs = offsetAt(present) * 60_000;
  // Blank while a block that has come into view is requested.
  const ofDetails = (heading: string, least: number, rank: number, cell: (details: BlockView) => string) =>
    rightColumn<BlockRow>(heading, least, rank, ({ details }) => (details == null ? '' : cell(details)));
  const range = ({ p25, p95 }: NonNullable<BlockView['tips']>) =>
    known(p25, (tip) => `${formatGwei(tip)} – ${known(p95, formatGwei)}`);
  const detailed = [
    ofDetails('p25 – p95', 15, 5, ({ gasUsedRatio, tips }) => known(gasUsedRatio === 0 ? null : tips, range)),
    ofDetails('txs', 5, 6, ({ transactionCount }) => known(transactionCount, formatCount)),
    ofDetails(`burnt ${symbol}`, 10, 7, ({ burntWei }) => known(burntWei, coinDigits)),
  ];
  return [
    rightColumn('block', 6, 0, ({ number }) => known(number, formatCount)),
    rightColumn('age', 6, 3, ({ timestamp }) => formatDuration((present - timestamp) / 1_000)),
    rightColumn('time', 8, 5, ({ timestamp }) => new Date(timestamp + offsetMs).toISOString().slice(11, 19)),
    rightColumn('base fee', 8, 0, ({ baseFee }) => [bold(known(baseFee, formatGwei))]),
    rightColumn('change', 9, 4, ({ change }) => known(change, (ratio) => [changeSpan(ratio)])),
    leftColumn('gas used', FULLNESS_WIDTH, 1, ({ gasUsedRatio }) => known(gasUsedRatio, fullnessLine)),
    rightColumn('tip p50', 7, 2, ({ tip }) => known(tip, formatGwei)),
    ...(hasDetails ? detailed : []),
  ];
}

/** The newest blocks, and which of them is under the cursor. */
function useBlockList(cursor: number | null, enabled: boolean) {
  const snapshot = useShownSnapshot();
  const { intervalMs, isOwnService } = useMonitor();
  const polled = useMonitorQuery({
    key: ['block-list', snapshot.chainId],
    enabled,
    ask: (client, signal) => loadBlocks(client, snapshot, { signal }),
    head: snapshot,
    everyMs: (data) => (isOwnService && data && data.rows.size < ENOUGH_BLOCKS ? intervalMs : null),
  });
  const { data } = polled;
  const blocks = useMemo(
    () => (data === undefined ? [] : newestFirst(data.rows, snapshot)),
    [data, snapshot],
  );
  // If the block under the cursor has left the list, the cursor is at the end.
  const found = cursor === null ? 0 : blocks.findIndex(({ key }) => key <= cursor);
  const place = found < 0 ? blocks.length - 1 : found;
  return { polled, blocks, place, row: blocks[place] };
}

const UNNUMBERED = 'This service does not number its blocks, so none can be opened';

interface BlocksScreenProps {
  readonly list: ReturnType<typeof useBlockList>;
  readonly select: (cursor: number | null) => void;
  /** Selects it by a click: the keys are the list's again. */
  readonly pick: (cursor: number | null) => void;
  readonly open: (place: PlaceName) => void;
}

function BlocksScreen({ list, select, pick, open }: BlocksScreenProps) {
  const context = usePane();
  const copy = useClipboard();
  const { columns, rows } = useRoom();
  const { isSpoken } = context;
  const { polled, blocks, place, row } = list;
  const missing = polled.data?.missing ?? [];
  const taken = CHROME + missing.length + (polled.error === null ? 0 : 1);
  const room = isSpoken ? SPOKEN_BLOCKS : Math.max(rows - taken, 1);
  const firstRow = useFirstRow({ count: blocks.length, place, room });
  const above = isSpoken ? place : firstRow;
  const hasRoom = columns >= DETAILS_FROM && !isSpoken;
  const { rows: shown, areShown } = useRowDetails(blocks.slice(above, above + room), hasRoom);
  const table = useTable({
    columns: blockColumns(context, areShown),
    rows: shown,
    cursor: isSpoken ? null : place - above,
    rowName: 'Block',
  });

  const keyAt = (to: number) => (to === 0 ? null : (blocks[to]?.key ?? null));
  const go = (to: number) => select(keyAt(to));
  const number = row?.number ?? null;
  useKeys('explorer', {
    ...scrollKeys(go, { top: place, room, most: blocks.length - 1 }),
    open: number === null ? row && UNNUMBERED : () => open({ kind: 'block', number }),
    copy: number === null ? undefined : () => copy(String(number)),
  });

  const below = blocks.length - above - shown.length;
  const hidden = above > 0 ? `${above} newer (g)` : below > 0 ? `${below} more (j)` : '';
  const title: readonly Line[] = isSpoken
    ? [[plain('Latest blocks, newest first. Enter opens the first one named here')]]
    : [[bold('Latest blocks')], [faint('prices in gwei')], [faint(hidden)]];
  const hint = 'r asks again now, / looks up a block or a transaction';
  const lines = [...missing.map((text): Line => [faint(` ${text}`)]), table.heading];
  const listed = { lines: table.lines, select: (at: number) => pick(keyAt(above + at)) };
  return (
    <PolledFrame
      polled={polled}
      hint={hint}
      what="the latest blocks"
      empty={
        blocks.length === 0 && {
          title: 'No blocks yet',
          hint: 'The list begins with the next block; / looks up an older one.',
        }
      }
    >
      {(notice) => <TitledLines title={title} notice={notice} lines={lines} rows={listed} />}
    </PolledFrame>
  );
}
