import {
  environmentManager,
  keepPreviousData,
  notifyManager,
  QueryClient,
  type QueryKey,
  replaceEqualDeep,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
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
import { ClientError, type ClientErrorCode } from '../../client/errors.ts';
import { listen } from '../../client/listen.ts';
import type { ServiceDescription } from '../../client/openapi.ts';
import { type Pause, pauseMs } from '../../client/rate-limit.ts';
import type { ChainRulesView } from '../../client/views/chain.ts';
import { type ChainStatus, chainStatus, updateSecOf } from '../../client/views/chain-status.ts';
import type { CurrentView, MarketView } from '../../client/views/dashboard.ts';
import type { ReachView, RecommendationView, SnapshotView, TrendView } from '../../client/views/gas.ts';
import { PATHS } from '../../contract/routes.ts';
import type { ActionName } from '../input/keymap.ts';
import { useElapsed } from '../ui/use-elapsed.ts';

/** What each query needs of its session; without a client nothing is requested. */
export interface QuerySession {
  readonly client: GasClient | null;
  readonly frozen: boolean;
  readonly now: () => number;
  /** The service runs in this process and supports the whole contract. */
  readonly isOwnService: boolean;
}

export type AlertPrefill = Readonly<Record<'gasSpeed' | 'condition' | 'threshold', string>>;

export type PlaceName =
  | { readonly kind: 'block'; readonly number: number }
  | { readonly kind: 'tx'; readonly hash: string };

export interface MonitorScope extends QuerySession {
  readonly client: GasClient;
  readonly snapshot: SnapshotView | undefined;
  /** Of the snapshot; `live` without one. */
  readonly status: ChainStatus;
  /** Polling interval of data that changes with every block, ms. */
  readonly intervalMs: number;
  /** How long the user can wait with a transaction, in seconds. */
  readonly patienceSec: number;
  readonly setPatience: (patienceSec: number) => void;
  /** The shortest interval that the quota allows, ms; left out: any. */
  readonly quotaMs?: number;
  /** Of a remote service. */
  readonly host?: string | null;
  /** Whether others can intercept requests to it. */
  readonly isPlain?: boolean;
  /** Whether a text is a key, so that it must not be shown. Default: recognises gastop's. */
  readonly isKey?: (text: string) => boolean;
  readonly undoMs?: number;
  readonly fullPath: (name: string) => string;
  readonly saveFile: (name: string, text: string) => Promise<string>;
  readonly showTab: (action: ActionName) => void;
  readonly newAlert: (prefill: AlertPrefill) => void;
  readonly openPlace: (place: PlaceName) => void;
}

export const MonitorContext = createContext<MonitorScope | null>(null);

export function useMonitor(): MonitorScope {
  const scope = useContext(MonitorContext);
  if (scope === null) throw new Error('useMonitor needs a MonitorContext around it');
  return scope;
}

/** The current prices; there are some wherever a tab is shown. */
export function useShownSnapshot(): SnapshotView {
  const { snapshot } = useMonitor();
  if (snapshot === undefined) throw new Error('a tab is shown before there are prices');
  return snapshot;
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
  readonly refresh: () => Promise<void>;
}

export interface Dated<T> {
  readonly value: T;
  readonly at: number;
  readonly head?: string | undefined;
}

export interface PolledQuery<T> {
  readonly key: QueryKey;
  readonly ask: (client: GasClient, signal: AbortSignal) => Promise<T>;
  readonly everyMs?: number | null | ((data: T | undefined) => number | null);
  /** The prices whose head block the data belongs to: a new head triggers a refetch. */
  readonly head?: SnapshotView;
  readonly leastMs?: number;
  /** Stops refetching once it returns true: later heads change nothing. */
  readonly isSettled?: (data: T) => boolean;
  /** Without a head: maximum age of a cached response when its screen is shown again, ms; default: 0. */
  readonly freshMs?: number;
  readonly keepsPrevious?: boolean;
  /** `false`: requests nothing and drops nothing. */
  readonly enabled?: boolean;
}

/** When the same response was last received again, ms. */
const receivedAgain = new WeakMap<Dated<unknown>, number>();

/** The same response of the same head stays the same object, so that nothing is drawn anew. */
function shared(before: unknown, after: unknown): unknown {
  const [old, received] = [before as Dated<unknown> | undefined, after as Dated<unknown>];
  const value = replaceEqualDeep(old?.value, received.value);
  if (old === undefined || value !== old.value || old.head !== received.head) return { ...received, value };
  receivedAgain.set(old, received.at);
  return old;
}

/** What a head is known by: its block, time or prices; of ours by its time, too, since history is filled later. */
function headOf({ blockNumber, updatedAt, lanes, source }: SnapshotView): string {
  const own = source.kind === 'service' ? blockNumber : blockNumber && `${blockNumber} ${updatedAt}`;
  const head = own ?? updatedAt ?? `${lanes.slow.price} ${lanes.average.price} ${lanes.fast.price}`;
  return `${head}${source.ended ? ' ended' : ''}`;
}

/** One query of the service, with stale data until there is newer. */
export function usePolledQuery<T>(session: QuerySession, options: PolledQuery<T>): Polled<T> {
  const { client, frozen, now } = session;
  const { key, ask, everyMs = null, leastMs = 0, freshMs = 0, isSettled } = options;
  const queries = useQueryClient();
  const head = options.head && headOf(options.head);
  const requested = useRef<string>(undefined);
  const enabled = client !== null && options.enabled !== false;
  const query = useQuery<Dated<T>, Error>({
    queryKey: key,
    enabled,
    queryFn: async ({ signal }) => {
      if (client === null) throw new Error('no source');
      requested.current = head;
      return { value: await ask(client, signal), at: now(), head };
    },
    structuralSharing: shared,
    staleTime: ({ state }) => {
      if (head === undefined) return freshMs;
      return state.data?.head === head ? Number.POSITIVE_INFINITY : 0;
    },
    placeholderData: options.keepsPrevious
      ? keepPreviousData
      : // A longer key may contain the same item, from another list.
        () =>
          queries.getQueriesData<Dated<T>>({ queryKey: key }).findLast(([, data]) => data !== undefined)?.[1],
    refetchInterval: ({ state }) => {
      // An error without a retry is not polled either.
      if (frozen || state.error !== null) return false;
      return (typeof everyMs === 'function' ? everyMs(state.data?.value) : everyMs) ?? false;
    },
  });
  const { data, refetch } = query;
  // Read from the cache: of what is read from `query`, each change draws the screen anew.
  const cached = () => queries.getQueryState(key);
  const isFetching = () => cached()?.fetchStatus === 'fetching';
  const error = query.failureReason ?? query.error;

  const isGone = error instanceof ClientError && error.code === 'not-found';
  // A failure is retried first, but a missing item may exist with the next block.
  const isBusy =
    error === null
      ? data === undefined || query.isPlaceholderData || isFetching()
      : !isGone || query.status === 'error';
  const isHeld = !enabled || frozen || isBusy || (data !== undefined && isSettled?.(data.value) === true);
  // What the data, or its last request, is of: once that is not the head any more, the new one is requested.
  const requestedHead = (data?.head === head ? head : requested.current) ?? data?.head ?? '';
  const staleHead = head === undefined || head === requestedHead || isHeld ? null : requestedHead;
  // After the end there is one more request, without delay.
  const dueAt = options.head?.source.ended ? 0 : (cached()?.dataUpdatedAt ?? 0) + leastMs;
  const refresh = async () => {
    // Also a request that waits for its retry.
    await queries.cancelQueries({ queryKey: key, exact: true });
    await refetch();
  };
  // What is shown again is requested by itself.
  const follow = useEffectEvent(() => (error === null && isFetching() ? undefined : refresh()));
  useEffect(() => {
    if (staleHead === null) return;
    const timer = setTimeout(follow, Math.max(dueAt - Date.now(), 0));
    return () => clearTimeout(timer);
  }, [staleHead, dueAt]);
  return {
    // A failure keeps the last data on screen; data that no longer exists at a new head is dropped.
    data: isGone && head !== undefined ? undefined : data?.value,
    at: data === undefined ? 0 : (receivedAgain.get(data) ?? data.at),
    error,
    retryAt: error === null || query.fetchStatus === 'idle' ? null : (retryTimes.get(error) ?? null),
    pending: query.isPlaceholderData,
    refresh,
  };
}

export const useMonitorQuery = <T>(options: PolledQuery<T>): Polled<T> =>
  usePolledQuery(useMonitor(), options);

/** Polling interval while blocks since the last run are read; cheap within this process. */
const CATCHING_UP_MS = 200;
const SNAPSHOT_KEY = ['gas/current'];
const TREND_KEY = ['trend'];
export const RULES_KEY = ['chain/rules'];
/** Prices wait so long for the rules of their block: a node that is asked for its forks may be slow. */
const RULES_WITHIN_MS = 100;
const adviceKey = (patienceSec: number) => ['gas/recommendation', patienceSec];

/** `null` when they do not come in time. */
async function rulesSoon(client: GasClient, signal: AbortSignal): Promise<ChainRulesView | null> {
  const late = Promise.withResolvers<null>();
  const timer = setTimeout(late.resolve, RULES_WITHIN_MS, null);
  const asked = client.chainRules({ signal }).catch(() => null);
  return Promise.race([asked, late.promise]).finally(() => clearTimeout(timer));
}

/** Prices, trend, advice and rules of one block at once, so that they are drawn at once. */
function putCurrent(
  queries: QueryClient,
  { snapshot, trend, recommendation, rules }: CurrentView & { readonly rules: ChainRulesView | null },
  patienceSec: number,
  at: number,
): void {
  const put = <T>(key: QueryKey, value: T | null, head?: string) => {
    if (value !== null) queries.setQueryData<Dated<T>>(key, { value, at, head });
  };
  notifyManager.batch(() => {
    put(TREND_KEY, trend, headOf(snapshot));
    put(adviceKey(patienceSec), recommendation, headOf(snapshot));
    put(RULES_KEY, rules);
    put(SNAPSHOT_KEY, snapshot);
  });
}

/**
 * The current prices, by the stream of a service that lists one; otherwise, or when it breaks, polled. Of a service in
 * this process trend, advice and gas rules come with them: elsewhere prices do not wait for another request.
 */
export function useSnapshot(
  session: QuerySession,
  patienceSec: number,
  everyMs: (snapshot: SnapshotView | undefined) => number,
  mayListen: boolean,
): Polled<SnapshotView> & { readonly isListening: boolean; readonly receivedAt: () => number | null } {
  const { client, frozen, isOwnService, now } = session;
  const [isListening, setListening] = useState(false);
  const queries = useQueryClient();
  const askWhole = async (from: GasClient, signal: AbortSignal): Promise<SnapshotView> => {
    const [current, rules] = await Promise.all([
      from.statsCurrent({ patienceSec, signal }),
      rulesSoon(from, signal),
    ]);
    if (!signal.aborted) putCurrent(queries, { ...current, rules }, patienceSec, now());
    return current.snapshot;
  };
  const prices = usePolledQuery<SnapshotView>(session, {
    key: SNAPSHOT_KEY,
    ask: isOwnService ? askWhole : (from, signal) => from.gasCurrent({ signal }),
    everyMs: (snapshot) => {
      if (isListening) return null;
      const isBehind =
        isOwnService && snapshot !== undefined && chainStatus(snapshot, now()).kind === 'catching-up';
      return isBehind ? CATCHING_UP_MS : everyMs(snapshot);
    },
  });
  const take = useEffectEvent((told: SnapshotView, signal: AbortSignal) => {
    const putTold = () => queries.setQueryData<Dated<SnapshotView>>(SNAPSHOT_KEY, { value: told, at: now() });
    if (client === null || !isOwnService) putTold();
    else askWhole(client, signal).catch(() => signal.aborted || putTold());
  });
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
        take(snapshot, stop.signal);
      },
      onListening: (is) => {
        setListening(is);
        if (!is && !stop.signal.aborted) void queries.refetchQueries({ queryKey: SNAPSHOT_KEY, exact: true });
      },
    });
    return () => stop.abort();
  }, [client, isWanted, queries]);
  /** When the newest response came, ms; the same one again draws nothing. */
  const receivedAt = () => {
    const data = queries.getQueryData<Dated<SnapshotView>>(SNAPSHOT_KEY);
    return data === undefined ? null : (receivedAgain.get(data) ?? data.at);
  };
  return { ...prices, isListening, receivedAt };
}

