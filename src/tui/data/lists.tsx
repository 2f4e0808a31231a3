import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useEffectEvent, useRef } from 'react';
import { type AlertView, describeCondition, type ListView } from '../../client/views/alerts.ts';
import {
  type AutoTxView,
  describeContent,
  describeState,
  describeTarget,
  isAwaited,
} from '../../client/views/auto-txs.ts';
import type { SnapshotView } from '../../client/views/gas.ts';
import type { Scope } from '../input/keymap.ts';
import { flushMutations, usePendingDeletions } from './mutations.ts';
import { type Notifications, useAlertNotices, useAutoTxNotices } from './notifications.ts';
import { ELSEWHERE_MS, type Polled, type PolledQuery, type QuerySession, usePolledQuery } from './queries.ts';

export type ListItem = AlertView | AutoTxView;

export interface Feed<Item> extends Polled<ListView<Item>> {
  readonly unseen: number;
  readonly awaited: number;
}

export interface Lists {
  readonly alerts: Feed<AlertView>;
  readonly autoTxs: Feed<AutoTxView>;
}

export const ListsContext = createContext<Lists | null>(null);

export function useLists(): Lists {
  const lists = useContext(ListsContext);
  if (lists === null) throw new Error('useLists needs a ListsProvider around it');
  return lists;
}

export function listOf(lists: Lists | null, scope: Scope) {
  return scope === 'alerts' ? lists?.alerts : scope === 'auto-txs' ? lists?.autoTxs : undefined;
}

export const FilterContext = createContext('');

export function matchesFilter(item: ListItem, filter: string): boolean {
  const said =
    'threshold' in item
      ? [describeCondition(item)]
      : [describeState(item), describeTarget(item), describeContent(item), `nonce ${item.nonce}`];
  const text = [...said, ...textsIn(item)].join(' ').toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

export interface ListSession extends QuerySession {
  /** `undefined`: no requests to a service whose prices are unavailable. */
  readonly snapshot: SnapshotView | undefined;
  readonly intervalMs: number;
  readonly notifications: Notifications;
}

interface ListsProviderProps extends ListSession {
  readonly shown: Scope;
  readonly beforeClosing: (work: () => Promise<void>) => void;
  readonly children: ReactNode;
}

export function ListsProvider({ shown, beforeClosing, children, ...session }: ListsProviderProps) {
  const { client, frozen } = session;
  const queries = useQueryClient();
  const alerts = useList<AlertView>(session, {
    key: 'alerts',
    isShown: shown === 'alerts',
    ask: (from, signal) => from.alerts({ signal }),
    isAwaited: ({ channels, status }) => channels.includes('TERMINAL') && status !== 'DISABLED',
  });
  const autoTxs = useList<AutoTxView>(session, {
    key: 'auto-txs',
    isShown: shown === 'auto-txs',
    ask: (from, signal) => from.autoTxs({ signal }),
    isAwaited,
  });
  const fired = useAlertNotices(session, alerts.latest, shown === 'alerts' && !frozen);
  const ended = useAutoTxNotices(session, autoTxs.latest, shown === 'auto-txs' && !frozen);
  useEffect(() => {
    if (client !== null) beforeClosing(() => flushMutations(queries));
  }, [client, beforeClosing, queries]);

  const deletions = usePendingDeletions();
  const listed = alerts.data?.items ?? [];
  const items = listed.filter(({ id }) => !deletions.some(({ alert }) => alert.id === id));
  const { total = null } = alerts.data ?? {};
  const lists: Lists = {
    alerts: {
      ...alerts,
      data: alerts.data && { ...alerts.data, items, total: total && total - listed.length + items.length },
      unseen: fired,
      awaited: items.filter(({ status }) => status === 'PENDING').length,
    },
    autoTxs: {
      ...autoTxs,
      unseen: ended,
      awaited: autoTxs.data?.items.filter(isAwaited).length ?? 0,
    },
  };
  return <ListsContext value={lists}>{children}</ListsContext>;
}

interface ListOptions<Item> extends Pick<PolledQuery<ListView<Item>>, 'ask'> {
  readonly key: string;
  readonly isShown: boolean;
  /** Whether this terminal announces what becomes of it. */
  readonly isAwaited: (item: Item) => boolean;
}

/** A remote list that is neither shown nor awaited: only the number beside the tab depends on it. */
const IDLE_MS = 300_000;
/** Reading a long list takes long: about once a block. */
const LONG_LIST = 500;
const LONG_LIST_MS = 12_000;

function useList<Item>(session: ListSession, { key, isShown, ask, isAwaited: isWaited }: ListOptions<Item>) {
  const { client, snapshot, intervalMs, isOwnService, frozen } = session;
  const polled = usePolledQuery<ListView<Item>>(
    // It is polled for its notices while the screen is frozen.
    { ...session, client: snapshot === undefined ? null : client, frozen: false },
    {
      key: [key],
      ask,
      everyMs: ({ items } = { items: [], total: 0, unreadable: 0 }) => {
        const ownMs = items.length > LONG_LIST ? LONG_LIST_MS : 0;
        const elsewhereMs = isShown || items.some(isWaited) ? ELSEWHERE_MS : IDLE_MS;
        return Math.max(intervalMs, isOwnService ? ownMs : elsewhereMs);
      },
    },
  );
  const { data, at, refresh } = polled;
  // A frozen screen keeps its list, whatever is announced over it.
  const shown = useRef({ data, at });
  if (!frozen) shown.current = { data, at };
  // An opened tab shows fresh data, however seldom its list is polled otherwise.
  const renew = useEffectEvent(() => {
    if (data !== undefined && session.now() - at > intervalMs) void refresh();
  });
  useEffect(() => {
    if (isShown && !frozen) renew();
  }, [isShown, frozen]);
  return { ...polled, ...shown.current, latest: data };
}
