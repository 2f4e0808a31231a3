import { type QueryClient, type QueryKey, useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, useContext, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { GasClient } from '../../client/client.ts';
import { ClientError } from '../../client/errors.ts';
import type { ServiceDescription } from '../../client/openapi.ts';
import type { Pause } from '../../client/rate-limit.ts';
import type { MarketView } from '../../client/views/dashboard.ts';
import type { ReachView, RecommendationView, SnapshotView } from '../../client/views/gas.ts';
import { chainProfile, staleAfterMs } from '../../core/chains.ts';
import { useElapsed } from '../app/clock.ts';
import { isCatchingUp } from '../app/connection.ts';
import { retryAtOf, retryDelayMs } from './query-client.ts';

/** What every pane's data hooks share. */
export interface MonitorScope {
  readonly client: GasClient;
  /** How often to ask for what changes with every block, ms. */
  readonly intervalMs: number;
  /** The service is our own, in this process: what it offers is what the contract says. */
  readonly isOwnService?: boolean;
  /** Who gets what is sent, where that is another service: its host. */
  readonly host?: string | null;
  /** Others on the way to it can read what is sent. */
  readonly isPlain?: boolean;
  /** The user froze the screen: nothing is requested by itself. */
  readonly frozen: boolean;
  /** Whether a text is a key, so that it must not be shown. Default: those of gastop are. */
  readonly isKey?: (text: string) => boolean;
  /** How long a deletion can be undone, ms. Default: 10 s. */
  readonly undoMs?: number;
  readonly now: () => number;
  /** Saves a file for the user and resolves to the path as people should read it. */
  readonly saveFile: (name: string, text: string) => Promise<string>;
}

export const MonitorContext = createContext<MonitorScope | null>(null);

export function useMonitor(): MonitorScope {
  const scope = useContext(MonitorContext);
  if (scope === null) throw new Error('useMonitor needs a MonitorContext around it');
  return scope;
}

/** What is known of something that is requested again and again. */
export interface Polled<T> {
  /** The last good response; stays through failures. */
  readonly data: T | undefined;
  /** Why the last request failed; `null` as soon as one succeeds. */
  readonly error: Error | null;
  /** When the next request comes by itself, ms since epoch; `null` while all is well or if none comes. */
  readonly retryAt: number | null;
  /** `data` is still that of another key, while the response to this one is on its way. */
  readonly pending: boolean;
  /** Requests now, instead of what is on its way; resolves when the response is there. */
  readonly refresh: () => Promise<void>;
}

/** A response with the time at which it came, ms. */
export interface Dated<T> {
  readonly value: T;
  readonly at: number;
}

export interface PolledQuery<T> {
  readonly key: QueryKey;
  readonly ask: (signal: AbortSignal) => Promise<T>;
  /** Between two requests, ms; `null` or absent: no polling. A function may ask for sooner after a response. */
  readonly everyMs?: number | null | ((data: T | undefined) => number | null);
  /** The prices whose head block belongs to the key: a new head is a new request. */
  readonly head?: SnapshotView;
  /** A new head is followed no more often than this, ms. */
  readonly leastMs?: number;
  /** Follows no head any more once this says so: nothing changes with the next one. */
  readonly isSettled?: (data: T) => boolean;
  /** A response no older is good enough when its screen is shown again, ms; default: 0, with a head: for that head. */
  readonly freshMs?: number;
  /** Data of a key that begins with as many of the same parts is shown until the response comes; default: of an older head. */
  readonly sameParts?: number;
  /** `false`: requests nothing and drops nothing. */
  readonly enabled?: boolean;
  /** No polling. */
  readonly frozen?: boolean;
}

type Head = number | string | null;

/**
 * What changes when there is something new: a service that names no block changes its time, or its prices. Ours has
 * another time for the same block once it knows more of the past. With the end of a recording its history is whole.
 */
function headOf({ blockNumber, updatedAt, lanes, source }: SnapshotView): Head {
  const own = source.kind === 'service' ? blockNumber : blockNumber && `${blockNumber} ${updatedAt}`;
  const head = own ?? updatedAt ?? `${lanes.slow.price} ${lanes.average.price} ${lanes.fast.price}`;
  return source.ended ? `${head} ended` : head;
}

/** One query of the service: retried as `query-client` says, with old data until there is newer. */
export function usePolledQuery<T>(options: PolledQuery<T>): Polled<T> {
  const { key, ask, everyMs = null, head, leastMs = 0, isSettled, enabled = true, frozen = false } = options;
  const queries = useQueryClient();
  const [followed, follow] = useState({
    head: head === undefined ? null : headOf(head),
    at: performance.now(),
  });
  const queryKey = head === undefined ? key : [...key, followed.head];
  /** The newest data of any head. */
  const kept = <Data>() =>
    queries
      .getQueriesData<Data>({ queryKey: key, predicate: isOfHead(key) })
      .findLast(([, data]) => data !== undefined)?.[1];
  const query = useQuery<T, Error>({
    queryKey,
    enabled,
    queryFn: async ({ signal }) => {
      const data = await ask(signal);
      // One head a route is kept, or the cache would grow with the chain.
      if (head !== undefined) {
        queries.removeQueries({ queryKey: key, type: 'inactive', predicate: isOfHead(key) });
      }
      return data;
    },
    staleTime: options.freshMs ?? (head === undefined ? 0 : Number.POSITIVE_INFINITY),
    placeholderData: (previous, last) => {
      const same = options.sameParts ?? (head === undefined ? null : key.length);
      if (same === null) return undefined;
      if (last !== undefined && key.slice(0, same).every((part, at) => part === last.queryKey[at]))
        return previous;
      return kept<typeof previous>();
    },
    refetchInterval: ({ state }) => {
      // An error that is not retried is not polled either.
      if (frozen || state.error !== null) return false;
      return (typeof everyMs === 'function' ? everyMs(state.data) : everyMs) ?? false;
    },
  });
  const failure = query.failureReason ?? query.error;
  // While what was not there is requested at a newer head, the screen goes on saying why there is none.
  const id = JSON.stringify(key);
  const last = useRef<{ readonly id: string; readonly error: Error } | null>(null);
  const isAskedAgain = last.current?.id === id && query.data === undefined && query.isFetching;
  const error = failure ?? (isAskedAgain ? (last.current?.error ?? null) : null);
  last.current = error === null ? null : { id, error };
  const settled = query.data !== undefined && isSettled?.(query.data) === true;
  useFollowedHead({
    head: head === undefined ? null : headOf(head),
    followed,
    follow,
    // After the end there is one more request, and nothing to be sparing with.
    leastMs: head?.source.ended === true ? 0 : leastMs,
    // What has failed is retried first, but what is not there yet may be there with the next block.
    held: frozen || settled || (failure === null ? query.isFetching : !mayCome(failure)),
  });
  // A failure at a new head leaves the data of the last one on the screen; what is not there any more is not shown.
  const isGone = error instanceof ClientError && error.code === 'not-found';
  return {
    data: query.data === undefined && error !== null && !isGone ? kept<T>() : query.data,
    error,
    retryAt: error === null || query.fetchStatus === 'idle' ? null : retryAtOf(error),
    pending: query.isPlaceholderData,
    refresh: async () => {
      await queries.cancelQueries({ queryKey, exact: true });
      await query.refetch();
    },
  };
}

/**
 * Nothing that is on the screen changes from now on. What is under way, or is due before React has drawn the frozen
 * screen, would still change it; with that frame each query polls again if it does so while the monitor is frozen.
 */
export function standStill(queries: QueryClient): void {
  void queries.cancelQueries({ predicate: ({ state }) => state.data !== undefined });
  for (const { observers } of queries.getQueryCache().findAll({ type: 'active' })) {
    for (const observer of observers) observer.setOptions({ ...observer.options, refetchInterval: false });
  }
}

/** Whether a request failed because there is no such block or transaction yet. */
function mayCome(error: Error): boolean {
  return error instanceof ClientError && error.code === 'not-found' && retryDelayMs(error, 1) !== null;
}

/** Whether a query is that of `key` at some head. */
function isOfHead(key: QueryKey): (query: { readonly queryKey: QueryKey }) => boolean {
  return ({ queryKey }) =>
    queryKey.length === key.length + 1 && key.every((part, at) => part === queryKey[at]);
}

interface FollowedHead {
  readonly head: Head;
  readonly at: number;
}

interface FollowingOptions {
  readonly head: Head;
  readonly followed: FollowedHead;
  readonly follow: (next: FollowedHead) => void;
  readonly leastMs: number;
  readonly held: boolean;
}

/** Moves a key on to the newest head, at most every `leastMs` and not while it is held. */
function useFollowedHead({ head, followed, follow, leastMs, held }: FollowingOptions): void {
  useEffect(() => {
    if (held || followed.head === head) return;
    const next = () => follow({ head, at: performance.now() });
    const waitMs = followed.at + leastMs - performance.now();
    if (waitMs <= 0) return next();
    const timer = setTimeout(next, waitMs);
    return () => clearTimeout(timer);
  }, [head, followed, follow, leastMs, held]);
}

/** Between two requests while blocks that came since the last run are read; that costs no more than a call in this process. */
const CATCHING_UP_MS = 200;
const noSource = () => Promise.reject(new Error('no source'));

/** The current prices: the heartbeat of the monitor. Requests nothing while there is no client. */
export function useSnapshot(
  client: GasClient | null,
  timing: { readonly intervalMs: number; readonly frozen: boolean; readonly isOwnService?: boolean },
): Polled<SnapshotView> {
  const { intervalMs, frozen, isOwnService = false } = timing;
  return usePolledQuery({
    key: ['gas/current'],
    enabled: client !== null,
    ask: (signal) => client?.gasCurrent({ signal }) ?? noSource(),
    everyMs: (snapshot) =>
      isOwnService && snapshot !== undefined && isCatchingUp(snapshot) ? CATCHING_UP_MS : intervalMs,
    frozen,
  });
}

/** The advice at the block of the prices, so that both are of one block. */
export function useRecommendation(snapshot: SnapshotView): Polled<Dated<RecommendationView>> {
  const { client, frozen, now } = useMonitor();
  return usePolledQuery({
    key: ['gas/recommendation'],
    ask: async (signal) => ({ value: await client.gasRecommendation({ signal }), at: now() }),
    head: snapshot,
    frozen,
  });
}

interface MarketTiming {
  readonly head?: SnapshotView;
  readonly leastMs?: number;
  readonly everyMs?: number;
  readonly freshMs?: number;
  readonly enabled?: boolean;
}

/** The figures of a time frame, one query for every screen that shows them. */
export function useMarket(timeFrame: string, timing: MarketTiming): Polled<Dated<MarketView>> {
  const { client, frozen, now } = useMonitor();
  return usePolledQuery({
    key: ['market', timeFrame],
    ask: async (signal) => ({ value: await client.statsMarket(timeFrame, { signal }), at: now() }),
    frozen,
    ...timing,
  });
}

/** What the service says about itself; `undefined`: not known yet, `null`: it has no description. */
export function useDescription(): ServiceDescription | null | undefined {
  const { client, isOwnService = false } = useMonitor();
  return usePolledQuery({
    key: ['description'],
    // Of the contract itself there is nothing to learn.
    enabled: !isOwnService,
    ask: (signal) => client.description({ signal }),
    freshMs: Number.POSITIVE_INFINITY,
  }).data;
}

/** A price that is still being typed, or a cursor that still moves, is not asked about. */
const SETTLED_MS = 300;

/**
 * How likely some block within `withinSec` (whole seconds, at most 7 days) asks for no more than `price` (wei per gas,
 * base fee and tip together), at the head. `null`: no price is asked about. `data` is `null` where the service does
 * not say; then it is not asked any more.
 */
export function useReach(
  price: bigint | null,
  withinSec: number,
  snapshot: SnapshotView,
): Polled<ReachView | null> {
  const { client, frozen } = useMonitor();
  const settled = useElapsed(SETTLED_MS, price);
  const isUnable = useRef(false);
  const polled = usePolledQuery<ReachView | null>({
    key: ['reach', price === null ? null : price.toString(), withinSec],
    enabled: price !== null && settled && !isUnable.current,
    ask: async (signal) => {
      const reach = { targetPrice: price ?? 0n, deadlineSec: withinSec };
      const { reach: answer } = await client.gasRecommendation({ reach, signal });
      isUnable.current = answer === null;
      return answer;
    },
    head: snapshot,
    isSettled: (answer) => answer === null,
    frozen,
  });
  return isUnable.current ? { ...polled, data: null } : polled;
}

/** Once the prices come again, everything else that had failed is requested again too, once. */
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

/** What decides whether and how often a list of the session's service is requested. */
export interface ListSession {
  readonly client: GasClient | null;
  /** `undefined`: nothing is requested of a service that does not answer even for its prices. */
  readonly snapshot: SnapshotView | undefined;
  /** How often prices are requested, ms. */
  readonly intervalMs: number;
  readonly isOwnService: boolean;
  readonly frozen: boolean;
  /** The list is on the screen. */
  readonly isShown: boolean;
  readonly now: () => number;
}

interface ListQuery<T> {
  /** Tells one list from the other. */
  readonly name: string;
  readonly ask: (client: GasClient, signal: AbortSignal) => Promise<T>;
  readonly everyMs: number;
}

export interface ListData<T> extends Polled<T> {
  /** The newest response; over a frozen screen it is newer than `data`, which is what may be shown. */
  readonly latest: T | undefined;
}

/** A list of the service, polled whichever tab is shown: what changes in it is announced everywhere. */
export function useServiceList<T extends Dated<unknown>>(
  session: ListSession,
  { name, ask, everyMs }: ListQuery<T>,
): ListData<T> {
  const { client, snapshot, intervalMs, frozen, isShown, now } = session;
  const polled = usePolledQuery<T>({
    key: [name],
    enabled: client !== null && snapshot !== undefined,
    ask: (signal) => (client === null ? noSource() : ask(client, signal)),
    everyMs,
    freshMs: everyMs,
  });
  const { data, refresh } = polled;
  const shown = useRef(data);
  if (!frozen) shown.current = data;
  // A tab that is opened shows what is true now, however seldom its list is polled otherwise.
  const latest = useRef({ at: data?.at ?? null, refresh });
  latest.current = { at: data?.at ?? null, refresh };
  useEffect(() => {
    const { at, refresh: again } = latest.current;
    if (isShown && !frozen && at !== null && now() - at > intervalMs) void again();
  }, [isShown, frozen, intervalMs, now]);
  const stable = useRef(() => latest.current.refresh());
  return { ...polled, data: shown.current, latest: data, refresh: stable.current };
}

/** Until the first response. */
const UNKNOWN_INTERVAL_MS = 5_000;
/** Between two requests to a service in this process, unless the user wants otherwise. */
const OWN_INTERVAL_MS = 1_000;
/** A service that names no chain is polled as often as Ethereum has blocks. */
const MAINNET_INTERVAL_MS = 12_000;
const SHORTEST_MS = 500;
/** A chain's blocks may come faster than a service elsewhere wants to be polled. */
const SHORTEST_GUESS_MS = 2_000;
const LONGEST_MS = 3_600_000;

/** How often the prices are requested unless the user says otherwise, ms. */
export function usualInterval(snapshot: SnapshotView | undefined, isOwnService: boolean): number {
  if (isOwnService) return OWN_INTERVAL_MS;
  return snapshot === undefined ? UNKNOWN_INTERVAL_MS : polledEveryMs(snapshot);
}

/** How often a service has something new, ms: its own `updateFrequencySec`, else its chain's block time. */
export function polledEveryMs({ updateFrequencySec, chainId }: SnapshotView): number {
  if (updateFrequencySec !== null && updateFrequencySec > 0) {
    return Math.min(Math.max(updateFrequencySec * 1_000, SHORTEST_MS), LONGEST_MS);
  }
  if (chainId === null) return MAINNET_INTERVAL_MS;
  return Math.max(chainProfile(chainId).feeRule.blockTimeSec * 1_000, SHORTEST_GUESS_MS);
}

/**
 * Whether prices are older than they may become, where nobody else says so: those of a service that is silent about
 * it, and those of a frozen screen.
 */
export function isOverdue(snapshot: SnapshotView | undefined, frozen: boolean, now: number): boolean {
  if (snapshot === undefined || (snapshot.stale !== null && !frozen)) return false;
  const { source, blockTimestamp, updatedAt } = snapshot;
  if (source.kind === 'replay' || source.ended) return false;
  return now - (blockTimestamp ?? updatedAt ?? now) > staleAfterMs(polledEveryMs(snapshot) / 1_000);
}

const QUOTA_EVERY_MS = 60_000;
/** The routes that are polled on the interval: the prices and the advice. */
const POLLED_ROUTES = 2;

/** The shortest interval with which what is left of the daily quota lasts until it resets, ms; 0: there is no such limit. */
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
  // Whole seconds, so that the interval does not move with every response.
  return intervalMs <= OWN_INTERVAL_MS ? 0 : Math.min(Math.ceil(intervalMs / 1_000) * 1_000, LONGEST_MS);
}

const subscribeToNothing = () => () => {};
const noPause = () => null;

/** Why the client sends nothing for now, after a 429 or a refused key; `null`: it sends. */
export function useRateLimit(client: GasClient | null): Pause | null {
  const limit = client?.rateLimit;
  return useSyncExternalStore(limit?.subscribe ?? subscribeToNothing, limit?.read ?? noPause);
}
