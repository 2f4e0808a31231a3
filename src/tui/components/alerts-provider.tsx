import { type ReactNode, useEffect, useMemo, useRef } from 'react';
import type { AlertListView, AlertView } from '../../client/views/alerts.ts';
import { alertsPaceMs } from '../alerts-pace.ts';
import { type Dated, type ListSession, useServiceList } from '../data/queries.ts';
import { useAlertNotices } from '../hooks/use-alert-notices.ts';
import { AlertsContext, type AlertsFeed } from '../hooks/use-alerts.ts';
import { type Knowing, useExpectedChanges } from '../hooks/use-expected-changes.ts';

interface AlertsProviderProps extends ListSession {
  readonly children: ReactNode;
}

interface Listed extends Dated<AlertListView>, Knowing<AlertListView> {}

/** Lists the alerts of the session's service, whichever tab is shown, and gives them to all that {@link useAlerts}. */
export function AlertsProvider({ children, ...session }: AlertsProviderProps) {
  const { client, snapshot, isShown, frozen, now } = session;
  const { known, over, forget, expect } = useExpectedChanges<readonly AlertView[]>();
  const last = useRef<{ readonly alerts: readonly AlertView[] | null; readonly tookMs: number }>({
    alerts: null,
    tookMs: 0,
  });
  const { data, latest, error, retryAt, pending, refresh } = useServiceList<Listed>(session, {
    name: 'alerts',
    everyMs: alertsPaceMs({ ...session, ...last.current }),
    ask: async (from, signal) => {
      const knows = known();
      const startedAt = performance.now();
      const value = await from.alerts({ signal });
      last.current = { alerts: value.items, tookMs: performance.now() - startedAt };
      return { value, at: now(), knows };
    },
  });
  const unseen = useAlertNotices({
    client,
    snapshot,
    list: latest?.value,
    isShown: isShown && !frozen,
    now,
  });

  const knows = data?.knows ?? null;
  useEffect(() => {
    if (knows !== null) forget(knows);
  }, [knows, forget]);
  const feed = useMemo((): AlertsFeed => {
    const shown =
      data === undefined
        ? undefined
        : {
            at: data.at,
            value: { ...data.value, items: over({ value: data.value.items, knows: data.knows }) },
          };
    return {
      data: shown,
      unseen,
      error,
      retryAt,
      pending,
      refresh,
      expect: (apply) => {
        const change = expect(apply);
        return {
          takeBack: change.takeBack,
          settle: async () => {
            change.settle();
            await refresh();
          },
        };
      },
    };
  }, [data, error, retryAt, unseen, pending, over, expect, refresh]);
  return <AlertsContext value={feed}>{children}</AlertsContext>;
}
