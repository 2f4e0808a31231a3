import * as z from 'zod';
import { unlessRefused } from '../../../client/errors.ts';
import type { GasClient } from '../../../client/gas-client.ts';
import { offeredValues, type ServiceDescription } from '../../../client/openapi.ts';
import type { ChartPart } from '../../../client/price-chart.ts';
import type { CallOptions } from '../../../client/requests.ts';
import { timeFrameSec } from '../../../client/values.ts';
import { type ChartView, type MarketView, statsAt } from '../../../client/views/dashboard.ts';
import type { SnapshotView } from '../../../client/views/gas.ts';
import type { MetricsView } from '../../../client/views/metrics.ts';
import { BUCKET_SEC, fittingBucket, PERCENTILES, TIME_FRAMES } from '../../../contract/choices.ts';
import { PATHS } from '../../../contract/routes.ts';
import { chainProfile } from '../../../core/chains.ts';
import { MINUTE_MS } from '../../../core/time.ts';
import { formatSpan } from '../../../core/units.ts';
import { useShownSnapshot } from '../../data/monitor-context.ts';
import { useMonitorQuery } from '../../data/polled-query.ts';
import { useRemembered } from '../../data/remembered.ts';
import { DRAWINGS, type Drawing } from '../../ui/chart-lines.ts';
import { AXES, type Axis, readableAxis } from '../../ui/chart-scale.ts';
import { fillsFrame, longestTimeFrame, shortStart } from '../../ui/time.ts';

/** The choices of `t` and `p`, at least one each: those that the service names, otherwise the contract's. */
export function chartChoices(description: ServiceDescription | null | undefined) {
  const percentiles = offeredValues(description, PATHS.priorityFee, 'percentile') ?? PERCENTILES;
  // Tips that get a transaction included, not those that nearly do.
  const useful = percentiles.filter((word) => Number(/^p?(\d{1,2}(?:\.\d+)?)$/i.exec(word)?.[1] ?? 50) >= 50);
  return {
    timeFrames: offeredValues(description, PATHS.statsChart, 'timeFrame') ?? TIME_FRAMES,
    percentiles: useful.length === 0 ? percentiles : useful,
  };
}

export function choiceOf(offered: readonly string[], wanted: string, by = 0): string {
  return offered[(Math.max(offered.indexOf(wanted), 0) + by) % offered.length] ?? wanted;
}

/** The time frame of the hours of the week: a month, or as much as the service has, at least a day by v1. */
export function hoursTimeFrame(description: ServiceDescription | null | undefined): string {
  if (description === null) return '24h';
  const offered = offeredValues(description, PATHS.statsMarket, 'timeFrame') ?? TIME_FRAMES;
  return offered.includes('30d') ? '30d' : (longestTimeFrame(offered) ?? '24h');
}

/** The values of one step of the time axis, wei per gas; `null` when unknown. */
export type ChartSlot = Timed &
  Readonly<Record<'base' | 'low' | 'high' | 'tip' | 'gasUsedRatio' | 'previous', number | null>>;
export type ChartData = ReturnType<typeof chartData>;

type Timed = { readonly timestamp: number };

/** Missing steps that a value is held over; more count as a hole. */
const HELD_STEPS = 3;
const MOST_SLOTS = 4_000;
const HOLE = { base: null, low: null, high: null, tip: null, gasUsedRatio: null } as const;

const byTime = <Row extends Timed>(rows: readonly Row[]): Row[] =>
  rows.toSorted((a, b) => a.timestamp - b.timestamp);
export const meanOrNull = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value / values.length, 0);

function usualStep(rows: readonly Timed[], bucketSec: number | null): number {
  const gaps = rows.slice(1).map(({ timestamp }, i) => timestamp - (rows[i]?.timestamp ?? timestamp));
  const middle = gaps.sort((a, b) => a - b)[Math.floor(gaps.length / 2)] ?? 0;
  return Math.max((bucketSec ?? 0) * 1_000, middle, 1_000);
}

