import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react';
import type { AlertView, ListView } from '../../client/views/alerts.ts';
import { type AutoTxView, isAwaited } from '../../client/views/auto-txs.ts';
import type { Scope } from '../input/keymap.ts';
import { type Lists, ListsContext } from './monitor-context.ts';
import { flushMutations, usePendingChanges } from './mutations.ts';
import { type NewsSession, useAlertNews, useAutoTxNews } from './news.ts';
import { ELSEWHERE_MS, type PolledQuery, usePolledQuery } from './polled-query.ts';

interface ListSession extends NewsSession {
  readonly intervalMs: number;
}

interface ListsProviderProps extends ListSession {
  readonly shown: Scope;
  readonly beforeClosing: (work: () => Promise<void>) => void;
  readonly children: ReactNode;
}

export function ListsProvider({ shown, beforeClosing, children, ...session }: ListsProviderProps) {
  const { client } = session;
  const queries = useQueryClient();
  const alerts = useList<AlertView>(session, {
    key: 'alerts',
    isShown: shown === 'alerts',
    ask: (from, signal) => from.alerts({ signal }),
    isAwaited: ({ channels, status }) => channels.includes('TERMINAL') && status !== 'DISABLED',
    announceNews: useAlertNews(session),
  });
  const autoTxs = useList<AutoTxView>(session, {
    key: 'auto-txs',
    isShown: shown === 'auto-txs',
    ask: (from, signal) => from.autoTxs({ signal }),
    isAwaited,
    announceNews: useAutoTxNews(session),
  });
  useEffect(() => {
    if (client !== null) beforeClosing(() => flushMutations(queries));
  }, [client, beforeClosing, queries]);

  const changed = usePendingChanges();
  const listed = alerts.data?.items ?? [];
  const items = changed(listed);
  const { total = null } = alerts.data ?? {};
  const lists: Lists = {
    alerts: {
      ...alerts,
      data: alerts.data && { ...alerts.data, items, total: total && total - listed.length + items.length },
      tabCount: items.filter(({ status }) => status === 'PENDING').length,
    },
    autoTxs: { ...autoTxs, tabCount: autoTxs.data?.items.filter(isAwaited).length ?? 0 },
  };
  return <ListsContext value={lists}>{children}</ListsContext>;
}

interface ListOptions<Item> extends Pick<PolledQuery<ListView<Item>>, 'ask'> {
  readonly key: string;
  readonly isShown: boolean;
  /** Whether this terminal announces what becomes of it. */
  readonly isAwaited: (item: Item) => boolean;
  /** Compares each new list with the one before, announces what is new, and returns how many news there are. */
  readonly announceNews: (items: readonly Item[]) => number;
}

/** A remote list that is neither shown nor awaited: only the number beside the tab depends on it. */
const IDLE_MS = 300_000;
/** Reading a long list takes long. */
const LONG_LIST = 500;
/** In this process, of such a list and of one that is empty and not shown: about once a block. */
const OWN_IDLE_MS = 12_000;
/** In this process: what is not shown is only counted and announced, soon after a block, which is what most of it waits for. */
const OWN_UNSEEN_MS = 2_000;
const OWN_LATER_MS = 6_000;
const UNSEEN_EVERY = 8;

function useList<Item>(session: ListSession, options: ListOptions<Item>) {
  const { key, isShown, ask, isAwaited: isWaited, announceNews } = options;
  const { client, snapshot, intervalMs, isOwnService, frozen } = session;
  const polled = usePolledQuery<ListView<Item>>(
    // It is polled for its notices while the screen is frozen.
    { ...session, client: snapshot === undefined ? null : client, frozen: false },
    {
      key: [key],
      ask,
      everyMs: ({ items } = { items: [], total: 0, unreadable: 0 }) => {
        const isNeeded = isShown || items.some(isWaited);
        if (!isOwnService) return Math.max(intervalMs, isNeeded ? ELSEWHERE_MS : IDLE_MS);
        const isEmpty = items.length === 0 && !isShown;
        if (isEmpty || items.length > LONG_LIST) return Math.max(intervalMs, OWN_IDLE_MS);
        if (isShown) return intervalMs;
        const isAfterBlock = session.now() - (snapshot?.updatedAt ?? 0) < OWN_UNSEEN_MS;
        const unseenMs = isAfterBlock ? OWN_UNSEEN_MS : OWN_LATER_MS;
        return Math.max(intervalMs, Math.min(unseenMs, UNSEEN_EVERY * intervalMs));
      },
    },
  );
  const { data, at, refresh } = polled;
  // A frozen screen keeps its list, whatever is announced over it.
  const shown = useRef({ data, at });
  if (!frozen) shown.current = { data, at };
  const [unseen, setUnseen] = useState(0);
  const isSeen = isShown && !frozen;
  const take = useEffectEvent((items: readonly Item[]) => {
    const news = announceNews(items);
    if (!isSeen) setUnseen((before) => before + news);
  });
  useEffect(() => {
    if (data !== undefined) take(data.items);
  }, [data]);
  // An opened tab shows fresh data, however seldom its list is polled otherwise.
  const renew = useEffectEvent(() => {
    if (data !== undefined && session.now() - at > intervalMs) void refresh();
  });
  useEffect(() => {
    if (!isSeen) return;
    setUnseen(0);
    renew();
  }, [isSeen]);
  return { ...polled, ...shown.current, unseen };
}
