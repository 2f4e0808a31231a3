import { useRef } from 'react';
import type { ServiceDescription } from '../../client/openapi.ts';
import type { ReachView } from '../../client/views/advice.ts';
import type { MarketView } from '../../client/views/dashboard.ts';
import { shortStart } from '../ui/time.ts';
import { useElapsed } from '../ui/use-elapsed.ts';
import { useMonitor, useShownSnapshot } from './monitor-context.ts';
import { ELSEWHERE_MS, type Polled, type PolledQuery, useMonitorQuery } from './polled-query.ts';

/** Figures of a day change slowly, those of a month hardly. */
const FIGURES_MS = 30_000;
export const MONTH_MS = 300_000;

type MarketTiming = Pick<PolledQuery<MarketView>, 'enabled' | 'freshMs'>;

export function useMarket(timeFrame: string, timing: MarketTiming = {}): Polled<MarketView> {
  const head = useShownSnapshot();
  return useMonitorQuery({
    key: ['market', timeFrame],
    ask: (client, signal) => client.statsMarket(timeFrame, { signal }),
    shortFrom: ({ from }) => shortStart(from, head.blockTimestamp, timeFrame),
    head,
    freshMs: FIGURES_MS,
    ...timing,
  });
}

export function useItem<T>(
  key: readonly [string, string],
  ask: PolledQuery<T>['ask'],
  enabled: boolean,
): Polled<T> {
  const { intervalMs, isOwnService } = useMonitor();
  const everyMs = Math.max(intervalMs, isOwnService ? 0 : ELSEWHERE_MS);
  return useMonitorQuery({ key, ask, enabled, everyMs });
}

/** The service's description; `undefined`: not known yet, `null`: it has none. */
export function useDescription(): ServiceDescription | null | undefined {
  const { isOwnService } = useMonitor();
  return useMonitorQuery({
    key: ['description'],
    enabled: !isOwnService,
    ask: (client, signal) => client.description({ signal }),
    freshMs: Number.POSITIVE_INFINITY,
  }).data;
}

/** How long a typed price stands before it is asked for, ms. */
export const SETTLED_MS = 300;

/** How likely a block within `withinSec` (at most 7 days) has at most `price` (wei); `data` of `null`: no forecast. */
export function useReach(price: bigint | null, withinSec: number) {
  const head = useShownSnapshot();
  const settled = useElapsed(SETTLED_MS, price);
  const isUnable = useRef(false);
  const polled = useMonitorQuery<ReachView | null>({
    key: ['reach', price === null ? null : price.toString(), withinSec],
    // A service without a forecast is not asked for another price.
    enabled: price !== null && settled && !isUnable.current,
    ask: async (client, signal) => {
      const reach = { targetPrice: price ?? 0n, deadlineSec: withinSec };
      const { reach: forecast } = await client.gasRecommendation({ reach, signal });
      isUnable.current = forecast === null;
      return forecast;
    },
    head,
  });
  return isUnable.current ? { ...polled, data: null } : polled;
}
