import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { CallOptions, GasClient, MetricsQuery } from '../../../client/client.ts';
import { ClientError } from '../../../client/errors.ts';
import type { SnapshotView } from '../../../client/views/gas.ts';
import type { BlockView, MetricsView, TxRowView, TxView } from '../../../client/views/metrics.ts';
import { chainProfile } from '../../../core/chains.ts';
import { useNow } from '../../app/clock.ts';
import { type Dated, type Polled, useMonitor, usePolledQuery } from '../../data/queries.ts';
import { useTheme } from '../../ui/theme.ts';
import { systemOffset } from '../../ui/time.ts';
import type { FactsContext } from './block-details.tsx';
import { type BlockRow, type BlockSeries, blockRows } from './block-list.tsx';
import type { ExplorerLevelProps } from './explorer-state.ts';
import { presentOf } from './place-frame.tsx';

/** How many blocks the list holds. */
export const MOST_BLOCKS = 240;
/** Fewer blocks than this are worth a look further back. */
const ENOUGH_BLOCKS = 60;
const HOUR_SEC = 3_600;

interface BlockSeriesRequest {
  /** Where the window ends, ms: the head's own time; `null`: the service's present. */
  readonly end: number | null;
  /** How long a window to ask for, seconds. */
  readonly spanSec: number;
  /** Whether the spread of the tips is wanted beside their medians. */
  readonly spread: boolean;
}

interface BlockSeriesAnswer extends BlockSeries {
  /** The window that was long enough: what to ask for next time. */
  readonly spanSec: number;
  /** What the service lacks or refuses: one line each. */
  readonly missing: readonly string[];
}

/**
 * The newest blocks by three metrics with a bucket per block. The window grows to an hour where blocks are rare; one
 * that begins before history does is requested without its begin. A metric that the service lacks is named in `missing`.
 *
 * @throws ClientError where nothing can be had, or the service cannot be reached.
 */
async function loadBlockSeries(
  client: GasClient,
  request: BlockSeriesRequest,
  options: CallOptions,
): Promise<BlockSeriesAnswer> {
  let { spanSec } = request;
  let answer = await askSeries(client, request, spanSec, options);
  while (request.end !== null && spanSec < HOUR_SEC && longest(answer) < ENOUGH_BLOCKS) {
    spanSec = Math.min(spanSec * 4, HOUR_SEC);
    answer = await askSeries(client, request, spanSec, options);
  }
  return { ...answer, spanSec };
}

async function askSeries(
  client: GasClient,
  { end, spread }: BlockSeriesRequest,
  spanSec: number,
  options: CallOptions,
): Promise<BlockSeries & { readonly missing: readonly string[] }> {
  const window = end === null ? null : { from: end - spanSec * 1_000, to: end + 1_000 };
  const tips = (percentile: string) =>
    partOf('tips', window, (query) => client.priorityFee({ ...query, percentile }, options));
  const [base, ratio, tip, low, high] = await Promise.all([
    partOf('base fees', window, (query) => client.baseFee(query, options)),
    partOf('fullness', window, (query) => client.gasUsedRatio(query, options)),
    tips('p50'),
    spread ? tips('p25') : null,
    spread ? tips('p95') : null,
  ]);
  if (base.error !== null && ratio.error !== null && tip.error !== null) throw base.error;
  return {
    baseFees: base.rows,
    gasUsedRatios: ratio.rows,
    tips: tip.rows,
    lowTips: low?.rows ?? [],
    highTips: high?.rows ?? [],
    missing: [...base.missing, ...ratio.missing, ...tip.missing],
  };
}

function longest({ baseFees, gasUsedRatios, tips }: BlockSeries): number {
  return Math.max(baseFees.length, gasUsedRatios.length, tips.length);
}

interface Part<Row> {
  readonly rows: readonly Row[];
  readonly error: ClientError | null;
  readonly missing: readonly string[];
}

const TOLERATED: readonly string[] = ['not-found', 'plan', 'invalid', 'server', 'unreadable'];

async function partOf<Row>(
  name: string,
  window: Pick<MetricsQuery, 'from' | 'to'> | null,
  request: (query: MetricsQuery) => Promise<MetricsView<Row>>,
): Promise<Part<Row>> {
  const bucket = 'block';
  try {
    const { rows } = await request({ ...window, bucket }).catch((error: unknown) => {
      // Before history begins: what there is of the last hour is as much as can be had.
      if (window === null || !(error instanceof ClientError) || error.code !== 'invalid') throw error;
      return request({ bucket });
    });
    return { rows, error: null, missing: [] };
  } catch (error) {
    if (!(error instanceof ClientError) || !TOLERATED.includes(error.code)) throw error;
    const reason = error.code === 'not-found' ? 'this service has none' : error.message;
    return { rows: [], error, missing: [`no ${name}: ${reason.replaceAll('\n', ' ')}`] };
  }
}

