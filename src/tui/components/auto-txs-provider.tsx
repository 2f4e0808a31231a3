import { type ReactNode, useMemo, useRef } from 'react';
import type { GasClient } from '../../client/gas-client.ts';
import type { AutoTxListView } from '../../client/views/auto-txs.ts';
import type { SnapshotView } from '../../client/views/snapshot.ts';
import { isNear } from '../auto-tx-distance.ts';
import { isAwaited } from '../auto-tx-words.ts';
import { useAutoTxNotices } from '../hooks/use-auto-tx-notices.ts';
import { AutoTxsContext, type AutoTxsFeed } from '../hooks/use-auto-txs.ts';
import { useFreshWhenShown } from '../hooks/use-fresh-when-shown.ts';
import { type Dated, type PolledQuery, usePolledQuery } from '../hooks/use-polled-query.ts';
import { useRounds } from '../hooks/use-rounds.ts';
import { listPaceMs } from '../list-pace.ts';

interface AutoTxsProviderProps {
  readonly client: GasClient | null;
  /** `undefined`: nothing is asked of a service that does not answer even for its prices. */
  readonly snapshot: SnapshotView | undefined;
  readonly intervalMs: number;
  readonly isOwnService: boolean;
  /** The service has refused questions as too many. */
  readonly isLimited?: boolean;
  readonly frozen: boolean;
  /** The list of auto-txs is on the screen. */
  readonly isShown: boolean;
  readonly now: () => number;
  readonly children: ReactNode;
}

const nothing = () => Promise.reject(new Error('no source'));

/** Lists the auto-txs of the session's service, whichever tab is shown, and gives them to all that use them. */
export function AutoTxsProvider(props: AutoTxsProviderProps) {
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
  const last = useRef({ isAwaited: false, isUrgent: false, tookMs: 0 });
  const everyMs = listPaceMs({ intervalMs, isOwnService, isLimited, isShown, ...last.current });
  const question: PolledQuery<Dated<AutoTxListView>> = {
    key: ['auto-txs'],
    enabled: client !== null && snapshot !== undefined,
    ask: async (signal) => {
      const startedAt = performance.now();
      const value = await (client?.autoTxs({ signal }) ?? nothing());
      const { items } = value;
      const isUrgent = snapshot !== undefined && items.some((autoTx) => isNear(autoTx, snapshot));
      const tookMs = performance.now() - startedAt;
      last.current = { isAwaited: items.some(isAwaited), isUrgent, tookMs };
      return { value, at: now() };
    },
    everyMs,
    freshMs: everyMs,
  };
  const polled = useRounds({ ...question, frozen }, isOwnService);
  // What becomes of one is announced over a screen that stands still, too, which then must not show it.
  const unshown = usePolledQuery({
    ...question,
    key: ['auto-txs', 'unshown'],
    enabled: question.enabled === true && frozen,
  });
  const { value: list } = (frozen ? unshown.data : null) ?? polled.data ?? {};
  const unseen = useAutoTxNotices({ list, isShown: isShown && !frozen });
  useFreshWhenShown({
    isShown: isShown && !frozen,
    at: polled.data?.at ?? null,
    freshMs: intervalMs,
    now,
    refresh: polled.refresh,
  });

  const { data, error, retryAt, refresh, renew } = polled;
  const awaited = useMemo(() => data?.value.items.filter(isAwaited).length ?? 0, [data]);
  const questions = useRef({ refresh, renew });
  questions.current = { refresh, renew };
  const feed = useMemo(
    (): AutoTxsFeed => ({
      data,
      unseen,
      awaited,
      error,
      retryAt,
      refresh: () => questions.current.refresh(),
      renew: () => questions.current.renew(),
    }),
    [data, error, retryAt, unseen, awaited],
  );
  return <AutoTxsContext value={feed}>{children}</AutoTxsContext>;
}
