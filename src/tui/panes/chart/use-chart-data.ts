import { useRef } from 'react';
import type { MarketView } from '../../../client/views/dashboard.ts';
import type { SnapshotView } from '../../../client/views/gas.ts';
import { chainProfile } from '../../../core/chains.ts';
import {
  type Dated,
  type Polled,
  useFollowHead,
  useMarket,
  useMonitor,
  usePolledQuery,
} from '../../data/queries.ts';
import { timeFrameSec } from '../../ui/time.ts';
import type { ChartChoices } from './chart-choices.ts';
import type { ChartAnswer } from './chart-data.ts';
import type { ChartState } from './chart-state.ts';
import { loadChart } from './load-chart.ts';

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
export function useChartData(
  state: ChartState,
  choices: ChartChoices,
  snapshot: SnapshotView,
): Polled<Dated<ChartAnswer>> & { readonly pending: boolean } {
  const { client, intervalMs, frozen, now } = useMonitor();
  const { timeFrame, percentile, compare, heatmap } = state;
  const { chainId } = snapshot;
  const { timeFrames } = choices;
  const blockTimeSec = chainId === null ? null : chainProfile(chainId).feeRule.blockTimeSec;
  const polled = usePolledQuery({
    key: ['chart-pane', timeFrame, percentile, compare ? 'compared' : null, blockTimeSec],
    enabled: !heatmap,
    ask: async (signal) => {
      const value = await loadChart(
        client,
        { timeFrame, percentile, compare, timeFrames, blockTimeSec },
        { signal },
      );
      return { value, at: now() };
    },
    everyMs: null,
    freshMs: Math.max(intervalMs, leastMs(timeFrame)),
    frozen,
  });
  useFollowHead(polled, snapshot, { leastMs: leastMs(timeFrame) });
  const last = useRef<Dated<ChartAnswer> | undefined>(undefined);
  last.current = polled.data ?? last.current;
  return { ...polled, data: last.current, pending: polled.data === undefined };
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
