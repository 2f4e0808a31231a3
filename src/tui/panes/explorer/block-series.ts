import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useRef } from 'react';
import type { CallOptions, GasClient, MetricsQuery } from '../../../client/client.ts';
import { ClientError } from '../../../client/errors.ts';
import { REFUSALS } from '../../../client/price-chart.ts';
import type { SnapshotView } from '../../../client/views/gas.ts';
import type { BlockView, MetricsView } from '../../../client/views/metrics.ts';
import { chainProfile } from '../../../core/chains.ts';
import { type Dated, useMonitor, useMonitorQuery } from '../../data/queries.ts';
import { missingReason } from '../../ui/pane-state.tsx';

export const MOST_BLOCKS = 240;
/** With fewer blocks the window is extended. */
const ENOUGH_BLOCKS = 60;
const HOUR_SEC = 3_600;
const USUAL_BLOCK_SEC = 12;

type BlockSeries = Awaited<ReturnType<typeof loadSeries>>;

const longest = ({ baseFees, gasUsedRatios, tips }: BlockSeries) =>
  Math.max(baseFees.length, gasUsedRatios.length, tips.length);

interface SeriesRequest {
  readonly end: number | null;
  readonly spanSec: number;
  readonly spread: boolean;
}

/** The newest blocks; a window that starts before the history is requested without its start. */
async function loadSeries(client: GasClient, { end, spanSec, spread }: SeriesRequest, options: CallOptions) {
  const bucket = 'block';
  const window = end === null ? {} : { from: end - spanSec * 1_000, to: end + 1_000 };
  const refusals: { readonly name: string; readonly error: ClientError }[] = [];
  const part = async <Row>(name: string, request: (query: MetricsQuery) => Promise<MetricsView<Row>>) => {
    try {
      const response = await request({ ...window, bucket }).catch((error: unknown) => {
        // Before the start of the history, the last hour has all available blocks.
        if (end === null || !(error instanceof ClientError) || error.code !== 'invalid') throw error;
        return request({ bucket });
      });
      return response.rows;
    } catch (error) {
      if (!(error instanceof ClientError) || !REFUSALS.includes(error.code)) throw error;
      refusals.push({ name, error });
      return [];
    }
  };
  const tipsAt = (name: string, percentile: string) =>
    part(name, (query) => client.priorityFee({ ...query, percentile }, options));
  const [baseFees, gasUsedRatios, tips, lowTips, highTips] = await Promise.all([
    part('base fees', (query) => client.baseFee(query, options)),
    part('fullness', (query) => client.gasUsedRatio(query, options)),
    tipsAt('tips', 'p50'),
    spread ? tipsAt('low tips', 'p25') : [],
    spread ? tipsAt('high tips', 'p95') : [],
  ]);
  const [first] = refusals;
  if (first !== undefined && refusals.length === (spread ? 5 : 3)) throw first.error;
  const missing = refusals.map(({ name, error }) => `no ${name}: ${missingReason(error, false)}`);
  return { baseFees, gasUsedRatios, tips, lowTips, highTips, missing };
}

/** The latest blocks: loaded when shown, and refetched at every new head. */
export function useBlockList(snapshot: SnapshotView, isWide: boolean) {
  const { intervalMs, isOwnService = false } = useMonitor();
  const { chainId, blockTimestamp: end } = snapshot;
  // A remote service counts requests, and the block routes have the spread too.
  const spread = isWide && isOwnService;
  const blockSec = chainId === null ? USUAL_BLOCK_SEC : chainProfile(chainId).feeRule.blockTimeSec;
  // The next request uses the window that was long enough.
  const span = useRef(Math.min(Math.max(Math.ceil(blockSec * MOST_BLOCKS), 60), HOUR_SEC));
  const polled = useMonitorQuery({
    key: ['block-list', chainId, spread],
    ask: async (client, signal) => {
      const load = () => loadSeries(client, { end, spread, spanSec: span.current }, { signal });
      let value = await load();
      // When blocks are rare the window grows up to an hour.
      while (end !== null && span.current < HOUR_SEC && longest(value) < ENOUGH_BLOCKS) {
        span.current = Math.min(span.current * 4, HOUR_SEC);
        value = await load();
      }
      return value;
    },
    head: snapshot,
    // The embedded service has its newest block before those behind it.
    everyMs: (data) => {
      const known = data === undefined ? Number.POSITIVE_INFINITY : longest(data);
      return isOwnService && known < Math.min((snapshot.blockNumber ?? 0) + 1, ENOUGH_BLOCKS)
        ? intervalMs
        : null;
    },
  });
  const series = polled.data;
  const rows = useMemo(() => (series === undefined ? [] : blockRows(series, snapshot)), [series, snapshot]);
  return { polled, rows };
}

