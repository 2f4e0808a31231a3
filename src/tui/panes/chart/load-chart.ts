import type { CallOptions, GasClient } from '../../../client/client.ts';
import { ClientError } from '../../../client/errors.ts';
import { allPages, withinHistory } from '../../../client/paging.ts';
import type { ChartView } from '../../../client/views/dashboard.ts';
import { BUCKET_SEC } from '../../../contract/choices.ts';
import type { Bucket } from '../../../contract/metrics.ts';
import { formatDuration } from '../../../core/units.ts';
import { longestTimeFrame, timeFrameSec } from '../../ui/time.ts';
import type { ChartAnswer } from './chart-data.ts';

export interface ChartRequest {
  readonly timeFrame: string;
  readonly percentile: string;
  readonly compare: boolean;
  /** All time frames of the service. */
  readonly timeFrames: readonly string[];
  /** The chain's block time, to see whether single blocks are few enough; `null` where unknown. */
  readonly blockTimeSec: number | null;
}

/** Two pages hold as much as any screen shows. */
const MOST_ROWS = 1_000;

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
  const chart = await client.statsChart(timeFrame, options);
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
  const [tips, ranges, previous] = await Promise.all([
    partOf(() =>
      withinHistory(chart.points, start, (from) =>
        allPages((page) => client.priorityFee({ from, to, bucket, percentile, ...page }, options)),
      ),
    ),
    // A block has no extremes within it.
    bucket === 'block' && (chart.bucketSec ?? 0) <= (request.blockTimeSec ?? 0)
      ? null
      : partOf(() =>
          withinHistory(chart.points, start, (from) =>
            allPages((page) => client.baseFee({ from, to, bucket, ...page }, options)),
          ),
        ),
    compare
      ? partOf(
          () =>
            allPages((page) =>
              client.baseFee({ from: start - frameMs, to: to - frameMs, bucket, ...page }, options),
            ),
          () => reachText(client, request, chart, last, options),
        )
      : null,
  ]);
  return { timeFrame, percentile, chart, tips, ranges: ranges?.rows ?? [], previous };
}

/** The finest bucket of which a window of `spanSec` has no more than two pages. */
export function fittingBucket(spanSec: number, blockTimeSec: number | null): Bucket {
  if (blockTimeSec !== null && spanSec / blockTimeSec <= MOST_ROWS) return 'block';
  const timed = ['1m', '5m', '1h'] as const;
  return timed.find((bucket) => spanSec / BUCKET_SEC[bucket] <= MOST_ROWS) ?? '1d';
}

interface Part<Row> {
  readonly rows: readonly Row[];
  readonly problem: string | null;
}

/** A part that the service refuses is told in its place; a service that does not answer fails the whole. */
async function partOf<Row>(
  ask: () => Promise<readonly Row[]>,
  explainInvalid?: () => Promise<string>,
): Promise<Part<Row>> {
  try {
    return { rows: await ask(), problem: null };
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    switch (error.code) {
      case 'invalid':
        return { rows: [], problem: (await explainInvalid?.()) ?? error.message };
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
async function reachText(
  client: GasClient,
  { timeFrame, timeFrames }: ChartRequest,
  chart: ChartView,
  last: number,
  options: CallOptions,
): Promise<string> {
  const frameSec = frameMsOf(timeFrame, chart) / 1_000;
  const shownSec = (last - (chart.points[0]?.timestamp ?? last)) / 1_000;
  const longest = longestTimeFrame(timeFrames);
  // A chart that is full does not tell how much lies before it; the longest one does.
  const isFull = shownSec > frameSec * 0.9;
  const oldest =
    isFull && longest !== null && longest !== timeFrame
      ? (await client.statsChart(longest, options)).points[0]?.timestamp
      : undefined;
  const reachSec = Math.max(shownSec, oldest === undefined ? 0 : (last - oldest) / 1_000);
  return `history reaches back ${formatDuration(reachSec)}, two windows of ${timeFrame} need ${formatDuration(2 * frameSec)}`;
}

/** A time frame that does not say how long it is means what came. */
function frameMsOf(timeFrame: string, { points }: ChartView): number {
  const sec = timeFrameSec(timeFrame);
  return sec === null ? (points.at(-1)?.timestamp ?? 0) - (points[0]?.timestamp ?? 0) : sec * 1_000;
}
