import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, useContext, useEffect, useRef, useSyncExternalStore } from 'react';
import type { GasClient } from '../../client/client.ts';
import type { ServiceDescription } from '../../client/openapi.ts';
import type { Pause } from '../../client/rate-limit.ts';
import type { MarketView } from '../../client/views/dashboard.ts';
import type { ReachView, SnapshotView } from '../../client/views/gas.ts';
import { chainProfile } from '../../core/chains.ts';
import { useElapsed } from '../app/clock.ts';
import { isCatchingUp } from '../app/connection.ts';
import { fillsFrame, timeFrameSec } from '../ui/time.ts';
import { retryDelayMs } from './query-client.ts';

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
  /** The limit that questions wait for: `limit of 2 per second`. Default: they do not wait. */
  readonly limit?: string | null;
  /** The user froze the screen: nothing asks by itself. */
  readonly frozen: boolean;
  /** Whether a text is a key, so that it must not be shown. Default: those of gastop are. */
  readonly isKey?: (text: string) => boolean;
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

/** What is known of something that is asked for again and again. */
export interface Polled<T> {
  /** The last good answer; stays through failures. */
  readonly data: T | undefined;
  /** Why the last try failed; `null` as soon as one succeeds. */
  readonly error: Error | null;
  /** When the next try comes by itself, ms since epoch; `null` while all is well or if none comes. */
  readonly retryAt: number | null;
  /** Asks now; resolves when the answer is there, whatever it is. */
  readonly refresh: () => Promise<void>;
  /** Asks for what is true now: a question that is already on its way was asked too early, and is followed by another. */
  readonly renew: () => Promise<void>;
}

/** An answer with the time at which it came, ms. */
export interface Dated<T> {
  readonly value: T;
  readonly at: number;
}

export interface PolledQuery<T> {
  readonly key: readonly (string | number | null)[];
  readonly ask: (signal: AbortSignal) => Promise<T>;
  /** Time from an answer to the next question, ms; `null`: asks once and again only after failures. */
  readonly everyMs: number | null;
  /** An answer may say that it is worth asking again sooner, ms; `null`: no sooner than `everyMs`. */
  readonly soonerMs?: (answer: T) => number | null;
  /** An answer no older is good enough when its screen is shown again, ms; default: 0. */
  readonly freshMs?: number;
  /** `false`: asks nothing and drops nothing. */
  readonly enabled?: boolean;
  /** No question by itself, neither polling nor trying again. */
  readonly frozen?: boolean;
}

/** Failures in a row of one key. */
interface Failures {
  readonly id: string;
  readonly count: number;
  /** `waitMs` is settled when it fails, so that what is said of the next try stays true. */
  readonly last: { readonly error: Error; readonly at: number; readonly waitMs: number | null } | null;
}

/**
 * Asks, waits for the answer, waits `everyMs`, asks again: questions never overlap. After a failure it waits
 * longer each time, or as long as the service asks. An answer equal to the last one keeps its identity, so that
 * nothing is drawn again.
 */
export function usePolledQuery<T>(options: PolledQuery<T>): Polled<T> {
  const { key, ask, everyMs, soonerMs, freshMs = 0, enabled = true, frozen = false } = options;
  const id = JSON.stringify(key);
  const failures = useRef<Failures>({ id, count: 0, last: null });
  // Another question starts with a clean record.
  if (failures.current.id !== id) failures.current = { id, count: 0, last: null };

  const pollMs = (answer: T | undefined) => {
    const sooner = answer === undefined ? null : (soonerMs?.(answer) ?? null);
    return sooner === null ? everyMs : Math.min(sooner, everyMs ?? sooner);
  };
  const waitMs = (error: unknown, answer?: T) => {
    if (frozen) return null;
    if (error === null) return pollMs(answer);
    const { last } = failures.current;
    return last !== null && last.error === error ? last.waitMs : retryDelayMs(error, 1);
  };
  const queries = useQueryClient();
  // The question that another one is to follow; one of another key, or of nobody any more, is not followed.
  const early = useRef<string | null>(null);
  useEffect(
    () => () => {
      early.current = null;
    },
    [],
  );
  const query = useQuery<T, Error>({
    queryKey: key,
    enabled,
    queryFn: async ({ signal }) => {
      try {
        const answer = await ask(signal);
        if (failures.current.id === id) failures.current = { id, count: 0, last: null };
        return answer;
      } catch (cause) {
        const error = cause instanceof Error ? cause : new Error(String(cause));
        if (!signal.aborted && failures.current.id === id) {
          const count = failures.current.count + 1;
          const last = { error, at: Date.now(), waitMs: retryDelayMs(error, count, Math.random()) };
          failures.current = { id, count, last };
        }
        throw error;
      }
    },
    staleTime: freshMs,
    notifyOnChangeProps: ['data', 'error', 'errorUpdatedAt'],
    // What has failed waits for its next try, whichever screen is shown in between.
    retryOnMount: false,
    // Evaluated anew after every answer, which also starts the waiting anew.
    refetchInterval: (current) => waitMs(current.state.error, current.state.data) ?? false,
  });

  // While a query without data is asked again its error is cleared; the screen must not blink.
  const error = query.error ?? (query.data === undefined ? (failures.current.last?.error ?? null) : null);
  const wait = error === null ? null : waitMs(error);
  const failedAt = failures.current.last?.at ?? query.errorUpdatedAt;
  const refresh = async () => {
    await query.refetch({ cancelRefetch: false });
  };
  return {
    data: query.data,
    error,
    retryAt: wait === null ? null : failedAt + wait,
    refresh,
    renew: async () => {
      if (queries.getQueryState(key)?.fetchStatus !== 'fetching') return refresh();
      if (early.current === id) return;
      early.current = id;
      await refresh();
      if (early.current !== id || failures.current.id !== id) return;
      early.current = null;
      await refresh();
    },
  };
}

