import type { MarketView } from '../../client/views/market.ts';
import { useMonitor } from './use-monitor.ts';
import { type Dated, type Polled, type PolledQuery, usePolledQuery } from './use-polled-query.ts';

type Timing = Pick<PolledQuery<unknown>, 'everyMs' | 'freshMs' | 'enabled'>;

/** The figures of a time frame, one answer for every screen that shows them. */
export function useMarket(timeFrame: string, timing: Timing): Polled<Dated<MarketView>> {
  const { client, frozen, now } = useMonitor();
  return usePolledQuery({
    key: ['market', timeFrame],
    ask: async (signal) => ({ value: await client.statsMarket(timeFrame, { signal }), at: now() }),
    frozen,
    ...timing,
  });
}