/** The rows within the slot that starts at a time, or the row before while it is held. */
function rowsOfSlot<Row extends Timed>(rows: readonly Row[], slotMs: number): (at: number) => readonly Row[] {
  const sorted = byTime(rows);
  const heldMs = Math.max(usualStep(sorted, null), slotMs) * HELD_STEPS;
  return (at) => {
    const within = sorted.filter(({ timestamp }) => timestamp >= at && timestamp < at + slotMs);
    const before = sorted.findLast(({ timestamp }) => timestamp < at && at - timestamp < heldMs);
    return within.length > 0 || before === undefined ? within : [before];
  };
}

/** Of the newest block, which may be younger than the chart: prices in wei per gas, time in ms. */
interface ChartHead {
  readonly base: number;
  /** `undefined`: not known yet, or not from this service. */
  readonly tip: number | null | undefined;
  readonly gasUsedRatio: number | null;
  readonly timestamp: number | null;
}

/** What the chart shows. `market`: the service's own figures of that time frame, where it has them. `isFilling`: more history is being read. */
export function chartData(
  response: Omit<ChartResponses, 'extremes'> & Partial<ChartResponses>,
  head: Partial<ChartHead> = {},
  market?: MarketView,
  isFilling = false,
) {
  const { timeFrame, percentile, chart, tips, previous } = response;
  const frameMs = frameMsOf(timeFrame, chart);
  const all = byTime(chart.points);
  const last = all.at(-1)?.timestamp ?? 0;
  const points = all.filter(({ timestamp }) => timestamp >= last - frameMs);
  const slotMs = usualStep(points, chart.bucketSec);
  const ranges = byTime(response.ranges);
  const tipsAt = rowsOfSlot(tips.rows, slotMs);
  const rangesAt = rowsOfSlot(ranges, slotMs);
  const tipStepMs = Math.max(slotMs, usualStep(byTime(tips.rows), null));
  const previousRowsAt = rowsOfSlot(previous?.rows ?? [], slotMs);
  const previousAt = (at: number) => meanOrNull(previousRowsAt(at - frameMs).map(({ mean }) => mean));
  // The response's own points have the median tip, in case the finer request failed.
  const isMedian = percentile === 'p50' && tips.rows.length === 0;

  const slots: ChartSlot[] = [];
  for (const { timestamp, base, priority, gasUsedRatio } of points) {
    for (const missing of missingSteps(slots.at(-1)?.timestamp, timestamp, slotMs)) {
      slots.push({ ...HOLE, timestamp: missing, previous: previousAt(missing) });
    }
    const asked = isMedian ? priority : meanOrNull(tipsAt(timestamp).map(({ value }) => value));
    // A service without tips may return zeros, and an empty block has none; the points tell.
    const tip = (asked === 0 && priority === null) || gasUsedRatio === 0 ? null : asked;
    const within = rangesAt(timestamp);
    const low = Math.min(base, ...within.map(({ min }) => min));
    const high = Math.max(base, ...within.map(({ max }) => max));
    slots.push({ timestamp, base, low, high, tip, gasUsedRatio, previous: previousAt(timestamp) });
  }
  // The first block may be well after its slot's start, and the newest after that of the last; finer rows tell.
  const start = Math.max(slots[0]?.timestamp ?? last, ranges[0]?.timestamp ?? 0);
  const reachMs = Math.max(last, ranges.at(-1)?.timestamp ?? 0) - start;
  const isShort = slots.length > 0 && reachMs < frameMs * 0.97 - 2 * slotMs;
  // The chart may have blocks that the shown head has not, and the other way round.
  const newest = slots.findLast((slot) => slot.timestamp <= (head.timestamp ?? last)) ?? slots.at(-1);
  const base = head.base ?? newest?.base ?? null;
  return {
    timeFrame,
    percentile,
    slots,
    slotMs,
    now: {
      base,
      tip: head.tip === undefined ? (newest?.tip ?? null) : head.tip,
      gasUsedRatio: head.gasUsedRatio ?? newest?.gasUsedRatio ?? null,
      timestamp: head.timestamp ?? newest?.timestamp ?? last,
    },
    /** Of the market route, as the Service tab states them. */
    spread:
      market?.timeFrame === timeFrame && market.base && base !== null ? statsAt(market.base, base) : null,
    // Of the finest rows, because a slot at the edge may hold fewer blocks.
    meanBase: meanOrNull(ranges.length > 0 ? ranges.map(({ mean }) => mean) : points.map(({ base }) => base)),
    marks: marksOf(chart, slots, slotMs),
    /** The single blocks with the lowest and the highest base fee. */
    extremes: response.extremes ?? { lowest: null, highest: null },
    /** How long a mean tip is over, ms; `null`: the tips are those of single blocks. */
    tipMeansMs: response.isByBlock || tipStepMs < MINUTE_MS ? null : tipStepMs,
    /** How far history reaches, if that is less than the time frame. */
    reachSec: isShort ? reachMs / 1_000 : null,
    isFilling,
    problem: chart.problem,
    tipsProblem: tips.problem,
    compared: previous !== null,
    previousProblem: previous?.problem ?? null,
    /** Of single blocks. */
    previousExtremes: extremesOf(previous?.rows ?? []),
    previousReachSec: previous === null ? null : coveredSec(previous.rows, frameMs),
  };
}