/** Where the last answer is kept. */
const KEY = ['current'] as const;

/** While the blocks since the last run are to come; it costs no more than a call in this process. */
const CATCHING_UP_MS = 200;

const nothing = () => Promise.reject(new Error('no source'));

/** The current prices: the heartbeat of the monitor. Asks nothing while there is no client. */
export function useSnapshot(
  client: GasClient | null,
  timing: { readonly intervalMs: number; readonly frozen: boolean; readonly isOwnService?: boolean },
): Polled<SnapshotView> {
  return usePolledQuery({
    key: KEY,
    enabled: client !== null,
    ask: (signal) => client?.gasCurrent({ signal }) ?? nothing(),
    everyMs: timing.intervalMs,
    soonerMs: (snapshot) => (timing.isOwnService === true && isCatchingUp(snapshot) ? CATCHING_UP_MS : null),
    frozen: timing.frozen,
  });
}

/** Asks for the prices at once, once for each answer that turns out to be `later` than they are; `null`: none is. */
export function useSnapshotAnew(later: object | null): void {
  const queries = useQueryClient();
  useEffect(() => {
    if (later !== null) void queries.refetchQueries({ queryKey: KEY }, { cancelRefetch: false });
  }, [later, queries]);
}

/**
 * Calls `hear` with every answer of {@link useSnapshot}, also with one that says nothing new, before it is drawn: what
 * is asked because of it then can be drawn with it.
 */
function useEachSnapshot(hear: (snapshot: SnapshotView) => void): void {
  const cache = useQueryClient().getQueryCache();
  const latest = useRef(hear);
  latest.current = hear;
  useEffect(
    () =>
      cache.subscribe((event) => {
        if (event.type !== 'updated' || event.action.type !== 'success') return;
        if (event.query.queryKey[0] !== KEY[0]) return;
        const snapshot: SnapshotView | undefined = event.query.state.data;
        if (snapshot !== undefined) latest.current(snapshot);
      }),
    [cache],
  );
}

type Head = number | string | SnapshotView;

/** What changes when there is something new: a service that names no block changes its time, or its prices. */
export function headOf(snapshot: SnapshotView): Head {
  return snapshot.blockNumber ?? snapshot.updatedAt ?? snapshot;
}

/**
 * What changes also when another word is said of the same head: a service that has learnt of more past meanwhile advises
 * anew, and its prices must not stand beside advice from before.
 */
export function wordOf(snapshot: SnapshotView): Head {
  const { slow, average, fast } = snapshot.lanes;
  const prices = [slow, average, fast].flatMap(({ price, maxFeePerGas, probability }) => [
    price,
    maxFeePerGas,
    probability,
  ]);
  return snapshot.blockNumber === null ? headOf(snapshot) : [snapshot.blockNumber, ...prices].join(' ');
}

interface Following {
  readonly of?: (snapshot: SnapshotView) => Head;
  readonly leastMs?: number;
}

/**
 * Parts of `leastMs` from which on a new head brings the question with it, and until which one is awaited that may: heads
 * that come as often as is asked are never quite punctual, and what is asked beside them is a frame of its own.
 */
const DUE = 0.9;
const AT_LATEST = 1.1;

