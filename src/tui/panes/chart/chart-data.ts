import type { CallOptions, GasClient } from '../../../client/client.ts';
import { ClientError } from '../../../client/errors.ts';
import { fittingBucket, type Part, type PriceChartView } from '../../../client/price-chart.ts';
import { timeFrameSec } from '../../../client/values.ts';
import type { ChartView, MarketView } from '../../../client/views/dashboard.ts';
import type { SnapshotView } from '../../../client/views/gas.ts';
import type { BaseFeeRowView, MetricsView, PriorityFeeRowView } from '../../../client/views/metrics.ts';
import { chainProfile } from '../../../core/chains.ts';
import { formatDuration } from '../../../core/units.ts';
import { type Dated, type Polled, useMarket, useMonitor, usePolledQuery } from '../../data/queries.ts';
import type { ChartState } from './chart-state.ts';

/** Missing steps that a value is held over; more are a hole in the history. */
const HELD_STEPS = 3;

/** The usual distance of points: the service's word, unless most points lie farther apart. */
function usualStep(timestamps: readonly number[], bucketSec: number | null): number {
  const gaps = timestamps.slice(1).map((timestamp, i) => timestamp - (timestamps[i] ?? timestamp));
  const middle = gaps.sort((a, b) => a - b)[Math.floor(gaps.length / 2)] ?? 0;
  return Math.max((bucketSec ?? 0) * 1_000, middle, 1_000);
}

/** Reads rows on another grid: those within a slot summed up by `fold`, else the one whose step covers it. */
function alignRows<Row extends { readonly timestamp: number }>(
  rows: readonly Row[],
  value: (row: Row) => number,
  fold: (values: readonly number[]) => number,
  slotMs: number,
): (timestamp: number) => number | null {
  const sorted = [...rows].sort((a, b) => a.timestamp - b.timestamp);
  const times = sorted.map(({ timestamp }) => timestamp);
  const held = Math.max(usualStep(times, null), slotMs) * HELD_STEPS;
  let next = 0;
  // Slots are asked for in order, so one walk through the rows serves them all.
  return (timestamp) => {
    while (next < sorted.length && (times[next] ?? 0) < timestamp) next += 1;
    const within: number[] = [];
    for (let i = next; i < sorted.length && (times[i] ?? 0) < timestamp + slotMs; i += 1) {
      const row = sorted[i];
      if (row) within.push(value(row));
    }
    if (within.length > 0) return fold(within);
    const before = sorted[next - 1];
    return before !== undefined && timestamp - before.timestamp < held ? value(before) : null;
  };
}

/** A `fold` for {@link alignRows}. */
function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** What was fetched together for one look at the chart. Everything in it belongs to its own time frame. */
export interface ChartAnswer {
  readonly timeFrame: string;
  readonly percentile: string;
  readonly chart: PriceChartView;
  /** Tips at `percentile`; `problem`: why the service did not give them. */
  readonly tips: Part<PriorityFeeRowView>;
  /** Extremes within the points, where these sum up many blocks; empty: the points are blocks, or nobody knows. */
  readonly ranges: readonly BaseFeeRowView[];
  /** The window before; `null`: not asked for. */
  readonly previous: Part<BaseFeeRowView> | null;
}

/** One step of the time axis. Wei per gas; `null` where nothing is known. */
export interface ChartSlot {
  /** When it begins, ms. */
  readonly timestamp: number;
  readonly base: number | null;
  /** Lowest and highest base fee of its blocks. */
  readonly low: number | null;
  readonly high: number | null;
  readonly tip: number | null;
  readonly gasUsedRatio: number | null;
  /** The base fee one time frame earlier. */
  readonly previous: number | null;
}

export interface SlotMark {
  readonly index: number;
  readonly timestamp: number;
  /** `SPIKE`, `REGIME_SHIFT`, `ANOMALY`, `ALERT`, `AUTO_TX`, or the service's own word. */
  readonly kind: string;
  /** Wei per gas, where the mark has a price. */
  readonly value: number | null;
}

