import type { GasClient } from '../../client/gas-client.ts';
import type { SnapshotView } from '../../client/views/snapshot.ts';
import { type Polled, usePolledQuery } from './use-polled-query.ts';

const nothing = () => Promise.reject(new Error('no source'));

/** The current prices: the heartbeat of the monitor. Asks nothing while there is no client. */
export function useSnapshot(
  client: GasClient | null,
  timing: { readonly intervalMs: number; readonly frozen: boolean },
): Polled<SnapshotView> {
  return usePolledQuery({
    key: ['current'],
    enabled: client !== null,
    ask: (signal) => client?.gasCurrent({ signal }) ?? nothing(),
    everyMs: timing.intervalMs,
    frozen: timing.frozen,
  });
}
