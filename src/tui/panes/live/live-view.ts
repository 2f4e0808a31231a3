import { updateSecOf } from '../../../client/views/chain-status.ts';
import type { ChartView } from '../../../client/views/dashboard.ts';
import { staleAfterMs } from '../../../core/chain-status.ts';
import { coinSymbol } from '../../../core/chains.ts';
import { formatAge } from '../../../core/units.ts';
import { useMonitor, useShownSnapshot } from '../../data/monitor-context.ts';
import { type Polled, useMonitorQuery } from '../../data/polled-query.ts';
import { useRecommendation, useTrend } from '../../data/prices.ts';
import { useDescription, useMarket } from '../../data/queries.ts';
import { useAtNow } from '../../ui/pane-context.tsx';
import { missingReason } from '../../ui/pane-state.tsx';
import { useDim } from '../../ui/theme.ts';
import { chartChoices, choiceOf } from '../chart/chart-data.ts';

/** Slowly changing data is polled less often. */
const HOUR_CHART_MS = 5_000;
const RANGE_MS = 10_000;
/** A fast recording makes a day's figures stale within seconds. */
const REPLAY_MS = 1_000;

export type LiveView = ReturnType<typeof useLiveView>;

export function useLiveView() {
  const snapshot = useShownSnapshot();
  const { status } = useMonitor();
  const isPast = useDim();
  const trend = useTrend(snapshot);
  const recommendation = useRecommendation(snapshot);
  const timeFrame = choiceOf(chartChoices(useDescription()).timeFrames, '1h');
  const hour = useMonitorQuery({
    key: ['chart', timeFrame],
    ask: (client, signal) => client.chart(timeFrame, { signal }),
    head: snapshot,
    freshMs: HOUR_CHART_MS,
  });
  const chart: ChartView | undefined = hour.data;
  const isReplay = snapshot.source.kind === 'replay';
  const market = useMarket('24h', { freshMs: isReplay ? REPLAY_MS : RANGE_MS });
  const lacking = (name: string, { data, error }: Polled<unknown>) =>
    data !== undefined || error === null ? [] : [`no ${name}: ${missingReason(error, isPast)}`];
  const updatedAt = recommendation.data?.updatedAt ?? null;
  const behindMs = (snapshot.updatedAt ?? 0) - (updatedAt ?? Number.POSITIVE_INFINITY);
  // While its route fails the prices go on without it.
  const mayLagMs = recommendation.error === null ? staleAfterMs(updateSecOf(snapshot)) : 0;
  const isOlder = behindMs > mayLagMs;
  const advisedAt = isOlder ? updatedAt : (snapshot.blockTimestamp ?? snapshot.updatedAt);
  const isOld = isOlder || isPast;
  const adviceAge = useAtNow((now) => (isOld ? formatAge((now - (advisedAt ?? now)) / 1_000) : null));
  return {
    snapshot,
    status,
    trend: trend.data,
    recommendation: recommendation.data,
    adviceAge,
    hour: chart,
    market: market.data,
    symbol: coinSymbol(snapshot.chainId),
    /** Why there is no recommendation, no trend …: one clean line each. */
    missing: [
      ...[...lacking('advice', recommendation), ...lacking('trend', trend)],
      ...[...lacking('market figures', market), ...lacking('chart of the hour', hour)],
      ...(hour.data?.problem == null ? [] : [`no history before the start of gastop: ${hour.data.problem}`]),
    ],
  };
}