type Range = Timed & { readonly min: number; readonly max: number };

/** The rows with the lowest and the highest value, the newest of several; `null` without rows. */
function extremesOf<Row extends Range>(rows: readonly Row[]) {
  const [first] = rows;
  if (first === undefined) return null;
  const lowest = rows.reduce((one, other) => (other.min <= one.min ? other : one), first);
  const highest = rows.reduce((one, other) => (other.max >= one.max ? other : one), first);
  return { lowest, highest };
}

/** How much of the window before is stored, if that is less than the whole. */
function coveredSec(rows: readonly Timed[], frameMs: number): number | null {
  const sorted = byTime(rows);
  const [first, last] = [sorted[0], sorted.at(-1)];
  const ownMs = first && last ? last.timestamp - first.timestamp + usualStep(sorted, null) : 0;
  return fillsFrame(ownMs, frameMs) ? null : ownMs / 1_000;
}

export function slotAt(slots: readonly ChartSlot[], timestamp: number): number {
  return Math.max(
    slots.findLastIndex((slot) => slot.timestamp <= timestamp),
    0,
  );
}

function missingSteps(before: number | undefined, next: number, slotMs: number): readonly number[] {
  if (before === undefined || next - before <= HELD_STEPS * slotMs) return [];
  const count = Math.min(Math.round((next - before) / slotMs) - 1, MOST_SLOTS);
  return Array.from({ length: count }, (_, i) => before + ((i + 1) * (next - before)) / (count + 1));
}

/** `SPIKE`, `REGIME_SHIFT`, `ANOMALY`, `ALERT`, `AUTO_TX`, or other kinds of the service, by their slots. */
function marksOf({ anomalies, events }: ChartView, slots: readonly ChartSlot[], slotMs: number) {
  const from = slots[0]?.timestamp ?? Number.POSITIVE_INFINITY;
  const to = (slots.at(-1)?.timestamp ?? 0) + slotMs;
  return byTime([...anomalies, ...events.map((event) => ({ ...event, value: null }))])
    .filter(({ timestamp }) => timestamp >= from && timestamp < to)
    .map(({ timestamp, kind, value }) => ({ timestamp, kind, value, index: slotAt(slots, timestamp) }));
}

/** A time frame of unknown length is as long as its data. */
function frameMsOf(timeFrame: string, { points }: ChartView): number {
  const sec = timeFrameSec(timeFrame);
  const ownMs = (points.at(-1)?.timestamp ?? 0) - (points[0]?.timestamp ?? 0);
  return sec === null ? ownMs : sec * 1_000;
}