/** The advice at the block of the prices, so that both belong together. */
export function useRecommendation(snapshot: SnapshotView): Polled<RecommendationView> {
  const { quotaMs = 0, patienceSec } = useMonitor();
  return useMonitorQuery({
    key: adviceKey(patienceSec),
    ask: (client, signal) => client.gasRecommendation({ signal, patienceSec }),
    head: snapshot,
    leastMs: quotaMs,
  });
}

export const useTrend = (snapshot: SnapshotView): Polled<TrendView> =>
  useMonitorQuery({ key: TREND_KEY, ask: (client, signal) => client.gasTrend({ signal }), head: snapshot });

export function useMarket(timeFrame: string, timing: Partial<PolledQuery<MarketView>>): Polled<MarketView> {
  return useMonitorQuery({
    key: ['market', timeFrame],
    ask: (client, signal) => client.statsMarket(timeFrame, { signal }),
    ...timing,
  });
}

/** A remote service counts requests: polled about once a block of Ethereum's. */
export const ELSEWHERE_MS = 15_000;

export function useItem<T>(
  key: readonly [string, string],
  ask: PolledQuery<T>['ask'],
  enabled: boolean,
): Polled<T> {
  const { intervalMs, isOwnService } = useMonitor();
  const everyMs = Math.max(intervalMs, isOwnService ? 0 : ELSEWHERE_MS);
  return useMonitorQuery({ key, ask, enabled, everyMs });
}

