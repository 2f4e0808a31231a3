import { useQueryClient } from '@tanstack/react-query';
import type { MarketView } from '../../client/views/dashboard.ts';
import { type Growth, growthOf } from '../growing-pace.ts';
import { useMonitor } from './use-monitor.ts';
import { type Dated, type Polled, type PolledQuery, usePolledQuery } from './use-polled-query.ts';

type Timing = Pick<PolledQuery<unknown>, 'everyMs' | 'freshMs' | 'enabled'>;

interface Figures extends Dated<MarketView> {
  readonly growth: Growth;
}

/** The figures of a time frame, one answer for every screen that shows them; sooner while history is still filled. */
export function useMarket(timeFrame: string, timing: Timing): Polled<Dated<MarketView>> {
  const { client, intervalMs, isOwnService = false, frozen, now } = useMonitor();
  const queries = useQueryClient();
  const key = ['market', timeFrame];
  return usePolledQuery<Figures>({
    key,
    ask: async (signal) => {
      const value = await client.statsMarket(timeFrame, { signal });
      const at = now();
      const before = queries.getQueryData<Figures>(key)?.growth ?? null;
      return { value, at, growth: growthOf(value, before, { now: at, isOwnService }) };
    },
    frozen,
    ...timing,
    soonerMs: ({ growth }) => (growth.soonerMs === null ? null : Math.max(growth.soonerMs, intervalMs)),
  });
}