interface ChartRequest {
  readonly timeFrame: string;
  readonly percentile: string;
  readonly compare: boolean;
  /** Block time of the chain, to decide whether single blocks are few enough; `null` when unknown. */
  readonly blockTimeSec: number | null;
}

export type ChartResponses = Awaited<ReturnType<typeof loadChart>>;

/** Loads all data of one chart update by the chart's own clock; a missing part has its reason in `problem`. */
export async function loadChart(
  client: GasClient,
  { timeFrame, percentile, compare, blockTimeSec }: ChartRequest,
  options: CallOptions,
) {
  const chart = await client.chart(timeFrame, { ...options, percentile });
  const first = chart.points[0]?.timestamp ?? 0;
  const last = chart.points.at(-1)?.timestamp ?? 0;
  const frameMs = frameMsOf(timeFrame, chart);
  const from = Math.max(first, last - frameMs);
  // The last point starts then; the newest block is within it.
  const to = last + Math.max(chart.bucketSec ?? 1, 1) * 1_000;
  // A young history is read block by block, however long its frame.
  const bucket = fittingBucket((to - from) / 1_000, blockTimeSec);
  const areBlocks = bucket === 'block' && (chart.bucketSec ?? 0) <= (blockTimeSec ?? 0);
  const before = { from: from - frameMs, to: to - frameMs, bucket };
  // How far history reaches is in the title, where that is less than one window.
  const tooYoung = `two windows of ${timeFrame} need ${formatSpan((2 * frameMs) / 1_000)} of history`;
  /** A refused part is reported in its place; if the service does not respond, everything fails. */
  const part = async <Row>(
    request: () => Promise<MetricsView<Row>>,
    ifInvalid?: string,
  ): Promise<ChartPart<Row>> => {
    if (last <= first) return { rows: [], problem: null };
    const { found, error } = await unlessRefused(request());
    const problem = error && ((error.code === 'invalid' ? ifInvalid : undefined) ?? error.message);
    return { rows: found?.rows ?? [], problem };
  };
  const [tips, ranges, previous] = await Promise.all([
    chart.made?.tips ?? part(() => client.priorityFee({ from, to, bucket, percentile }, options)),
    chart.made?.baseFees ?? (areBlocks ? null : part(() => client.baseFee({ from, to, bucket }, options))),
    compare ? part(() => client.baseFee(before, options), tooYoung) : null,
  ]);
  const isMissing = previous !== null && previous.rows.length === 0 && previous.problem === null;
  const ofPoints = chart.points.map(({ timestamp, base }) => ({ timestamp, min: base, max: base }));
  const within = extremesOf<Range>(areBlocks ? ofPoints : (ranges?.rows ?? []));
  const isCoarse = bucket !== 'block' && BUCKET_SEC[bucket] > BUCKET_SEC['1m'] && chart.made === null;
  /** By its minute, which a long bucket does not tell. */
  const atMinute = async (row: Range, side: 'min' | 'max') => {
    const at = { value: row[side], timestamp: row.timestamp };
    if (!isCoarse) return at;
    const inside = { from: row.timestamp, to: row.timestamp + BUCKET_SEC[bucket] * 1_000 - 1_000 };
    const { rows } = await part(() => client.baseFee({ ...inside, bucket: '1m' }, options));
    return { ...at, timestamp: rows.find((minute) => minute[side] === row[side])?.timestamp ?? at.timestamp };
  };
  const [lowest, highest] = await Promise.all(
    within === null ? [] : [atMinute(within.lowest, 'min'), atMinute(within.highest, 'max')],
  );
  return {
    timeFrame,
    percentile,
    chart,
    tips,
    /** Each point is a block, the newest one the head. */
    isByBlock: areBlocks && chart.made === null,
    ranges: ranges?.rows ?? [],
    extremes: { lowest: lowest ?? null, highest: highest ?? null },
    previous: isMissing ? { rows: [], problem: tooYoung } : previous,
  };
}

