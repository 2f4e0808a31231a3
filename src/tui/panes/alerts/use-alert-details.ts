import type { AlertDetailsView, AlertSavingsView } from '../../../client/views/alerts.ts';
import { type Dated, type Polled, useMonitor, usePolledQuery } from '../../data/queries.ts';

/** Each question about a service elsewhere counts. */
const ELSEWHERE_MS = 15_000;

export interface AlertDetailsData {
  readonly details: Polled<Dated<AlertDetailsView>>;
  readonly savings: Polled<AlertSavingsView>;
}

/** One alert with what was sent for it and what it has saved. */
export function useAlertDetails(id: string, triggerCount: number | null): AlertDetailsData {
  const { client, intervalMs, frozen, now, isOwnService = false } = useMonitor();
  const details = usePolledQuery({
    key: ['alert', id],
    ask: async (signal) => ({ value: await client.alert(id, { signal }), at: now() }),
    everyMs: isOwnService ? intervalMs : Math.max(intervalMs, ELSEWHERE_MS),
    frozen,
  });
  const savings = usePolledQuery({
    // Nothing is saved but by firing.
    key: ['alert-savings', id, triggerCount],
    ask: (signal) => client.alertSavings(id, { signal }),
    freshMs: ELSEWHERE_MS,
    frozen,
  });
  return { details, savings };
}
