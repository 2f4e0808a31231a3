import type { AutoTxDetailsView } from '../../../client/views/auto-txs.ts';
import { type Dated, type Polled, useMonitor, usePolledQuery } from '../../data/queries.ts';

/** Each question about a service elsewhere counts. */
const ELSEWHERE_MS = 15_000;

/** One auto-tx with what happened to it. */
export function useAutoTxDetails(id: string): Polled<Dated<AutoTxDetailsView>> {
  const { client, intervalMs, frozen, now, isOwnService = false } = useMonitor();
  return usePolledQuery({
    key: ['auto-tx', id],
    ask: async (signal) => ({ value: await client.autoTx(id, { signal }), at: now() }),
    everyMs: isOwnService ? intervalMs : Math.max(intervalMs, ELSEWHERE_MS),
    frozen,
  });
}