/** One block of the list; prices in wei per gas. `null`: unknown. */
export interface BlockRow {
  /** `null` for a service that returns rows by time only; such a block cannot be opened. */
  readonly number: number | null;
  readonly timestamp: number;
  readonly baseFee: number | null;
  readonly change: number | null;
  readonly gasUsedRatio: number | null;
  readonly tip: number | null;
  readonly spread: { readonly low: number; readonly high: number } | null;
  readonly details: BlockView | null;
}

const BLANK = { baseFee: null, change: null, gasUsedRatio: null, tip: null, spread: null, details: null };

/** The newest blocks first; the head appears as soon as the snapshot has it. */
function blockRows(series: BlockSeries, snapshot: SnapshotView): readonly BlockRow[] {
  const rows = new Map<string, BlockRow>();
  const put = (key: string, { blockNumber: number, timestamp }: At, value: Partial<BlockRow>) =>
    rows.set(key, { ...(rows.get(key) ?? { ...BLANK, number, timestamp }), ...value });
  for (const [key, row] of keyed(series.baseFees)) put(key, row, { baseFee: row.mean });
  for (const [key, row] of keyed(series.gasUsedRatios)) put(key, row, { gasUsedRatio: row.mean });
  // A block without transactions has no tips, even if the response has values.
  const isEmpty = (key: string) => rows.get(key)?.gasUsedRatio === 0;
  for (const [key, row] of keyed(series.tips)) put(key, row, { tip: isEmpty(key) ? null : row.value });
  const highs = new Map(keyed(series.highTips));
  for (const [key, row] of keyed(series.lowTips)) {
    const high = highs.get(key)?.value;
    if (high !== undefined && !isEmpty(key)) put(key, row, { spread: { low: row.value, high } });
  }
  const { blockNumber, blockTimestamp: timestamp, baseFee, gasUsedRatio } = snapshot;
  if (blockNumber !== null && timestamp !== null && !rows.has(String(blockNumber))) {
    put(String(blockNumber), { timestamp, blockNumber }, { baseFee: Number(baseFee), gasUsedRatio });
  }
  const newest = [...rows.values()].sort((one, other) =>
    one.number !== null && other.number !== null
      ? other.number - one.number
      : other.timestamp - one.timestamp,
  );
  return newest
    .map((row, place) => ({ ...row, change: changeOf(row, newest[place + 1]) }))
    .slice(0, MOST_BLOCKS);
}

interface At {
  readonly timestamp: number;
  readonly blockNumber: number | null;
}

/** The key of a block's rows: its number or, without one, its second and index in it (services round differently). */
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

function changeOf({ number, baseFee }: BlockRow, before: BlockRow | undefined): number | null {
  if (before === undefined || baseFee === null || before.baseFee === null || before.baseFee === 0)
    return null;
  return number !== null && before.number !== number - 1 ? null : baseFee / before.baseFee - 1;
}

/** Pause between two block requests: a node or a quota allows four a second. */
const GAP_MS = 250;
/** After this many refusals the service has no such route, or is throttling. */
const MOST_REFUSALS = 2;

/** Adds details of the block route, requested once each, in sequence, newest first, and again after a reorg. */
export function useRowDetails(rows: readonly BlockRow[], enabled: boolean): readonly BlockRow[] {
  const { client, frozen, now } = useMonitor();
  const queries = useQueryClient();
  // An opened block uses the same cache key.
  const keyOf = ({ number, baseFee }: BlockRow) => ['block', number, `row ${baseFee}`];
  const stateOf = (row: BlockRow) => queries.getQueryState<Dated<BlockView>>(keyOf(row));
  const next = rows.find((row) => row.number !== null && (stateOf(row)?.status ?? 'pending') === 'pending');
  const refusals = rows.filter((row) => stateOf(row)?.status === 'error').length;
  const number = next?.number ?? 0;
  useQuery({
    queryKey: next === undefined ? ['block', null, 'row'] : keyOf(next),
    enabled: enabled && !frozen && next !== undefined && refusals < MOST_REFUSALS,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }): Promise<Dated<BlockView>> => {
      await new Promise((resolve) => setTimeout(resolve, GAP_MS));
      signal.throwIfAborted();
      const value = await client.block(number, { signal });
      const isOld = (of: unknown) => typeof of === 'number' && Math.abs(of - number) >= MOST_BLOCKS;
      queries.removeQueries({
        queryKey: ['block'],
        type: 'inactive',
        predicate: ({ queryKey: [, of, head] }) => String(head).startsWith('row ') && isOld(of),
      });
      return { value, at: now() };
    },
  });
  return rows.map((row) => withDetails(row, stateOf(row)?.data?.value));
}

function withDetails(row: BlockRow, details: BlockView | undefined): BlockRow {
  if (details === undefined) return row;
  const { p25: low, p95: high } = details.tips ?? {};
  const isKnown = details.gasUsedRatio !== 0 && low !== undefined && high !== undefined;
  const spread = row.spread ?? (isKnown ? { low, high } : null);
  return { ...row, spread, gasUsedRatio: details.gasUsedRatio ?? row.gasUsedRatio, details };
}