const USUAL_BLOCK_SEC = 12;

interface BlockListData {
  readonly polled: Polled<Dated<BlockSeriesAnswer>>;
  /** Newest first. */
  readonly rows: readonly BlockRow[];
}

/** The latest blocks, asked for while they are shown: once, and again at every new head. */
export function useBlockList(snapshot: SnapshotView, isWide: boolean): BlockListData {
  const { client, frozen, now, intervalMs, isOwnService = false } = useMonitor();
  // Elsewhere every question counts, and the blocks' own bring it.
  const spread = isWide && isOwnService;
  const spanSec = useRef(usualSpan(snapshot.chainId));
  const end = useRef(snapshot.blockTimestamp);
  end.current = snapshot.blockTimestamp;
  const polled = usePolledQuery({
    key: ['block-list', snapshot.chainId, spread],
    ask: async (signal) => {
      const request = { end: end.current, spanSec: spanSec.current, spread };
      const value = await loadBlockSeries(client, request, { signal });
      spanSec.current = value.spanSec;
      return { value, at: now() };
    },
    head: snapshot,
    // Our own service has its newest block before those behind it.
    everyMs: (data) => (isOwnService && isFilling(data?.value, snapshot) ? intervalMs : null),
    frozen,
  });
  const series = polled.data?.value;
  const rows = useMemo(
    () => (series === undefined ? [] : blockRows(series, snapshot, MOST_BLOCKS)),
    [series, snapshot],
  );
  return { polled, rows };
}

/** Whether blocks behind the head are still on their way into the history. */
function isFilling(series: BlockSeries | undefined, { blockNumber }: SnapshotView): boolean {
  return series !== undefined && longest(series) < Math.min((blockNumber ?? 0) + 1, ENOUGH_BLOCKS);
}

function usualSpan(chainId: number | null): number {
  const blockSec = chainId === null ? USUAL_BLOCK_SEC : chainProfile(chainId).feeRule.blockTimeSec;
  return Math.min(Math.max(Math.ceil(blockSec * MOST_BLOCKS), 60), 3_600);
}

/** What the facts of a block or a transaction are told by; they are spread out from `airyFrom` rows on. */
export function useFactsContext(
  { snapshot, symbol, columns, rows }: ExplorerLevelProps,
  airyFrom: number,
): FactsContext {
  const theme = useTheme();
  const now = useNow();
  return {
    width: columns,
    present: presentOf(snapshot, now),
    head: snapshot.blockNumber,
    symbol,
    nativeUsd: snapshot.nativeUsd,
    offsetAt: systemOffset,
    theme,
    airy: rows >= airyFrom,
  };
}

/** Between two blocks that are asked for one after the other: a node or a quota bears four a second. */
const GAP_MS = 250;
/** A service that refuses so often in a row has no such route, or wants to be left alone. */
const MOST_REFUSALS = 2;

/** What a block's own question has brought; `undefined`: nothing yet, or no more. */
export type RowDetails = (number: number) => BlockView | undefined;

interface AskedRow {
  /** The base fee with which it was asked for: another one is another block, after a reorg. */
  readonly baseFee: number | null;
  readonly block: BlockView | undefined;
}

/**
 * The blocks that are on the screen, each asked for once, one after the other, the newest first. As many are kept as
 * the list holds.
 */
export function useRowDetails(rows: readonly BlockRow[], enabled: boolean): RowDetails {
  const { client, frozen, now } = useMonitor();
  const queries = useQueryClient();
  const [asked, setAsked] = useState<ReadonlyMap<number, AskedRow>>(new Map());
  const [refusals, setRefusals] = useState(0);
  const next = rows.find(({ number, baseFee }) => number !== null && asked.get(number)?.baseFee !== baseFee);
  const number = next?.number ?? null;
  const baseFee = next?.baseFee ?? null;
  const active = enabled && !frozen && refusals < MOST_REFUSALS && number !== null;

  useEffect(() => {
    if (!active || number === null) return;
    const calledOff = new AbortController();
    const keep = (block: BlockView | undefined) =>
      setAsked((known) => withLast(known, number, { baseFee, block: block ?? known.get(number)?.block }));
    const timer = setTimeout(async () => {
      try {
        const block = await client.block(number, { signal: calledOff.signal });
        if (calledOff.signal.aborted) return;
        queries.setQueryData<Dated<BlockView>>(['block', number, 'row'], { value: block, at: now() });
        keep(block);
        setRefusals(0);
      } catch {
        if (calledOff.signal.aborted) return;
        // Named nowhere: the list says the same with fewer columns, and opening the block says why.
        keep(undefined);
        setRefusals((count) => count + 1);
      }
    }, GAP_MS);
    return () => {
      clearTimeout(timer);
      calledOff.abort();
    };
  }, [active, number, baseFee, client, queries, now]);
  return (wanted) => asked.get(wanted)?.block;
}

