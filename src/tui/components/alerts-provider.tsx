import { type ReactNode, useEffect, useMemo, useRef } from 'react';
import type { GasClient } from '../../client/gas-client.ts';
import type { AlertListView, AlertView } from '../../client/views/alerts.ts';
import type { SnapshotView } from '../../client/views/snapshot.ts';
import { alertsPaceMs } from '../alerts-pace.ts';
import { useAlertNotices } from '../hooks/use-alert-notices.ts';
import { AlertsContext, type AlertsFeed } from '../hooks/use-alerts.ts';
import { useExpectedChanges } from '../hooks/use-expected-changes.ts';
import { useFreshWhenShown } from '../hooks/use-fresh-when-shown.ts';
import { type PolledQuery, usePolledQuery } from '../hooks/use-polled-query.ts';
import { useRounds } from '../hooks/use-rounds.ts';

interface AlertsProviderProps {
  readonly client: GasClient | null;
  /** `undefined`: nothing is asked of a service that does not answer even for its prices. */
  readonly snapshot: SnapshotView | undefined;
  readonly intervalMs: number;
  readonly isOwnService: boolean;
  /** The service has refused questions as too many. */
  readonly isLimited?: boolean;
  readonly frozen: boolean;
  /** The list of alerts is on the screen. */
  readonly isShown: boolean;
  readonly now: () => number;
  readonly children: ReactNode;
}

interface Listed {
  readonly value: AlertListView;
  readonly at: number;
  readonly knows: number;
}

const nothing = () => Promise.reject(new Error('no source'));

/** Lists the alerts of the session's service, whichever tab is shown, and gives them to all that {@link useAlerts}. */
export function AlertsProvider(props: AlertsProviderProps) {
  const {
    client,
    snapshot,
    intervalMs,
    isOwnService,
    isLimited = false,
    frozen,
    isShown,
    now,
    children,
  } = props;
  const { known, over, forget, expect } = useExpectedChanges<readonly AlertView[]>();
  const last = useRef<{ readonly alerts: readonly AlertView[] | null; readonly tookMs: number }>({
    alerts: null,
    tookMs: 0,
  });
  const everyMs = alertsPaceMs({ intervalMs, isOwnService, isLimited, isShown, ...last.current });
  const question: PolledQuery<Listed> = {
    key: ['alerts'],
    enabled: client !== null && snapshot !== undefined,
    ask: async (signal) => {
      const knows = known();
      const startedAt = performance.now();
      const value = await (client?.alerts({ signal }) ?? nothing());
      last.current = { alerts: value.items, tookMs: performance.now() - startedAt };
      return { value, at: now(), knows };
    },
    everyMs,
    freshMs: everyMs,
  };
  const polled = useRounds({ ...question, frozen }, isOwnService);
  // What fires is announced over a screen that stands still, too, which then must not show the list it is seen in.
  const unshown = usePolledQuery({
    ...question,
    key: ['alerts', 'unshown'],
    enabled: question.enabled === true && frozen,
  });
  const { value: list } = (frozen ? unshown.data : null) ?? polled.data ?? {};
  const unseen = useAlertNotices({ client, snapshot, list, isShown: isShown && !frozen, now });
  useFreshWhenShown({
    isShown: isShown && !frozen,
    at: polled.data?.at ?? null,
    freshMs: intervalMs,
    now,
    refresh: polled.refresh,
  });

  const { data, error, retryAt, refresh, renew } = polled;
  const knows = data?.knows ?? null;
  useEffect(() => {
    if (knows !== null) forget(knows);
  }, [knows, forget]);
  const questions = useRef({ refresh, renew });
  questions.current = { refresh, renew };
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
      refresh: () => questions.current.refresh(),
      renew: () => questions.current.renew(),
      expect: (apply) => {
        const change = expect(apply);
        return {
          takeBack: change.takeBack,
          settle: async () => {
            change.settle();
            await questions.current.renew();
          },
        };
      },
    };
  }, [data, error, retryAt, unseen, over, expect]);
  return <AlertsContext value={feed}>{children}</AlertsContext>;
}
