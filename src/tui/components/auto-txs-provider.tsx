import { type ReactNode, useMemo, useRef } from 'react';
import type { AutoTxListView } from '../../client/views/auto-txs.ts';
import { isAwaited, isNear } from '../../client/views/describe-auto-txs.ts';
import { type Dated, type ListSession, useServiceList } from '../data/queries.ts';
import { useAutoTxNotices } from '../hooks/use-auto-tx-notices.ts';
import { AutoTxsContext, type AutoTxsFeed } from '../hooks/use-auto-txs.ts';
import { listPaceMs } from '../list-pace.ts';

interface AutoTxsProviderProps extends ListSession {
  readonly children: ReactNode;
}

/** Lists the auto-txs of the session's service, whichever tab is shown, and gives them to all that use them. */
export function AutoTxsProvider({ children, ...session }: AutoTxsProviderProps) {
  const { snapshot, isShown, frozen, now } = session;
  const last = useRef({ isAwaited: false, isUrgent: false, tookMs: 0 });
  const { data, latest, error, retryAt, pending, refresh } = useServiceList<Dated<AutoTxListView>>(session, {
    name: 'auto-txs',
    everyMs: listPaceMs({ ...session, ...last.current }),
    ask: async (client, signal) => {
      const startedAt = performance.now();
      const value = await client.autoTxs({ signal });
      const { items } = value;
      const isUrgent = snapshot !== undefined && items.some((autoTx) => isNear(autoTx, snapshot));
      const tookMs = performance.now() - startedAt;
      last.current = { isAwaited: items.some(isAwaited), isUrgent, tookMs };
      return { value, at: now() };
    },
  });
  const unseen = useAutoTxNotices({ list: latest?.value, isShown: isShown && !frozen });
  const awaited = useMemo(() => data?.value.items.filter(isAwaited).length ?? 0, [data]);
  const feed = useMemo(
    (): AutoTxsFeed => ({ data, unseen, awaited, error, retryAt, pending, refresh }),
    [data, unseen, awaited, error, retryAt, pending, refresh],
  );
  return <AutoTxsContext value={feed}>{children}</AutoTxsContext>;
}
