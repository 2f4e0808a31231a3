import type { ChartView } from '../../../client/views/dashboard.ts';
import type { BaseFeeRowView, PriorityFeeRowView } from '../../../client/views/metrics.ts';
import { timeFrameSec } from '../../ui/time.ts';
import { alignRows, HELD_STEPS, meanOf, usualStep } from './align-rows.ts';

/** What was fetched together for one look at the chart. Everything in it belongs to its own time frame. */
export interface ChartAnswer {
  readonly timeFrame: string;
  readonly percentile: string;
  readonly chart: ChartView;
  /** Tips at `percentile`; `problem`: why the service did not give them. */
  readonly tips: { readonly rows: readonly PriorityFeeRowView[]; readonly problem: string | null };
  /** Extremes within the points, where these sum up many blocks; empty: the points are blocks, or nobody knows. */
  readonly ranges: readonly BaseFeeRowView[];
  /** The window before; `null`: not asked for. */
  readonly previous: { readonly rows: readonly BaseFeeRowView[]; readonly problem: string | null } | null;
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
  readonly marks: readonly SlotMark[];
  /** How far back history reaches, in seconds, where that is less than the time frame. */
  readonly reachSec: number | null;
  readonly tipsProblem: string | null;
  readonly compared: boolean;
  readonly previousProblem: string | null;
}

const NOTHING = { base: null, low: null, high: null, tip: null, gasUsedRatio: null } as const;

const MOST_SLOTS = 4_000;

/** Puts points, tips, the window before and marks on one time axis. */
export function chartData(answer: ChartAnswer): ChartData {
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
    // A service that knows no tips may say so by zeros; its points tell.
    const tip = asked === 0 && priority === null ? null : asked;
    const low = Math.min(lowAt(timestamp) ?? base, base);
    const high = Math.max(highAt(timestamp) ?? base, base);
    slots.push({ timestamp, base, low, high, tip, gasUsedRatio, previous: previousAt(timestamp) });
  }
  // Blocks may begin well after the first point does; finer rows come nearer to the truth.
  const first = Math.max(slots[0]?.timestamp ?? last, ranges[0]?.timestamp ?? 0);
  const newest = ranges.at(-1);
  const isCovered = newest !== undefined && newest.timestamp + slotMs > last;
  const reachMs = Math.max(last - first, 0);
  return {
    timeFrame: answer.timeFrame,
    percentile: answer.percentile,
    slots,
    slotMs,
    nowBase: isCovered ? newest.close : (points.at(-1)?.base ?? null),
    marks: marksOf(answer.chart, slots, slotMs),
    reachSec: slots.length > 0 && reachMs < frameMs * 0.97 - 2 * slotMs ? reachMs / 1_000 : null,
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