export interface ChartData {
  readonly timeFrame: string;
  readonly percentile: string;
  readonly slots: readonly ChartSlot[];
  readonly slotMs: number;
  /** The base fee of the newest block; a slot holds the mean of its blocks. */
  readonly nowBase: number | null;
  /** The mean of the finest rows that reach over the whole chart: a slot at its edge may hold fewer blocks than others. */
  readonly meanBase: number | null;
  readonly marks: readonly SlotMark[];
  /** How far back history reaches, in seconds, where that is less than the time frame. */
  readonly reachSec: number | null;
  /** Why the service gives no history; `null`: it gives one. */
  readonly problem: string | null;
  readonly tipsProblem: string | null;
  readonly compared: boolean;
  readonly previousProblem: string | null;
}

const NOTHING = { base: null, low: null, high: null, tip: null, gasUsedRatio: null } as const;

const MOST_SLOTS = 4_000;

/**
 * Puts points, tips, the window before and marks on one time axis.
 *
 * @param head the base fee of the newest block, wei, where it is known: it may be younger than the answer
 */
export function chartData(answer: ChartAnswer, head: number | null = null): ChartData {
  const sorted = [...answer.chart.points].sort((a, b) => a.timestamp - b.timestamp);
  const last = sorted.at(-1)?.timestamp ?? 0;
  const frameSec = timeFrameSec(answer.timeFrame);
  // A word that does not say how long it is means what came.
  const frameMs = frameSec === null ? last - (sorted[0]?.timestamp ?? last) : frameSec * 1_000;
  const points = sorted.filter(({ timestamp }) => timestamp >= last - frameMs);
  const slotMs = usualStep(
    points.map(({ timestamp }) => timestamp),
    answer.chart.bucketSec,
  );
  const ranges = [...answer.ranges].sort((a, b) => a.timestamp - b.timestamp);
  const frame = answer.previous?.rows ?? [];
  const shifted = frame.map((row) => ({ ...row, timestamp: row.timestamp + frameMs }));
  const tipAt = alignRows(answer.tips.rows, (row) => row.value, meanOf, slotMs);
  const previousAt = alignRows(shifted, (row) => row.mean, meanOf, slotMs);
  const lowAt = alignRows(
    ranges,
    (row) => row.min,
    (values) => Math.min(...values),
    slotMs,
  );
  const highAt = alignRows(
    ranges,
    (row) => row.max,
    (values) => Math.max(...values),
    slotMs,
  );
  // The answer's own points carry the median tip, should the finer question not have been answered.
  const median = answer.percentile === 'p50' && answer.tips.rows.length === 0;

  const slots: ChartSlot[] = [];
  for (const point of points) {
    for (const timestamp of missingSteps(slots.at(-1)?.timestamp, point.timestamp, slotMs)) {
      slots.push({ ...NOTHING, timestamp, previous: previousAt(timestamp) });
    }
    const { timestamp, base, priority, gasUsedRatio } = point;
    const asked = median ? priority : tipAt(timestamp);
    // A service that knows no tips may say so by zeros, and an empty block has none; its points tell.
    const tip = (asked === 0 && priority === null) || gasUsedRatio === 0 ? null : asked;
    const low = Math.min(lowAt(timestamp) ?? base, base);
    const high = Math.max(highAt(timestamp) ?? base, base);
    slots.push({ timestamp, base, low, high, tip, gasUsedRatio, previous: previousAt(timestamp) });
  }
  // Blocks may begin well after the first point does; finer rows come nearer to the truth.
  const first = Math.max(slots[0]?.timestamp ?? last, ranges[0]?.timestamp ?? 0);
  const newest = ranges.at(-1);
  const isCovered = newest !== undefined && newest.timestamp + slotMs > last;
  const isWhole = isCovered && (ranges[0]?.timestamp ?? 0) < (slots[0]?.timestamp ?? 0) + slotMs;
  const reachMs = Math.max((isCovered ? newest.timestamp : last) - first, 0);
  return {
    timeFrame: answer.timeFrame,
    percentile: answer.percentile,
    slots,
    slotMs,
    nowBase: head ?? (isCovered ? newest.close : (points.at(-1)?.base ?? null)),
    meanBase: isWhole ? meanOf(ranges.map(({ mean }) => mean)) : null,
    marks: marksOf(answer.chart, slots, slotMs),
    reachSec: slots.length > 0 && reachMs < frameMs * 0.97 - 2 * slotMs ? reachMs / 1_000 : null,
    problem: answer.chart.problem,
    tipsProblem: answer.tips.problem,
    compared: answer.previous !== null,
    previousProblem: answer.previous?.problem ?? null,
  };
}