/** With `row` as the last one, and without the first ones where there are too many. */
function withLast(
  known: ReadonlyMap<number, AskedRow>,
  number: number,
  row: AskedRow,
): ReadonlyMap<number, AskedRow> {
  const others = [...known].filter(([other]) => other !== number);
  return new Map([...others.slice(-(MOST_BLOCKS - 1)), [number, row]]);
}

/** Blocks on top of it after which nothing of a block changes any more but their number. */
const SETTLED = 12;

/** One block; asked again with each new head while it may still be replaced. `null`: none is wanted. */
export function useBlock(number: number | null, snapshot: SnapshotView): Polled<Dated<BlockView>> {
  const { client, frozen, now } = useMonitor();
  const head = snapshot.blockNumber;
  return usePolledQuery({
    key: ['block', number],
    enabled: number !== null,
    ask: async (signal) => ({ value: await client.block(number ?? 'latest', { signal }), at: now() }),
    head: snapshot,
    isSettled: () => head !== null && number !== null && head - number >= SETTLED,
    frozen,
  });
}

/** One transaction; asked again with each new head until it is settled. `null`: none is wanted. */
export function useTx(hash: string | null, snapshot: SnapshotView): Polled<Dated<TxView>> {
  const { client, frozen, now } = useMonitor();
  const head = snapshot.blockNumber;
  return usePolledQuery({
    key: ['tx', hash],
    enabled: hash !== null,
    ask: async (signal) => ({ value: await client.tx(hash ?? '', { signal }), at: now() }),
    head: snapshot,
    isSettled: ({ value: { blockNumber } }) =>
      blockNumber !== null && head !== null && head - blockNumber >= SETTLED,
    frozen,
  });
}

const PAGE_SIZE = 100;
/** A window by seconds holds the blocks of fast chains beside the wanted one; more pages than this are not for eyes. */
const MOST_PAGES = 50;

interface BlockTxs {
  /** As the service orders them, as far as they have been asked for. */
  readonly rows: readonly TxRowView[];
  /** More can be asked for. */
  readonly more: boolean;
}

export interface BlockTxsData {
  readonly polled: Polled<BlockTxs>;
  readonly data: BlockTxs | undefined;
  /** Asks for the next page. */
  readonly loadMore: () => void;
}

/** The transactions of a block, page by page. `null`: none are wanted. */
export function useBlockTxs(block: BlockView | null): BlockTxsData {
  const { client, frozen } = useMonitor();
  const queries = useQueryClient();
  const number = block?.blockNumber ?? null;
  const timestamp = block?.timestamp ?? null;
  const id = `${number} ${block?.hash ?? ''}`;
  const [wanted, setWanted] = useState({ id, pages: 1 });
  const pages = wanted.id === id ? wanted.pages : 1;
  const polled = usePolledQuery({
    key: ['block-txs', number, block?.hash ?? null, pages],
    enabled: number !== null && timestamp !== null,
    ask: async (signal): Promise<BlockTxs> => {
      const rows: TxRowView[] = [];
      // The window takes in a second at each side, because services differ in whether its ends belong to it.
      const window = { from: (timestamp ?? 0) - 1_000, to: (timestamp ?? 0) + 1_000, size: PAGE_SIZE };
      let answered = 0;
      let first: string | undefined;
      for (let page = 0; page < MOST_PAGES; page += 1) {
        const answer = await queries.fetchQuery({
          queryKey: ['block-txs-page', number, block?.hash ?? null, page],
          queryFn: () => client.txs({ ...window, page }, { signal }),
          staleTime: Number.POSITIVE_INFINITY,
        });
        // A service that knows no pages gives the same rows again.
        if (page > 0 && answer.rows[0]?.hash === first) return { rows, more: false };
        first ??= answer.rows[0]?.hash;
        answered += answer.rows.length;
        rows.push(...answer.rows.filter((row) => row.blockNumber === null || row.blockNumber === number));
        const ended = answer.rows.length === 0 || answered >= answer.total || isComplete(rows, block);
        if (ended) return { rows, more: false };
        // A page may begin with rows of its neighbours: half a page of its own is as good as one.
        if (rows.length >= (pages - 0.5) * PAGE_SIZE) break;
      }
      return { rows, more: true };
    },
    sameParts: 3,
    frozen,
  });
  const data = polled.data;
  return {
    polled,
    data,
    loadMore: () => {
      if (!polled.pending && data?.more === true) setWanted({ id, pages: pages + 1 });
    },
  };
}

function isComplete(rows: readonly TxRowView[], block: BlockView | null): boolean {
  return block?.transactionCount != null && rows.length >= block.transactionCount;
}
