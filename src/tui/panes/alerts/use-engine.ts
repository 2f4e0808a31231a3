import type { EngineView } from '../../../client/views/dashboard.ts';
import { useMonitor, usePolledQuery } from '../../data/queries.ts';

const EVERY_MS = 10_000;

/** Which process fires the alerts; `null`: not known. The answer is that of the Service pane, where that has asked. */
export function useEngine(): EngineView | null {
  const { client, intervalMs, frozen, now, isOwnService = false } = useMonitor();
  const everyMs = Math.max(intervalMs, EVERY_MS);
  const { data } = usePolledQuery({
    key: ['service', 'summary'],
    ask: async (signal) => ({ value: await client.summary({ signal }), at: now() }),
    // Elsewhere each question costs quota, and hardly any service tells.
    everyMs: isOwnService ? everyMs : null,
    freshMs: everyMs,
    frozen,
  });
  return data?.value.health.engine ?? null;
}