/** The slot that shows moment `timestamp`: the last that begins no later, the first for what is before all. */
export function slotAt(slots: readonly ChartSlot[], timestamp: number): number {
  const after = slots.findIndex((slot) => slot.timestamp > timestamp);
  return after < 0 ? Math.max(slots.length - 1, 0) : Math.max(after - 1, 0);
}

function missingSteps(before: number | undefined, next: number, slotMs: number): readonly number[] {
  if (before === undefined || next - before <= HELD_STEPS * slotMs) return [];
  const count = Math.min(Math.round((next - before) / slotMs) - 1, MOST_SLOTS);
  return Array.from({ length: count }, (_, i) => before + ((i + 1) * (next - before)) / (count + 1));
}

function marksOf(chart: ChartView, slots: readonly ChartSlot[], slotMs: number): readonly SlotMark[] {
  const [first] = slots;
  const last = slots.at(-1);
  if (!first || !last) return [];
  return [
    ...chart.anomalies,
    ...chart.events.map(({ timestamp, kind }) => ({ timestamp, kind, value: null })),
  ]
    .filter(({ timestamp }) => timestamp >= first.timestamp && timestamp < last.timestamp + slotMs)
    .sort((a, b) => a.timestamp - b.timestamp)
    .map((mark) => ({ ...mark, index: slotAt(slots, mark.timestamp) }));
}

interface ChartRequest {
  readonly timeFrame: string;
  readonly percentile: string;
  readonly compare: boolean;
  /** The chain's block time, to see whether single blocks are few enough; `null` where unknown. */
  readonly blockTimeSec: number | null;
}

/**
 * Everything that one look at the chart needs, as of one moment. Windows are told by the chart's own clock,
 * which in a replay is not ours. What only a part is missing for is said in that part's `problem`.
 */
export async function loadChart(
  client: GasClient,
  request: ChartRequest,
  options: CallOptions,
): Promise<ChartAnswer> {
  const { timeFrame, percentile, compare } = request;
  const chart = await client.chart(timeFrame, { ...options, percentile });
  const first = chart.points[0]?.timestamp;
  const last = chart.points.at(-1)?.timestamp;
  if (first === undefined || last === undefined || last <= first) {
    const nothing = { rows: [], problem: null };
    return { timeFrame, percentile, chart, tips: nothing, ranges: [], previous: compare ? nothing : null };
  }

  const frameMs = frameMsOf(timeFrame, chart);
  const start = Math.max(first, last - frameMs);
  // The last point begins then; the newest block is within it.
  const to = last + Math.max(chart.bucketSec ?? 1, 1) * 1_000;
  // A young history is read block by block, whatever its frame will hold one day.
  const bucket = fittingBucket((to - start) / 1_000, request.blockTimeSec);
  const window = { from: start, to, bucket };
  const [tips, ranges, previous] = await Promise.all([
    chart.made?.tips ?? partOf(() => client.priorityFee({ ...window, percentile }, options)),
    // A block has no extremes within it.
    chart.made?.baseFees ??
      (bucket === 'block' && (chart.bucketSec ?? 0) <= (request.blockTimeSec ?? 0)
        ? null
        : partOf(() => client.baseFee(window, options))),
    compare
      ? partOf(
          () => client.baseFee({ from: start - frameMs, to: to - frameMs, bucket }, options),
          reachText(timeFrame, chart),
        )
      : null,
  ]);
  return { timeFrame, percentile, chart, tips, ranges: ranges?.rows ?? [], previous };
}

