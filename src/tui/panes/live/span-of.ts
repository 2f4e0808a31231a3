import type { ChartView } from '../../../client/views/dashboard.ts';
import { formatDuration } from '../../../core/units.ts';

/** With the last bucket still to come, an hour is not whole. */
const SHORTEST_HOUR_SEC = 3_300;
const LONGEST_HOUR_SEC = 4_000;

/** What a chart of the last hour really spans: a young history is shorter, a foreign service's frame may be longer. */
export function spanOf(hour: ChartView): string {
  const sec = secondsOf(hour) ?? SHORTEST_HOUR_SEC;
  return sec < SHORTEST_HOUR_SEC || sec > LONGEST_HOUR_SEC ? `last ${formatDuration(sec)}` : 'last hour';
}

/** What is said of the last hour is of less where the history is younger. */
export function youngHour(hour: ChartView | undefined): string {
  const sec = hour && secondsOf(hour);
  return sec == null || sec >= SHORTEST_HOUR_SEC ? 'last hour' : `last ${formatDuration(sec)}`;
}

function secondsOf({ points, bucketSec }: ChartView): number | null {
  const first = points[0];
  const last = points.at(-1);
  if (first === undefined || last === undefined) return null;
  return (last.timestamp - first.timestamp) / 1_000 + (bucketSec ?? 0);
}
