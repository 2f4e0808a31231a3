import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef } from 'react';
import { type AlertListView, type AlertView, describeCondition, isOn } from '../../client/views/alerts.ts';
import {
  type AutoTxListView,
  type AutoTxView,
  describeContent,
  describeState,
  describeTarget,
  isAwaited,
  isNear,
} from '../../client/views/auto-txs.ts';
import { useToast } from '../chrome/toast.tsx';
import { ALERTS_KEY, AUTO_TXS_KEY, flushAlertMutations, useExpectedAlerts } from './mutations.ts';
import { useAlertNotices, useAutoTxNotices } from './notifications.ts';
import { type Dated, type ListSession, type Polled, useServiceList } from './queries.ts';

/** A list of the session's service: polled whichever tab is shown, for its changes are announced everywhere. */
export interface Feed<View> extends Polled<Dated<View>> {
  /** News since the list was last on the screen. */
  readonly unseen: number;
  /** Items that wait for a price or are on their way. */
  readonly awaited: number;
}

export interface Lists {
  readonly alerts: Feed<AlertListView>;
  readonly autoTxs: Feed<AutoTxListView>;
}

export const ListsContext = createContext<Lists | null>(null);

export function useLists(): Lists {
  const lists = useContext(ListsContext);
  if (lists === null) throw new Error('useLists needs a ListsProvider around it');
  return lists;
}

/** The words by which the list that is shown is filtered; empty: all of it is shown. */
export const FilterContext = createContext('');

/** An item of one of the lists. */
export type ListItem = AlertView | AutoTxView;

/** Whether an item has every word of the filter in what is listed of it. */
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

interface ListsProviderProps extends Omit<ListSession, 'isShown'> {
  /** The list that is on the screen. */
  readonly shown: 'alerts' | 'auto-txs' | null;
  /** Has something done before the source is closed. */
  readonly beforeClosing: (work: () => Promise<void>) => void;
  readonly children: ReactNode;
}

/** Polls both lists and announces what becomes of their items. */
export function ListsProvider({ shown, beforeClosing, children, ...session }: ListsProviderProps) {
  const { client, snapshot, frozen, now } = session;
  const queries = useQueryClient();
  const toast = useToast();
  const isShown = (list: 'alerts' | 'auto-txs') => shown === list && !frozen;
  const ofAlerts = { ...session, isShown: shown === 'alerts' };
  const ofAutoTxs = { ...session, isShown: shown === 'auto-txs' };
  const last = {
    alerts: queries.getQueryData<Dated<AlertListView>>([ALERTS_KEY])?.value.items ?? [],
    autoTxs: queries.getQueryData<Dated<AutoTxListView>>([AUTO_TXS_KEY])?.value.items ?? [],
  };
  const took = useRef({ alerts: 0, autoTxs: 0 });
  const alerts = useServiceList<Dated<AlertListView>>(ofAlerts, {
    name: ALERTS_KEY,
    everyMs: pollMs(ofAlerts, {
      isAwaited: last.alerts.some(
        ({ channels, status }) => channels.includes('TERMINAL') && status !== 'DISABLED',
      ),
      tookMs: took.current.alerts,
    }),
    ask: async (from, signal) => {
      const startedAt = performance.now();
      const value = await from.alerts({ signal });
      took.current.alerts = performance.now() - startedAt;
      return { value, at: now() };
    },
  });
  const autoTxs = useServiceList<Dated<AutoTxListView>>(ofAutoTxs, {
    name: AUTO_TXS_KEY,
    everyMs: pollMs(ofAutoTxs, {
      isAwaited: last.autoTxs.some(isAwaited),
      isUrgent: snapshot !== undefined && last.autoTxs.some((autoTx) => isNear(autoTx, snapshot)),
      tookMs: took.current.autoTxs,
    }),
    ask: async (from, signal) => {
      const startedAt = performance.now();
      const value = await from.autoTxs({ signal });
      took.current.autoTxs = performance.now() - startedAt;
      return { value, at: now() };
    },
  });
  const fired = useAlertNotices({
    client,
    snapshot,
    list: alerts.latest?.value,
    isShown: isShown('alerts'),
    now,
  });
  const ended = useAutoTxNotices(autoTxs.latest?.value, isShown('auto-txs'));
  useEffect(() => {
    if (client !== null) beforeClosing(() => flushAlertMutations(queries, toast));
  }, [client, beforeClosing, queries, toast]);

  const expected = useExpectedAlerts(alerts.data?.value);
  const lists = useMemo((): Lists => {
    const shownAlerts =
      alerts.data === undefined || expected === undefined ? undefined : { ...alerts.data, value: expected };
    return {
      alerts: {
        ...alerts,
        data: shownAlerts,
        unseen: fired,
        awaited: expected?.items.filter(({ status }) => isOn(status)).length ?? 0,
      },
      autoTxs: {
        ...autoTxs,
        unseen: ended,
        awaited: autoTxs.data?.value.items.filter(isAwaited).length ?? 0,
      },
    };
  }, [alerts, autoTxs, expected, fired, ended]);
  return <ListsContext value={lists}>{children}</ListsContext>;
}

/** A service elsewhere counts requests: it is polled about once a block of Ethereum's. */
const ELSEWHERE_MS = 15_000;
/** The same while an item is sent or mined. */
const URGENT_MS = 10_000;
/** The same while the list is neither shown nor waited for: only the number beside the tab depends on it. */
const IDLE_MS = 300_000;

/** A long list takes long: listing takes at most a twentieth of the time, but the list is no older than a block. */
const SHARE = 20;
const OLDEST_MS = 12_000;

interface Listed {
  /** Some change of the list is announced. */
  readonly isAwaited: boolean;
  readonly isUrgent?: boolean;
  /** How long the last request took, ms. */
  readonly tookMs: number;
}

/** How often a list is polled, ms. */
export function pollMs(
  session: Pick<ListSession, 'intervalMs' | 'isOwnService' | 'isShown'>,
  { isAwaited: isWaited, isUrgent = false, tookMs }: Listed,
): number {
  const { isOwnService, isShown } = session;
  const least = Math.max(session.intervalMs, Math.min(tookMs * SHARE, OLDEST_MS));
  if (isOwnService) return least;
  if (!isShown && !isWaited) return Math.max(least, IDLE_MS);
  return Math.max(least, isUrgent ? URGENT_MS : ELSEWHERE_MS);
}