/** A part that the service refuses is told in its place; a service that does not answer fails the whole. */
async function partOf<Row>(
  request: () => Promise<MetricsView<Row>>,
  ifInvalid: string | null = null,
): Promise<Part<Row>> {
  try {
    return { rows: (await request()).rows, problem: null };
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    switch (error.code) {
      case 'invalid':
        return { rows: [], problem: ifInvalid ?? error.message };
      case 'not-found':
      case 'plan':
      case 'server':
      case 'unreadable':
        return { rows: [], problem: error.message };
      default:
        throw error;
    }
  }
}

/** Why there is no window before: how far history reaches, and how far it would have to. */
function reachText(timeFrame: string, chart: ChartView): string {
  const { points } = chart;
  const shownSec = ((points.at(-1)?.timestamp ?? 0) - (points[0]?.timestamp ?? 0)) / 1_000;
  const neededSec = (2 * frameMsOf(timeFrame, chart)) / 1_000;
  return `history reaches back ${formatDuration(shownSec)}, two windows of ${timeFrame} need ${formatDuration(neededSec)}`;
}

/** A time frame that does not say how long it is means what came. */
function frameMsOf(timeFrame: string, { points }: ChartView): number {
  const sec = timeFrameSec(timeFrame);
  return sec === null ? (points.at(-1)?.timestamp ?? 0) - (points[0]?.timestamp ?? 0) : sec * 1_000;
}

/** The longer the frame the less one block changes it, and the more an answer costs the service. */
function leastMs(timeFrame: string): number {
  const sec = timeFrameSec(timeFrame) ?? 86_400;
  if (sec <= 3_600) return 0;
  if (sec <= 86_400) return 30_000;
  return sec <= 604_800 ? 120_000 : 300_000;
}
const HEATMAP_MS = 300_000;
/** A young history fills an hour's place soon. */
const FRESH_HOURS_MS = 30_000;

/**
 * What the chart shows. While the answer to a new choice is awaited `data` is still the old one: it says itself
 * which time frame and percentile it is of, and `pending` that another is on its way.
 */
export function useChartData(state: ChartState, snapshot: SnapshotView): Polled<Dated<ChartAnswer>> {
  const { client, frozen, now } = useMonitor();
  const { timeFrame, percentile, compare, heatmap } = state;
  const { chainId } = snapshot;
  const blockTimeSec = chainId === null ? null : chainProfile(chainId).feeRule.blockTimeSec;
  const polled = usePolledQuery({
    key: ['chart-pane', timeFrame, percentile, compare ? 'compared' : null, blockTimeSec],
    enabled: !heatmap,
    ask: async (signal) => {
      const value = await loadChart(client, { timeFrame, percentile, compare, blockTimeSec }, { signal });
      return { value, at: now() };
    },
    head: snapshot,
    leastMs: leastMs(timeFrame),
    sameParts: 1,
    frozen,
  });
  return { ...polled, pending: polled.data !== undefined && isOther(polled.data.value, state) };
}

/** Whether the data is still of an older choice. */
function isOther({ timeFrame, percentile, previous }: ChartAnswer, state: ChartState): boolean {
  return (
    timeFrame !== state.timeFrame || percentile !== state.percentile || (previous !== null) !== state.compare
  );
}

/** Mean base fees by hour of the week, asked for only while they are shown. */
export function useHeatmap(shown: boolean, timeFrame: string): Polled<Dated<MarketView>> {
  const { intervalMs } = useMonitor();
  return useMarket(timeFrame, {
    enabled: shown,
    everyMs: Math.max(intervalMs, HEATMAP_MS),
    freshMs: Math.max(intervalMs, FRESH_HOURS_MS),
  });
}
