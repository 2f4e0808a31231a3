import type { ChartPointView } from '../../../src/client/views/dashboard.ts';
import type { PriorityFeeRowView } from '../../../src/client/views/metrics.ts';
import type { ChartResponses } from '../../../src/tui/panes/chart/chart-data.ts';

export const NOON = Date.UTC(2026, 0, 5, 12);
export const BLOCK_MS = 12_000;

export function points(
  count: number,
  base: (index: number) => number,
  stepMs = BLOCK_MS,
): readonly ChartPointView[] {
  return Array.from({ length: count }, (_, index) => ({
    timestamp: NOON - (count - 1 - index) * stepMs,
    base: base(index) * 1e9,
    ...{ priority: 1e7, low: null, average: null, high: null, gasUsedRatio: 0.5, nativeUsd: null },
  }));
}

export function tipRows(of: readonly ChartPointView[], gwei: number): readonly PriorityFeeRowView[] {
  return of.map(({ timestamp }) => ({ timestamp, blockNumber: null, value: gwei * 1e9 }));
}

export const baseRow = (timestamp: number, min: number, mean: number, max: number) => ({
  ...{ timestamp, blockNumber: null, open: mean, close: mean },
  ...{ min, mean, max },
});

export function hourAnswer(
  of: readonly ChartPointView[] = points(300, (i) => 10 + Math.sin(i / 20)),
  changes: Partial<ChartResponses> = {},
): ChartResponses {
  return {
    timeFrame: '1h',
    percentile: 'p90',
    chart: {
      timeFrame: '1h',
      bucketSec: 12,
      points: of,
      anomalies: [],
      events: [],
      made: null,
      problem: null,
    },
    tips: { rows: tipRows(of, 0.02), problem: null },
    isByBlock: true,
    ranges: [],
    extremes: { lowest: null, highest: null },
    previous: null,
    ...changes,
  };
}
