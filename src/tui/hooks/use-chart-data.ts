import { useRef } from 'react';
import type { MarketView } from '../../client/views.ts';
import type { TimeFrame } from '../../contract/primitives.ts';
import { chainProfile } from '../../core/chains.ts';
import type { ChartAnswer } from '../panes/chart/chart-data.ts';
import type { ChartState } from '../panes/chart/chart-state.ts';
import { loadChart } from './load-chart.ts';
import { useMonitor } from './use-monitor.ts';
import { type Polled, usePolledQuery } from './use-polled-query.ts';

/** The longer the frame the less one block changes it, and the more an answer costs the service. */
const SLOWEST_MS: Readonly<Record<TimeFrame, number>> = {
  '1h': 0,
  '24h': 30_000,
  '7d': 120_000,
  '30d': 300_000,
};
const HEATMAP_MS = 300_000;

/** An answer with the time at which it came, ms. */
export interface Dated<T> {
  readonly value: T;
  readonly at: number;
}

/**
 * What the chart shows. While the answer to a new choice is awaited `data` is still the old one: it says itself
 * which time frame and percentile it is of, and `pending` that another is on its way.
 */
export function useChartData(
  state: ChartState,
  chainId: number | null,
): Polled<Dated<ChartAnswer>> & { readonly pending: boolean } {
  const { client, intervalMs, frozen, now } = useMonitor();
  const { timeFrame, percentile, compare, heatmap } = state;
  const blockTimeSec = chainId === null ? null : chainProfile(chainId).feeRule.blockTimeSec;
  const polled = usePolledQuery({
    key: ['chart-pane', timeFrame, percentile, compare ? 'compared' : null, blockTimeSec],
    enabled: !heatmap,
    ask: async (signal) => {
      const value = await loadChart(client, { timeFrame, percentile, compare, blockTimeSec }, { signal });
      return { value, at: now() };
    },
    everyMs: Math.max(intervalMs, SLOWEST_MS[timeFrame]),
    frozen,
  });
  const last = useRef<Dated<ChartAnswer> | undefined>(undefined);
  last.current = polled.data ?? last.current;
  return { ...polled, data: last.current, pending: polled.data === undefined };
}

/** Mean base fees by hour of the week, asked for only while they are shown. */
export function useHeatmap(shown: boolean): Polled<Dated<MarketView>> {
  const { client, intervalMs, frozen, now } = useMonitor();
  return usePolledQuery({
    key: ['chart-hours'],
    enabled: shown,
    ask: async (signal) => ({ value: await client.statsMarket('30d', { signal }), at: now() }),
    everyMs: Math.max(intervalMs, HEATMAP_MS),
    frozen,
  });
}
