import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useEffectEvent, useRef } from 'react';
import type { GasClient } from '../../client/client.ts';
import { type AlertView, describeCondition, type ListView } from '../../client/views/alerts.ts';
import {
  type AutoTxView,
  describeContent,
  describeState,
  describeTarget,
  isAwaited,
  isNear,
} from '../../client/views/auto-txs.ts';
import type { SnapshotView } from '../../client/views/gas.ts';
import { useToast } from '../chrome/toast.tsx';
import type { Scope } from '../input/keymap.ts';
import { flushAlertMutations, useExpectedAlerts } from './mutations.ts';
import { useAlertNotices, useAutoTxNotices } from './notifications.ts';
import { type Polled, usePolledQuery } from './queries.ts';

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
  const words = filter.toLowerCase().split(/\s+/);
  return words.every((word) => text.includes(word));
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

export interface ListSession {
  readonly client: GasClient | null;
  /** `undefined`: no requests to a service whose prices are unavailable. */
  readonly snapshot: SnapshotView | undefined;
  readonly intervalMs: number;
  readonly isOwnService: boolean;
  readonly frozen: boolean;
  readonly now: () => number;
}

interface ListsProviderProps extends ListSession {
  readonly shown: 'alerts' | 'auto-txs' | null;
  readonly beforeClosing: (work: () => Promise<void>) => void;
  readonly children: ReactNode;
}

export function ListsProvider({ shown, beforeClosing, children, ...session }: ListsProviderProps) {
  const { client, snapshot, frozen } = session;
  const queries = useQueryClient();
  const toast = useToast();
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
    isUrgent: (autoTx) => snapshot !== undefined && isNear(autoTx, snapshot),
  });
  const fired = useAlertNotices(session, alerts.latest, shown === 'alerts' && !frozen);
  const ended = useAutoTxNotices(autoTxs.latest, shown === 'auto-txs' && !frozen);
  useEffect(() => {
    if (client !== null) beforeClosing(() => flushAlertMutations(queries, toast));
  }, [client, beforeClosing, queries, toast]);

  const expected = useExpectedAlerts(alerts.data);
  const lists: Lists = {
    alerts: {
      ...alerts,
      data: expected,
      unseen: fired,
      awaited: expected?.items.filter(({ status }) => status === 'PENDING').length ?? 0,
    },
    autoTxs: {
      ...autoTxs,
      unseen: ended,
      awaited: autoTxs.data?.items.filter(isAwaited).length ?? 0,
    },
  };
  return <ListsContext value={lists}>{children}</ListsContext>;
}

interface ListOptions<Item> {
  readonly key: string;
  readonly isShown: boolean;
  readonly ask: (client: GasClient, signal: AbortSignal) => Promise<ListView<Item>>;
  readonly isAwaited: (item: Item) => boolean;
  readonly isUrgent?: (item: Item) => boolean;
}

function useList<Item>(session: ListSession, options: ListOptions<Item>) {
  const { client, snapshot, intervalMs, frozen, now } = session;
  const { key, isShown, ask, isAwaited: isWaited, isUrgent = () => false } = options;
  const tookMs = useRef(0);
  const polled = usePolledQuery<ListView<Item>>({
    key: [key],
    enabled: client !== null && snapshot !== undefined,
    ask: async (signal) => {
      if (client === null) throw new Error('no source');
      const startedAt = performance.now();
      const value = await ask(client, signal);
      tookMs.current = performance.now() - startedAt;
      return value;
    },
    everyMs: (list) => {
      const items = list?.items ?? [];
      const listed = {
        isAwaited: items.some(isWaited),
        isUrgent: items.some(isUrgent),
        tookMs: tookMs.current,
      };
      return pollMs({ ...session, isShown }, listed);
    },
    now,
  });
  const { data, at, refresh } = polled;
  // A frozen screen keeps its list, whatever is announced over it.
  const shown = useRef({ data, at });
  if (!frozen) shown.current = { data, at };
  // An opened tab shows fresh data, however seldom its list is polled otherwise.
  const renew = useEffectEvent(() => {
    if (data !== undefined && now() - at > intervalMs) void refresh();
  });
  useEffect(() => {
    if (isShown && !frozen) renew();
  }, [isShown, frozen]);
  return { ...polled, ...shown.current, latest: data };
}

/** A remote service counts requests: polled about once a block of Ethereum's. */
const ELSEWHERE_MS = 15_000;
/** The same while an item is being sent or mined. */
const URGENT_MS = 10_000;
/** The same while the list is neither shown nor awaited: only the number beside the tab depends on it. */
const IDLE_MS = 300_000;

/** Long lists take longer: polling takes at most a twentieth of the time, but the list is at most a block old. */
const SHARE = 20;
const OLDEST_MS = 12_000;

/** Polling interval of a list, ms. `tookMs`: duration of the last request. */
export function pollMs(
  session: Pick<ListSession, 'intervalMs' | 'isOwnService'> & { readonly isShown: boolean },
  listed: { readonly isAwaited: boolean; readonly isUrgent?: boolean; readonly tookMs: number },
): number {
  const least = Math.max(session.intervalMs, Math.min(listed.tookMs * SHARE, OLDEST_MS));
  if (session.isOwnService) return least;
  if (!session.isShown && !listed.isAwaited) return Math.max(least, IDLE_MS);
  return Math.max(least, listed.isUrgent ? URGENT_MS : ELSEWHERE_MS);
}