/**
 * Asks again once for every new head, or whatever else `of` takes for new, but no more often than about every `leastMs`.
 * What is new of the very head that was asked about is not waited with: the answer would stand beside it as one of less
 * past. What has failed waits for its own next try. One question per block and route is all that there can be an answer
 * to; one that a new head overtakes is followed by another.
 */
export function useFollowHead(
  polled: Polled<unknown>,
  shown: SnapshotView,
  { of = headOf, leastMs = 0 }: Following = {},
): void {
  const { frozen } = useMonitor();
  const head = of(shown);
  const asked = useRef({ head, block: headOf(shown), at: performance.now() });
  const latest = useRef(polled);
  latest.current = polled;
  const ask = useRef((snapshot: SnapshotView) => {
    asked.current = { head: of(snapshot), block: headOf(snapshot), at: performance.now() };
    if (latest.current.error === null) void latest.current.renew();
  });
  const isNew = (newest: Head) => asked.current.head !== newest && !frozen;
  const waitMs = (part: number, snapshot: SnapshotView) =>
    asked.current.block === headOf(snapshot) ? 0 : asked.current.at + leastMs * part - performance.now();
  // Before it is drawn; what has to wait is asked about below.
  useEachSnapshot((snapshot) => {
    if (isNew(of(snapshot)) && waitMs(DUE, snapshot) <= 0) ask.current(snapshot);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is asked of a head does not depend on who draws it
  useEffect(() => {
    if (!isNew(head)) return;
    if (waitMs(DUE, shown) <= 0) return ask.current(shown);
    const timer = setTimeout(ask.current, waitMs(AT_LATEST, shown), shown);
    return () => clearTimeout(timer);
  }, [head, leastMs, frozen]);
}

/** Calls `refresh` once for every new head after the first one: one round of questions per block. */
export function useEachHead(snapshot: SnapshotView, refresh: () => void): void {
  const head = headOf(snapshot);
  const asked = useRef(head);
  const latest = useRef(refresh);
  latest.current = refresh;
  useEffect(() => {
    if (asked.current === head) return;
    asked.current = head;
    latest.current();
  }, [head]);
}

/** Once the prices come again, everything else that had failed is asked for again too, once. */
export function useRecovery(failing: boolean): void {
  const queries = useQueryClient();
  const failed = useRef(failing);
  useEffect(() => {
    if (failed.current && !failing) {
      const type = 'active' as const;
      void queries.refetchQueries({ type, predicate: ({ state }) => state.status === 'error' });
    }
    failed.current = failing;
  }, [failing, queries]);
}

/** An answer is due with the next prices once it is older than this share of the interval that is wanted. */
const ROUND_DUE = 0.9;
/** Where no prices come it is polled all the same, after this many times the interval. */
const ROUND_AT_LATEST = 2;

/**
 * Like {@link usePolledQuery}, but our own service is asked in one round with the prices, so that both are drawn in one
 * frame. Nothing changes where the service is another, whose questions are counted.
 */
export function useRounds<T>(query: PolledQuery<T>, isOwnService: boolean): Polled<T> {
  const { everyMs, enabled = true, frozen = false } = query;
  const inRounds = isOwnService && everyMs !== null;
  const askedAt = useRef(0);
  const polled = usePolledQuery({
    ...query,
    ask: (signal) => {
      askedAt.current = performance.now();
      return query.ask(signal);
    },
    everyMs: inRounds ? everyMs * ROUND_AT_LATEST : everyMs,
  });
  useEachSnapshot(() => {
    if (!inRounds || !enabled || frozen || polled.error !== null) return;
    if (performance.now() - askedAt.current >= everyMs * ROUND_DUE) void polled.refresh();
  });
  return polled;
}

interface FreshWhenShownOptions {
  readonly isShown: boolean;
  /** When what is known was asked for, ms; `null`: nothing is. */
  readonly at: number | null;
  /** What is no older is good enough, ms. */
  readonly freshMs: number;
  readonly now: () => number;
  readonly refresh: () => Promise<void>;
}

/** Who turns to a list wants to see what is true now, however seldom it is asked for otherwise. */
function useFreshWhenShown(options: FreshWhenShownOptions): void {
  const latest = useRef(options);
  latest.current = options;
  const { isShown } = options;
  useEffect(() => {
    const { at, freshMs, now, refresh } = latest.current;
    if (isShown && at !== null && now() - at > freshMs) void refresh();
  }, [isShown]);
}

/** What decides whether and how often a list of the session's service is asked for. */
export interface ListSession {
  readonly client: GasClient | null;
  /** `undefined`: nothing is asked of a service that does not answer even for its prices. */
  readonly snapshot: SnapshotView | undefined;
  /** How often prices are asked for, ms. */
  readonly intervalMs: number;
  readonly isOwnService: boolean;
  /** The service has refused questions as too many. */
  readonly isLimited?: boolean;
  readonly frozen: boolean;
  /** The list is on the screen. */
  readonly isShown: boolean;
  readonly now: () => number;
}

interface KeptListOptions<T> {
  /** Tells one list from the other. */
  readonly name: string;
  readonly ask: (client: GasClient, signal: AbortSignal) => Promise<T>;
  readonly everyMs: number;
}

interface KeptList<T> extends Polled<T> {
  /** The newest that came; over a screen that stands still it is newer than `data`, which is what may be shown. */
  readonly latest: T | undefined;
}

/**
 * A list that the service keeps, asked for whichever tab is shown: what becomes of what is in it is announced everywhere.
 * `refresh` and `renew` stay the same functions.
 */
export function useKeptList<T extends Dated<unknown>>(
  session: ListSession,
  { name, ask, everyMs }: KeptListOptions<T>,
): KeptList<T> {
  const { client, snapshot, intervalMs, isOwnService, frozen, isShown, now } = session;
  const enabled = client !== null && snapshot !== undefined;
  const question: PolledQuery<T> = {
    key: [name],
    enabled,
    ask: (signal) => (client === null ? Promise.reject(new Error('no source')) : ask(client, signal)),
    everyMs,
    freshMs: everyMs,
  };
  const polled = useRounds({ ...question, frozen }, isOwnService);
  // Asked for apart: a screen that stands still must not show what is announced over it.
  const unshown = usePolledQuery({ ...question, key: [name, 'unshown'], enabled: enabled && frozen });
  const { data, error, retryAt, refresh, renew } = polled;
  useFreshWhenShown({
    isShown: isShown && !frozen,
    at: data?.at ?? null,
    freshMs: intervalMs,
    now,
    refresh,
  });
  const questions = useRef({ refresh, renew });
  questions.current = { refresh, renew };
  const stable = useRef({
    refresh: () => questions.current.refresh(),
    renew: () => questions.current.renew(),
  });
  return { data, error, retryAt, latest: (frozen ? unshown.data : undefined) ?? data, ...stable.current };
}

/**
 * How soon figures are asked for again that grew the last time: asking our own service costs its time alone, another
 * one counts questions.
 */
const OWN_MS = 3_000;
const OTHERS_MS = 15_000;
const SLOWEST_MS = 300_000;

/** When figures that do not yet reach as far back as their time frame are asked for again. */
export interface Growth {
  /** How far they reach, ms since epoch; `null`: nobody says. */
  readonly from: number | null;
  /** `null`: no sooner than otherwise. */
  readonly soonerMs: number | null;
}

/**
 * A history that is being filled reaches further back with each answer and is worth asking about again soon. One that
 * does not is as long as it will be for now, and is asked about half as often each time.
 *
 * @param now ms since epoch
 */
export function growthOf(
  { timeFrame, from, base }: Pick<MarketView, 'timeFrame' | 'from' | 'base'>,
  before: Growth | null,
  { now, isOwnService }: { readonly now: number; readonly isOwnService: boolean },
): Growth {
  const wantedSec = timeFrameSec(timeFrame);
  const isShort = wantedSec !== null && from !== null && !fillsFrame((now - from) / 1_000, wantedSec);
  if (!isShort && base !== null) return { from, soonerMs: null };
  const leastMs = isOwnService ? OWN_MS : OTHERS_MS;
  const grew = before === null || (from !== null && (before.from === null || from < before.from));
  const soonerMs = grew ? leastMs : Math.max(leastMs, (before.soonerMs ?? SLOWEST_MS) * 2);
  return { from, soonerMs: Math.min(soonerMs, SLOWEST_MS) };
}

type Timing = Pick<PolledQuery<unknown>, 'everyMs' | 'freshMs' | 'enabled'>;

interface Figures extends Dated<MarketView> {
  readonly growth: Growth;
}

/** The figures of a time frame, one answer for every screen that shows them; sooner while history is still filled. */
export function useMarket(timeFrame: string, timing: Timing): Polled<Dated<MarketView>> {
  const { client, intervalMs, isOwnService = false, frozen, now } = useMonitor();
  const queries = useQueryClient();
  const key = ['market', timeFrame];
  return usePolledQuery<Figures>({
    key,
    ask: async (signal) => {
      const value = await client.statsMarket(timeFrame, { signal });
      const at = now();
      const before = queries.getQueryData<Figures>(key)?.growth ?? null;
      return { value, at, growth: growthOf(value, before, { now: at, isOwnService }) };
    },
    frozen,
    ...timing,
    soonerMs: ({ growth }) => (growth.soonerMs === null ? null : Math.max(growth.soonerMs, intervalMs)),
  });
}

/** Until the first answer. */
export const UNKNOWN_PACE_MS = 5_000;
/** A service that names no chain is asked as often as the one that most speak of has blocks. */
const MAINNET_PACE_MS = 12_000;
const FASTEST_MS = 500;
/** A chain's blocks may come faster than a service elsewhere wants to be asked. */
const FASTEST_GUESS_MS = 2_000;
const SLOWEST_POLL_MS = 3_600_000;

/** How often a service has something new, ms: its own word, else its chain's pace. */
export function polledEveryMs({ updateFrequencySec, chainId }: SnapshotView): number {
  if (updateFrequencySec !== null && updateFrequencySec > 0) {
    return Math.min(Math.max(updateFrequencySec * 1_000, FASTEST_MS), SLOWEST_POLL_MS);
  }
  if (chainId === null) return MAINNET_PACE_MS;
  return Math.max(chainProfile(chainId).feeRule.blockTimeSec * 1_000, FASTEST_GUESS_MS);
}

/** What the service says about itself; `undefined`: not known yet, `null`: it has no description. */
export function useDescription(enabled = true): ServiceDescription | null | undefined {
  const { client, isOwnService = false } = useMonitor();
  const { data } = useQuery({
    queryKey: ['description'],
    // Of the contract itself there is nothing to learn.
    enabled: enabled && !isOwnService,
    queryFn: ({ signal }) => client.description({ signal }),
    // Asked once a session; nothing depends on it, so a failure is not tried again by itself.
    staleTime: Number.POSITIVE_INFINITY,
    retryOnMount: false,
  });
  return data;
}

/** A price that somebody is still typing, or a cursor that still moves, is not asked about. */
const SETTLED_MS = 300;

/**
 * How likely some block within `withinSec` (whole seconds, at most 7 days) asks for no more than `price` (wei per gas,
 * base fee and tip together), kept up with the head. `null`: no price is asked about. `data` is `null` where the
 * service does not answer such questions; then it is not asked any more.
 */
export function useReach(
  price: bigint | null,
  withinSec: number,
  snapshot: SnapshotView,
): Polled<ReachView | null> {
  const { client, intervalMs, frozen } = useMonitor();
  const settled = useElapsed(SETTLED_MS, price);
  const isUnable = useRef(false);
  const polled = usePolledQuery({
    key: ['reach', price === null ? null : price.toString(), withinSec],
    enabled: price !== null && settled && !isUnable.current,
    ask: async (signal) => {
      const reach = { targetPrice: price ?? 0n, deadlineSec: withinSec };
      const answer = await client.gasRecommendation({ reach, signal });
      isUnable.current = answer.reach === null;
      return answer.reach;
    },
    everyMs: null,
    freshMs: intervalMs,
    frozen,
  });
  const isAsked = price !== null && polled.data !== undefined && polled.data !== null;
  const following = { ...polled, renew: async () => (isAsked ? polled.renew() : undefined) };
  useFollowHead(following, snapshot, { of: wordOf });
  return polled;
}

const KEPT = 50;

/**
 * By how many seconds an answer is older than the prices, if more than one block came between them; else `null`. The
 * one block is no news: the question about it goes out when its prices are there. Blocks are counted, not seconds,
 * because some chains have theirs seldom.
 *
 * @param updatedAt when the answer was true, ms; `null`: it does not say, so nothing is said of it
 */
export function useOlderThanPrices(
  { updatedAt: now }: Pick<SnapshotView, 'updatedAt'>,
  updatedAt: number | null,
): number | null {
  const seen = useRef<readonly number[]>([]);
  if (now !== null && seen.current.at(-1) !== now) seen.current = [...seen.current, now].slice(-KEPT);
  if (now === null || updatedAt === null) return null;
  const newer = seen.current.filter((at) => at > updatedAt).length;
  return newer > 1 && now > updatedAt ? (now - updatedAt) / 1_000 : null;
}

const subscribeToNothing = () => () => {};
const noPause = () => null;

/** Why the client sends nothing for now; `null`: it does. */
export function useRateLimit(client: GasClient | null): Pause | null {
  const limit = client?.rateLimit;
  return useSyncExternalStore(limit?.subscribe ?? subscribeToNothing, limit?.read ?? noPause);
}