/** The longer the frame, the less one block changes it, and the more a response costs the service. */
function freshMs(timeFrame: string): number {
  const sec = timeFrameSec(timeFrame) ?? 86_400;
  return sec <= 3_600 ? 0 : Math.min(sec / 3, 300_000);
}

/** `auto`: whichever makes a price readable. */
const AXIS_CHOICES = ['auto', ...AXES] as const;
type AxisChoice = (typeof AXIS_CHOICES)[number];

export function useChartData(choices: Omit<ChartRequest, 'blockTimeSec'>, enabled: boolean) {
  const head = useShownSnapshot();
  const { timeFrame, percentile, compare } = choices;
  const blockTimeSec = head.chainId === null ? null : chainProfile(head.chainId).feeRule.blockTimeSec;
  return useMonitorQuery({
    key: ['chart-pane', timeFrame, percentile, compare ? 'compared' : null, blockTimeSec],
    enabled,
    ask: (client, signal) => loadChart(client, { timeFrame, percentile, compare, blockTimeSec }, { signal }),
    shortFrom: ({ chart, previous }) => {
      const [first, last] = [chart.points[0]?.timestamp, chart.points.at(-1)?.timestamp ?? null];
      const end = last && last + (chart.bucketSec ?? 0) * 1_000;
      const own = shortStart(first ?? Number.POSITIVE_INFINITY, end ?? 0, timeFrame);
      if (own !== null || previous === null || end === null) return own;
      const before = Math.min(...previous.rows.map(({ timestamp }) => timestamp), first ?? end);
      return shortStart(before, end - frameMsOf(timeFrame, chart), timeFrame);
    },
    head,
    freshMs: freshMs(timeFrame),
    keepsPrevious: true,
  });
}

const AxisWord = z.enum(AXIS_CHOICES);
const DrawingWord = z.enum(DRAWINGS);

/** How charts are drawn, on every tab. */
export function useChartLook() {
  const [axis, setAxis] = useRemembered<AxisChoice>('chart-axis', AxisWord, 'auto');
  const [drawing, setDrawing] = useRemembered<Drawing>('chart-drawing', DrawingWord, 'line');
  return { axis, setAxis, drawing, setDrawing };
}

/** The axis of each price. */
export function axesOf(
  { slots }: Pick<ChartData, 'slots'>,
  choice: AxisChoice,
): Record<'base' | 'tip', Axis> {
  if (choice !== 'auto') return { base: choice, tip: choice };
  const values = (name: 'base' | 'tip' | 'high') => slots.flatMap((slot) => slot[name] ?? []);
  return {
    base: readableAxis(values('base'), Math.max(...values('base'), ...values('high'))),
    tip: readableAxis(values('tip')),
  };
}

/** The next choice that looks different; of two that look alike the automatic one. */
export function nextAxis(data: ChartData, choice: AxisChoice): AxisChoice {
  const look = (of: AxisChoice) => Object.values(axesOf(data, of)).join();
  const place = AXIS_CHOICES.indexOf(choice);
  const after = [...AXIS_CHOICES.slice(place), ...AXIS_CHOICES.slice(0, place)];
  const next = after.find((each) => look(each) !== look(choice)) ?? choice;
  return look(next) === look('auto') ? 'auto' : next;
}

/** The tip of one percentile in the newest block, wei per gas, for a chart that is not made of single blocks. */
export function useHeadTip(percentile: string, head: SnapshotView, enabled: boolean) {
  const at = head.blockTimestamp;
  return useMonitorQuery<number | null>({
    key: ['head-tip', percentile],
    enabled: enabled && at !== null,
    ask: async (client, signal) => {
      const window = { from: at ?? 0, to: (at ?? 0) + 1_000, bucket: 'block' } as const;
      const { rows } = await client.priorityFee({ ...window, percentile }, { signal });
      // An empty block has none.
      return head.gasUsedRatio === 0 ? null : (rows.at(-1)?.value ?? null);
    },
    head,
  }).data;
}