/** The service's description; `undefined`: not known yet, `null`: it has none. */
export function useDescription(): ServiceDescription | null | undefined {
  const { isOwnService } = useMonitor();
  return useMonitorQuery({
    key: ['description'],
    enabled: !isOwnService,
    ask: (client, signal) => client.description({ signal }),
    freshMs: Number.POSITIVE_INFINITY,
  }).data;
}

/** How long a typed price stands before it is asked for, ms. */
export const SETTLED_MS = 300;

/** How likely a block within `withinSec` (at most 7 days) has at most `price` (wei); `data` of `null`: no forecast. */
export function useReach(price: bigint | null, withinSec: number, snapshot: SnapshotView) {
  const settled = useElapsed(SETTLED_MS, price);
  const isUnable = useRef(false);
  const polled = useMonitorQuery<ReachView | null>({
    key: ['reach', price === null ? null : price.toString(), withinSec],
    // A service without a forecast is not asked for another price.
    enabled: price !== null && settled && !isUnable.current,
    ask: async (client, signal) => {
      const reach = { targetPrice: price ?? 0n, deadlineSec: withinSec };
      const { reach: forecast } = await client.gasRecommendation({ reach, signal });
      isUnable.current = forecast === null;
      return forecast;
    },
    head: snapshot,
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
const SHORTEST_MS = 500;
const SHORTEST_GUESS_MS = 2_000;
const LONGEST_MS = 3_600_000;

export function usualInterval(snapshot: SnapshotView | undefined, isOwnService: boolean): number {
  if (isOwnService) return OWN_INTERVAL_MS;
  return snapshot === undefined ? UNKNOWN_INTERVAL_MS : polledEveryMs(snapshot);
}

/** How often a service is polled, ms. */
export function polledEveryMs(snapshot: SnapshotView): number {
  const isStated = (snapshot.updateFrequencySec ?? 0) > 0;
  return Math.max(updateSecOf(snapshot) * 1_000, isStated ? SHORTEST_MS : SHORTEST_GUESS_MS);
}

/** What the service says of the limits of the key; a service in this process has none. */
export const useRateLimits = (session: QuerySession, everyMs: number) =>
  usePolledQuery(session, {
    key: ['rate-limits'],
    enabled: !session.isOwnService,
    ask: (client, signal) => client.rateLimits({ signal }),
    everyMs,
  });

const QUOTA_EVERY_MS = 60_000;
/** The routes that are polled at the interval: prices and advice. */
const POLLED_ROUTES = 2;

/** The shortest interval with which the remaining daily quota lasts until its reset, ms; 0: no such limit. */
export function useQuotaInterval(session: QuerySession): number {
  const { data } = useRateLimits(session, QUOTA_EVERY_MS);
  if (data === undefined || data.remainingToday === null || data.resetsAt === null) return 0;
  const leftMs = Math.max(data.resetsAt - session.now(), 0);
  const intervalMs = (leftMs * POLLED_ROUTES) / Math.max(data.remainingToday, 1);
  // Whole seconds, so that the interval does not change with every response.
  return intervalMs <= OWN_INTERVAL_MS ? 0 : Math.min(Math.ceil(intervalMs / 1_000) * 1_000, LONGEST_MS);
}

export function useRateLimit(client: GasClient | null): Pause | null {
  const limit = client?.rateLimit;
  return useSyncExternalStore(limit?.subscribe ?? (() => () => {}), limit?.read ?? (() => null));
}

export function createQueryClient(): QueryClient {
  // Without a `window` it would neither poll nor drop anything.
  environmentManager.setIsServer(() => false);
  return new QueryClient({
    defaultOptions: {
      queries: {
        // A permanent failure is not requested again when another screen was shown in between.
        retryOnMount: false,
        retry: (_, error) => mayPass(error),
        retryDelay: (failures, error) => {
          const delayMs = retryDelayMs(error, failures);
          retryTimes.set(error, Date.now() + delayMs);
          return delayMs;
        },
      },
    },
  });
}

const retryTimes = new WeakMap<Error, number>();

/** Routes without path parameters: they exist or not. Of the prices a proxy denies it while a service restarts. */
const FIXED: ReadonlySet<string> = new Set(
  Object.values(PATHS).filter((path) => !path.includes('{') && path !== PATHS.gasCurrent),
);

/** `false` for what only the user can change: a refused key, a route that the plan or the service lacks. */
function mayPass(error: Error): boolean {
  if (!(error instanceof ClientError)) return true;
  const { code, endpoint } = error;
  return code !== 'key' && code !== 'plan' && !(code === 'not-found' && FIXED.has(endpoint));
}

/** First and longest wait, ms. */
const BACK_OFF: Partial<Record<ClientErrorCode, readonly [firstMs: number, longestMs: number]>> = {
  // A service with invalid responses is not corrected within seconds, and each try may cost quota.
  unreadable: [10_000, 60_000],
  // An invalid request seldom becomes valid, except when a chain grows.
  invalid: [30_000, 600_000],
  'not-found': [30_000, 30_000],
};

function retryDelayMs(error: Error, failures: number): number {
  const failure = error instanceof ClientError ? error : null;
  if (failure && (failure.code === 'quota' || failure.retryAfterSec !== null)) return pauseMs(failure);
  const [firstMs, longestMs] = (failure && BACK_OFF[failure.code]) ?? [1_000, 30_000];
  // With jitter, so that many monitors do not poll in step.
  return Math.round(Math.min(firstMs * 2 ** failures, longestMs) * (0.75 + Math.random() / 2));
}
