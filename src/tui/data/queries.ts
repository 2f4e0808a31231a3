import { type QueryClient, type QueryKey, useQuery, useQueryClient } from '@tanstack/react-query';
import {
  createContext,
  useContext,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import type { GasClient } from '../../client/client.ts';
import { ClientError } from '../../client/errors.ts';
import { listen } from '../../client/listen.ts';
import type { ServiceDescription } from '../../client/openapi.ts';
import type { Pause } from '../../client/rate-limit.ts';
import type { MarketView } from '../../client/views/dashboard.ts';
import type { ReachView, RecommendationView, SnapshotView } from '../../client/views/gas.ts';
import { chainProfile, staleAfterMs } from '../../core/chains.ts';
import { useElapsed } from '../app/clock.ts';
import { isCatchingUp } from '../app/connection.ts';
import { retryAtOf, retryDelayMs } from './query-client.ts';

export interface MonitorScope {
  readonly client: GasClient;
  /** Polling interval of data that changes with every block, ms. */
  readonly intervalMs: number;
  /** The shortest interval that the quota allows, ms; left out: any. */
  readonly quotaMs?: number;
  /** The service runs in this process and supports the whole contract. */
  readonly isOwnService?: boolean;
  /** Host of a remote service, which receives all requests. */
  readonly host?: string | null;
  /** Whether others can intercept requests to it. */
  readonly isPlain?: boolean;
  readonly frozen: boolean;
  /** Whether a text is a key, so that it must not be shown. Default: recognises gastop's. */
  readonly isKey?: (text: string) => boolean;
  readonly undoMs?: number;
  readonly now: () => number;
  readonly saveFile: (name: string, text: string) => Promise<string>;
}

export const MonitorContext = createContext<MonitorScope | null>(null);

export function useMonitor(): MonitorScope {
  const scope = useContext(MonitorContext);
  if (scope === null) throw new Error('useMonitor needs a MonitorContext around it');
  return scope;
}

export interface Polled<T> {
  readonly data: T | undefined;
  /** When `data` arrived, ms; 0 without data. */
  readonly at: number;
  /** Why the last request failed; `null` as soon as one succeeds. */
  readonly error: Error | null;
  /** Time of the next retry, ms since epoch; `null` while all is well, or without one. */
  readonly retryAt: number | null;
  readonly pending: boolean;
  /** Refetches, and cancels a pending request; resolves with the response. */
  readonly refresh: () => Promise<void>;
}

export interface Dated<T> {
  readonly value: T;
  readonly at: number;
}

interface PolledQuery<T> {
  readonly key: QueryKey;
  readonly ask: (signal: AbortSignal) => Promise<T>;
  readonly everyMs?: number | null | ((data: T | undefined) => number | null);
  /** The prices whose head block the data belongs to: a new head triggers a refetch. */
  readonly head?: SnapshotView;
  readonly leastMs?: number;
  /** Stops refetching once it returns true: later heads change nothing. */
  readonly isSettled?: (data: T) => boolean;
  /** Without a head: maximum age of a cached response when its screen is shown again, ms; default: 0. */
  readonly freshMs?: number;
  /** Shows data of a key with this many equal leading parts until the response comes. */
  readonly sameParts?: number;
  /** `false`: requests nothing and drops nothing. */
  readonly enabled?: boolean;
  readonly frozen?: boolean;
  readonly now?: () => number;
}

/**
 * Identifies the data of a head: a service without block numbers changes its time, or its prices. Ours changes its
 * time for the same block once more history is filled. At the end of a recording its history is complete.
 */
function headOf({ blockNumber, updatedAt, lanes, source }: SnapshotView): string {
  const own = source.kind === 'service' ? blockNumber : blockNumber && `${blockNumber} ${updatedAt}`;
  const head = own ?? updatedAt ?? `${lanes.slow.price} ${lanes.average.price} ${lanes.fast.price}`;
  return `${head}${source.ended ? ' ended' : ''}`;
}

const HEADS = new WeakMap<object, { readonly requested: string; readonly answered?: string | undefined }>();

/** One query of the service: retried by `query-client`, with stale data until there is newer. */
export function usePolledQuery<T>(options: PolledQuery<T>): Polled<T> {
  const { key, ask, everyMs = null, leastMs = 0, freshMs = 0, sameParts, isSettled } = options;
  const { enabled = true, frozen = false, now = Date.now } = options;
  const queries = useQueryClient();
  const head = options.head && headOf(options.head);
  const cached = () => queries.getQueryCache().find({ queryKey: key });
  const dated = async (signal: AbortSignal) => ({ value: await ask(signal), at: now() });
  const query = useQuery<Dated<T>, Error>({
    queryKey: key,
    enabled,
    queryFn: async ({ signal }) => {
      const own = cached();
      if (own === undefined || head === undefined) return dated(signal);
      HEADS.set(own, { requested: head, answered: HEADS.get(own)?.answered });
      const data = await dated(signal);
      HEADS.set(own, { requested: head, answered: head });
      return data;
    },
    staleTime: (own) => {
      if (head === undefined) return freshMs;
      return HEADS.get(own)?.answered === head ? Number.POSITIVE_INFINITY : 0;
    },
    placeholderData: (previous, last) =>
      sameParts !== undefined && key.slice(0, sameParts).every((part, at) => part === last?.queryKey[at])
        ? previous
        : // A longer key may contain the same item, from another list.
          queries
            .getQueriesData<typeof previous>({ queryKey: key })
            .findLast(([, data]) => data !== undefined)?.[1],
    refetchInterval: ({ state }) => {
      // An error without a retry is not polled either.
      if (frozen || state.error !== null) return false;
      return (typeof everyMs === 'function' ? everyMs(state.data?.value) : everyMs) ?? false;
    },
  });
  const failure = query.failureReason ?? query.error;
  // While missing data is requested again, the screen keeps saying why there is none.
  const id = JSON.stringify(key);
  const last = useRef<{ readonly id: string; readonly error: Error } | null>(null);
  const isAskedAgain = last.current?.id === id && query.data === undefined;
  const error = failure ?? (isAskedAgain ? (last.current?.error ?? null) : null);
  last.current = error === null ? null : { id, error };

  const refresh = async () => {
    await queries.cancelQueries({ queryKey: key, exact: true });
    await query.refetch();
  };
  const follow = useEffectEvent(refresh);
  const own = cached();
  const requested = own && HEADS.get(own)?.requested;
  // A failure is retried first, but a missing item may exist with the next block.
  const isBusy = failure === null ? query.isFetching : !mayCome(failure);
  const isHeld =
    !enabled || frozen || isBusy || (query.data !== undefined && isSettled?.(query.data.value) === true);
  // The head of the last request, once there is a newer one: both may have changed since the last frame.
  const behind = head === undefined || requested === head || isHeld ? null : (requested ?? '');
  // After the end there is one more request, without delay.
  const dueAt = options.head?.source.ended ? 0 : query.dataUpdatedAt + leastMs;
  useEffect(() => {
    if (behind === null) return;
    const timer = setTimeout(follow, Math.max(dueAt - Date.now(), 0));
    return () => clearTimeout(timer);
  }, [behind, dueAt]);
  // A failure keeps the last data on screen; data that no longer exists at a new head is dropped.
  const isGone = head !== undefined && error instanceof ClientError && error.code === 'not-found';
  return {
    data: isGone ? undefined : query.data?.value,
    at: query.data?.at ?? 0,
    error,
    retryAt: error === null || query.fetchStatus === 'idle' ? null : retryAtOf(error),
    pending: query.isPlaceholderData,
    refresh,
  };
}

interface MonitorQuery<T> extends Omit<PolledQuery<T>, 'ask' | 'frozen' | 'now'> {
  readonly ask: (client: GasClient, signal: AbortSignal) => Promise<T>;
}

export function useMonitorQuery<T>({ ask, ...options }: MonitorQuery<T>): Polled<T> {
  const { client, frozen, now } = useMonitor();
  return usePolledQuery({ ...options, ask: (signal) => ask(client, signal), frozen, now });
}

/** Stops all changes on screen, also those due before React has drawn the frozen screen. */
export function standStill(queries: QueryClient): void {
  void queries.cancelQueries({ predicate: ({ state }) => state.data !== undefined });
  for (const { observers } of queries.getQueryCache().findAll({ type: 'active' })) {
    for (const observer of observers) observer.setOptions({ ...observer.options, refetchInterval: false });
  }
}

function mayCome(error: Error): boolean {
  return error instanceof ClientError && error.code === 'not-found' && retryDelayMs(error, 1) !== null;
}

/** Polling interval while blocks since the last run are read; cheap within this process. */
const CATCHING_UP_MS = 200;
const noSource = () => Promise.reject(new Error('no source'));

interface SnapshotTiming {
  readonly intervalMs: number;
  readonly frozen: boolean;
  readonly isOwnService?: boolean;
  /** Whether the prices may come by the service's stream, each block as it is made. */
  readonly mayListen?: boolean;
}

const SNAPSHOT_KEY = ['gas/current'];

/** The current prices, by the stream of a service that lists one; otherwise, or when it breaks, polled. */
export function useSnapshot(
  client: GasClient | null,
  timing: SnapshotTiming,
): Polled<SnapshotView> & { readonly isListening: boolean } {
  const { intervalMs, frozen, isOwnService = false, mayListen = false } = timing;
  const [isListening, setListening] = useState(false);
  const prices = usePolledQuery({
    key: SNAPSHOT_KEY,
    enabled: client !== null,
    ask: (signal) => client?.gasCurrent({ signal }) ?? noSource(),
    everyMs: (snapshot) => {
      if (isListening) return null;
      return isOwnService && snapshot !== undefined && isCatchingUp(snapshot) ? CATCHING_UP_MS : intervalMs;
    },
    frozen,
  });
  const queries = useQueryClient();
  const isWanted = mayListen && !frozen && prices.data !== undefined;
  useEffect(() => {
    if (client === null || !isWanted) return;
    const stop = new AbortController();
    void listen(client, {
      signal: stop.signal,
      onSnapshot: (snapshot) => {
        if (stop.signal.aborted) return;
        // What is on its way is no newer.
        void queries.cancelQueries({ queryKey: SNAPSHOT_KEY, exact: true });
        queries.setQueryData<Dated<SnapshotView>>(SNAPSHOT_KEY, { value: snapshot, at: Date.now() });
      },
      onListening: (is) => {
        setListening(is);
        if (!is && !stop.signal.aborted) void queries.refetchQueries({ queryKey: SNAPSHOT_KEY, exact: true });
      },
    });
    return () => stop.abort();
  }, [client, isWanted, queries]);
  return { ...prices, isListening };
}

/** The advice at the block of the prices, so that both belong together. */
export function useRecommendation(snapshot: SnapshotView): Polled<RecommendationView> {
  const { quotaMs = 0 } = useMonitor();
  return useMonitorQuery({
    key: ['gas/recommendation'],
    ask: (client, signal) => client.gasRecommendation({ signal }),
    head: snapshot,
    leastMs: quotaMs,
  });
}

export function useMarket(timeFrame: string, timing: Partial<MonitorQuery<MarketView>>): Polled<MarketView> {
  return useMonitorQuery({
    key: ['market', timeFrame],
    ask: (client, signal) => client.statsMarket(timeFrame, { signal }),
    ...timing,
  });
}

/** A remote service counts requests. */
export const ELSEWHERE_MS = 15_000;

export function useItem<T>(
  key: readonly [string, string],
  ask: (client: GasClient, signal: AbortSignal) => Promise<T>,
): Polled<T> {
  const { intervalMs, isOwnService = false } = useMonitor();
  const everyMs = isOwnService ? intervalMs : Math.max(intervalMs, ELSEWHERE_MS);
  return useMonitorQuery({ key, ask, everyMs });
}

/** The service's description; `undefined`: not known yet, `null`: it has none. */
export function useDescription(): ServiceDescription | null | undefined {
  const { isOwnService = false } = useMonitor();
  return useMonitorQuery({
    key: ['description'],
    // The embedded service needs no description.
    enabled: !isOwnService,
    ask: (client, signal) => client.description({ signal }),
    freshMs: Number.POSITIVE_INFINITY,
  }).data;
}

/** A price that is being typed, or a moving cursor, is not requested. */
const SETTLED_MS = 300;

/**
 * Probability that some block within `withinSec` (whole seconds, at most 7 days) has a price at or below `price` (wei
 * per gas, base fee plus tip), at the head. `null`: no request. `data` is `null` when the service has no forecast,
 * which is then not requested again.
 */
export function useReach(
  price: bigint | null,
  withinSec: number,
  snapshot: SnapshotView,
): Polled<ReachView | null> {
  const settled = useElapsed(SETTLED_MS, price);
  const isUnable = useRef(false);
  const polled = useMonitorQuery<ReachView | null>({
    key: ['reach', price === null ? null : price.toString(), withinSec],
    enabled: price !== null && settled && !isUnable.current,
    ask: async (client, signal) => {
      const reach = { targetPrice: price ?? 0n, deadlineSec: withinSec };
      const { reach: forecast } = await client.gasRecommendation({ reach, signal });
      isUnable.current = forecast === null;
      return forecast;
    },
    head: snapshot,
    isSettled: (forecast) => forecast === null,
  });
  return isUnable.current ? { ...polled, data: null } : polled;
}

/** Once prices come again, retries everything else that had failed, once. */
export function useRecovery(failing: boolean): void {
  const queries = useQueryClient();
  const failed = useRef(failing);
  useEffect(() => {
    if (failed.current && !failing) {
      void queries.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' });
    }
    failed.current = failing;
  }, [failing, queries]);
}

const UNKNOWN_INTERVAL_MS = 5_000;
/** Polling interval of a service in this process, unless the user changes it. */
const OWN_INTERVAL_MS = 1_000;
/** A service of an unknown chain is polled as often as Ethereum has blocks. */
const MAINNET_INTERVAL_MS = 12_000;
const SHORTEST_MS = 500;
/** Minimum polling interval derived from a chain's block time. */
const SHORTEST_GUESS_MS = 2_000;
const LONGEST_MS = 3_600_000;

export function usualInterval(snapshot: SnapshotView | undefined, isOwnService: boolean): number {
  if (isOwnService) return OWN_INTERVAL_MS;
  return snapshot === undefined ? UNKNOWN_INTERVAL_MS : polledEveryMs(snapshot);
}

/** How often a service has new data, ms: its own `updateFrequencySec`, or else its chain's block time. */
export function polledEveryMs({ updateFrequencySec, chainId }: SnapshotView): number {
  if (updateFrequencySec !== null && updateFrequencySec > 0) {
    return Math.min(Math.max(updateFrequencySec * 1_000, SHORTEST_MS), LONGEST_MS);
  }
  if (chainId === null) return MAINNET_INTERVAL_MS;
  return Math.max(chainProfile(chainId).feeRule.blockTimeSec * 1_000, SHORTEST_GUESS_MS);
}

/** Whether prices are overdue, for services that do not report it and for a frozen screen. */
export function isOverdue(snapshot: SnapshotView | undefined, frozen: boolean, now: number): boolean {
  if (snapshot === undefined || (snapshot.stale !== null && !frozen)) return false;
  const { source, blockTimestamp, updatedAt } = snapshot;
  if (source.kind === 'replay' || source.ended) return false;
  return now - (blockTimestamp ?? updatedAt ?? now) > staleAfterMs(polledEveryMs(snapshot) / 1_000);
}

const QUOTA_EVERY_MS = 60_000;
/** The routes that are polled at the interval: prices and advice. */
const POLLED_ROUTES = 2;

/** The shortest interval with which the remaining daily quota lasts until its reset, ms; 0: no such limit. */
export function useQuotaInterval(
  client: GasClient | null,
  isOwnService: boolean,
  timing: { readonly frozen: boolean; readonly now: () => number },
): number {
  const { frozen, now } = timing;
  const { data } = usePolledQuery({
    key: ['rate-limits'],
    enabled: client !== null && !isOwnService,
    ask: async (signal) => client?.rateLimits({ signal }) ?? noSource(),
    everyMs: QUOTA_EVERY_MS,
    frozen,
  });
  if (data === undefined || data.remainingToday === null || data.resetsAt === null) return 0;
  const leftMs = Math.max(data.resetsAt - now(), 0);
  const intervalMs = (leftMs * POLLED_ROUTES) / Math.max(data.remainingToday, 1);
  // Whole seconds, so that the interval does not change with every response.
  return intervalMs <= OWN_INTERVAL_MS ? 0 : Math.min(Math.ceil(intervalMs / 1_000) * 1_000, LONGEST_MS);
}

/** Why the client pauses requests, after a 429 or a refused key; `null`: it does not. */
export function useRateLimit(client: GasClient | null): Pause | null {
  const limit = client?.rateLimit;
  return useSyncExternalStore(limit?.subscribe ?? (() => () => {}), limit?.read ?? (() => null));
}
