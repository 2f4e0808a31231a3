import { BUCKET_SEC, fittingBucket } from '../contract/choices.ts';
import { PATHS } from '../contract/routes.ts';
import { chainProfile } from '../core/chains.ts';
import { type Asked, type ClientError, unlessRefused } from './errors.ts';
import type { HistoryMethods } from './gas-client.ts';
import type { CallOptions } from './requests.ts';
import { timeFrameSec } from './values.ts';
import type { ChartPointView, ChartView } from './views/dashboard.ts';
import type { SnapshotView } from './views/gas.ts';
import type { BaseFeeRowView, PriorityFeeRowView } from './views/metrics.ts';

export interface ChartPart<Row> {
  readonly rows: readonly Row[];
  readonly problem: string | null;
}

/** A chart of one time frame, from any route. */
export type PriceChartView = ChartView & {
  /** The metrics it is composed of, if the service has no chart of that time frame. */
  readonly made: {
    readonly baseFees: ChartPart<BaseFeeRowView>;
    readonly tips: ChartPart<PriorityFeeRowView>;
  } | null;
  /** Why there is no history, so that the chart starts with this program; `null` when there is one. */
  readonly problem: string | null;
};

export interface ChartOptions extends CallOptions {
  /** Percentile of tips from the metrics. Default: `p50`. */
  readonly percentile?: string;
}

type ChartRoutes = Pick<HistoryMethods, 'statsChart' | 'baseFee' | 'priorityFee'> & {
  readonly takesTimeFrame: (timeFrame: string) => Promise<boolean>;
};

/** A day of a chain with a block every 12 seconds. */
const MOST_POLLED = 7_200;
/** A missing route may appear later: proxies respond that way while a service restarts. */
const ABSENT_MS = 600_000;
const COVERED_RATIO = 0.9;

/** Charts of a remote service: `stats/chart`, else the metrics; polled prices extend them, or replace them. */
export function priceCharts(
  { statsChart, baseFee, priorityFee, takesTimeFrame }: ChartRoutes,
  now: () => number,
) {
  const absent = new Map<string, { readonly error: ClientError; readonly until: number }>();
  let polled: readonly ChartPointView[] = [];
  let blockTimeSec: number | null = null;

  /** A missing route is not requested again for a while. */
  const unlessAbsent = async <T>(path: string, request: () => Promise<T>): Promise<Asked<T>> => {
    const known = absent.get(path);
    if (known !== undefined && now() < known.until) return { found: null, error: known.error };
    const asked = await unlessRefused(request());
    const { error } = asked;
    if (error?.code === 'not-found' || error?.code === 'plan')
      absent.set(path, { error, until: now() + ABSENT_MS });
    return asked;
  };

  const ofMetrics = async (frameMs: number, percentile: string, call: CallOptions) => {
    const to = (polled.at(-1)?.timestamp ?? now()) + 1_000;
    const window = { from: to - frameMs, to, bucket: fittingBucket(frameMs / 1_000, blockTimeSec) };
    const [base, tip] = await Promise.all([
      unlessAbsent(PATHS.baseFee, () => baseFee(window, call)),
      unlessAbsent(PATHS.priorityFee, () => priorityFee({ ...window, percentile }, call)),
    ]);
    if (base.found === null) return null;
    const tips = { rows: tip.found?.rows ?? [], problem: tip.error?.message ?? null };
    return { baseFees: { rows: base.found.rows, problem: null }, tips };
  };

  const withPolled = <Chart extends ChartView>(chart: Chart, frameMs: number): Chart => {
    const last = chart.points.at(-1)?.timestamp ?? Number.NEGATIVE_INFINITY;
    const end = last + Math.max((chart.bucketSec ?? 0) * 1_000, 1);
    const points = [...chart.points, ...polled.filter(({ timestamp }) => timestamp >= end)];
    const from = frameMs === 0 ? Number.NEGATIVE_INFINITY : (points.at(-1)?.timestamp ?? 0) - frameMs;
    const tips = new Map(polled.map(({ timestamp, priority }) => [timestamp, priority]));
    const tipped = points.map((p) => ({ ...p, priority: p.priority ?? tips.get(p.timestamp) ?? null }));
    return { ...chart, points: tipped.filter(({ timestamp }) => timestamp >= from) };
  };

  return {
    note(snapshot: SnapshotView): void {
      const { chainId, blockTimestamp, updatedAt, baseFee, priorityFee, lanes, gasUsedRatio, nativeUsd } =
        snapshot;
      if (chainId !== null) blockTimeSec = chainProfile(chainId).feeRule.blockTimeSec;
      const timestamp = blockTimestamp ?? updatedAt ?? now();
      if (timestamp <= (polled.at(-1)?.timestamp ?? Number.NEGATIVE_INFINITY)) return;
      const point = {
        timestamp,
        gasUsedRatio,
        nativeUsd,
        base: Number(baseFee),
        priority: priorityFee === null ? null : Number(priorityFee),
        low: Number(lanes.slow.price),
        average: Number(lanes.average.price),
        high: Number(lanes.fast.price),
      };
      polled = [...polled.slice(1 - MOST_POLLED), point];
    },

    /** @throws ClientError without history and polled prices. */
    async load(timeFrame: string, { percentile = 'p50', ...call }: ChartOptions): Promise<PriceChartView> {
      const frameMs = (timeFrameSec(timeFrame) ?? 0) * 1_000;
      const { found, error } = await unlessAbsent(PATHS.statsChart, () => statsChart(timeFrame, call));
      const isOfFrame = found !== null && (frameMs === 0 || (await takesTimeFrame(timeFrame)));
      const isEnough = isOfFrame || spanOf(found?.points ?? []) >= frameMs * COVERED_RATIO;
      if (found !== null && found.points.length > 1 && isEnough)
        return { ...withPolled(found, frameMs), made: null, problem: null };
      const made = await ofMetrics(frameMs || BUCKET_SEC['1d'] * 1_000, percentile, call);
      const points = made === null ? [] : pointsOf(made);
      const empty = { timeFrame, bucketSec: null, points: [], anomalies: [], events: [] };
      if (made !== null && spanOf(points) >= spanOf(found?.points ?? []))
        return { ...withPolled({ ...empty, points }, frameMs), made, problem: null };
      if (error !== null && polled.length === 0) throw error;
      return { ...withPolled(found ?? empty, frameMs), made: null, problem: error?.message ?? null };
    },
  };
}

function spanOf(points: readonly ChartPointView[]): number {
  return (points.at(-1)?.timestamp ?? 0) - (points[0]?.timestamp ?? 0);
}

function pointsOf({ baseFees, tips }: NonNullable<PriceChartView['made']>): readonly ChartPointView[] {
  const rows = baseFees.rows.toSorted((a, b) => a.timestamp - b.timestamp);
  const tipRows = tips.rows.toSorted((a, b) => a.timestamp - b.timestamp);
  let next = 0;
  return rows.map(({ timestamp, mean }) => {
    while ((tipRows[next]?.timestamp ?? Number.POSITIVE_INFINITY) <= timestamp) next += 1;
    const priority = tipRows[next - 1]?.value ?? null;
    const average = priority === null ? null : mean + priority;
    const unknown = { low: null, high: null, gasUsedRatio: null, nativeUsd: null };
    return { timestamp, base: mean, priority, average, ...unknown };
  });
}
