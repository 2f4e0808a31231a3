import {
  keepPreviousData,
  type QueryKey,
  replaceEqualDeep,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import { ClientError } from '../../client/errors.ts';
import type { GasClient } from '../../client/gas-client.ts';
import type { SnapshotView } from '../../client/views/gas.ts';
import { type QuerySession, useMonitor } from './monitor-context.ts';
import { retryAtOf } from './query-client.ts';

export interface PolledQuery<T> {
  readonly key: QueryKey;
  readonly ask: (client: GasClient, signal: AbortSignal) => Promise<T>;
  /** Polling interval, ms; `null` or left out: none. */
  readonly everyMs?: number | null | ((data: T | undefined) => number | null);
  /** The prices whose head block the data belongs to: it is refetched when the head changes. */
  readonly head?: SnapshotView | undefined;
  /** How long data stands, ms, whatever block it is of and whenever its screen is shown again; default: 0. */
  readonly freshMs?: number;
  /** Where data begins (ms since epoch) whose history does not fill its time frame yet; `null`: it does. */
  readonly shortFrom?: (data: T) => number | null;
  /** Whether later heads change nothing. */
  readonly isSettled?: (data: T) => boolean;
  /** Shows the data of the key before until there is some. */
  readonly keepsPrevious?: boolean;
  /** `false`: requests nothing and drops nothing. */
  readonly enabled?: boolean;
}

export interface Polled<T> {
  readonly data: T | undefined;
  /** When `data` arrived, ms; 0 without data. */
  readonly at: number;
  /** Why the last request failed; `null` as soon as one succeeds. */
  readonly error: Error | null;
  /** Time of the next retry, ms since epoch; `null` while all is well, or without one. */
  readonly retryAt: number | null;
  /** `data` is of another key. */
  readonly pending: boolean;
  /** History that it lacked has come: more of it is being read. */
  readonly isFilling: boolean;
  readonly refresh: () => Promise<void>;
}

/** A history that does not fill its time frame yet, because more of it is still being read. */
interface ShortHistory {
  /** Where it begins, ms since epoch. */
  readonly from: number;
  /** When it was first received, or last reached further back, ms. */
  readonly since: number;
  readonly hasGrown: boolean;
}

/** A response in the cache. */
export interface Dated<T> {
  readonly value: T;
  /** When it was received last, ms: the same one again draws nothing. */
  at: number;
  /** The head that it belongs to. */
  readonly head?: string | undefined;
  /** While its history does not fill its time frame. */
  readonly short?: ShortHistory | null;
}

/** So long after it has grown last it is asked for with each head: a stage of filling takes a minute and more. */
const MAY_FILL_MS = 180_000;
/** So long it counts as one that is being read. */
const FILLS_MS = 60_000;
/** A remote service counts requests: polled about once a block of Ethereum's. */
export const ELSEWHERE_MS = 15_000;

/** `from`: where a response received `at` begins; `null`: it fills its time frame. */
function shortOf(
  from: number | null,
  before: ShortHistory | null | undefined,
  at: number,
): ShortHistory | null {
  if (from === null) return null;
  const hasGrown = before != null && from < before.from;
  if (before == null || hasGrown) return { from, since: at, hasGrown };
  return { ...before, from };
}

const hasGrownWithin = ({ short, at }: Dated<unknown>, ms: number) => short != null && at - short.since < ms;

const mayFill = (data: Dated<unknown>): boolean => hasGrownWithin(data, MAY_FILL_MS);

const isFilling = (data: Dated<unknown>): boolean =>
  data.short?.hasGrown === true && hasGrownWithin(data, FILLS_MS);

/** The same response of the same head stays the same object, so that nothing is drawn anew. */
function shared(before: unknown, after: unknown): unknown {
  const [old, received] = [before as Dated<unknown> | undefined, after as Dated<unknown>];
  const value = replaceEqualDeep(old?.value, received.value);
  const isSame = old !== undefined && value === old.value && old.head === received.head;
  if (!isSame || isFilling(old) !== isFilling(received)) return { ...received, value };
  old.at = received.at;
  return old;
}

/** What a head is known by: its block, time or prices; of ours by its time, too, since history is filled later. */
export function headOf({ blockNumber, updatedAt, lanes, source }: SnapshotView): string {
  const own = source.kind === 'service' ? blockNumber : blockNumber && `${blockNumber} ${updatedAt}`;
  const head = own ?? updatedAt ?? `${lanes.slow.price} ${lanes.average.price} ${lanes.fast.price}`;
  return `${head}${source.ended ? ' ended' : ''}`;
}

/** The head that was shown when the request of an error was sent. */
const failedAt = new WeakMap<ClientError, string | undefined>();

/** One query of the service: refetched with each head or at an interval, with stale data until there is newer. */
export function usePolledQuery<T>(session: QuerySession, options: PolledQuery<T>): Polled<T> {
  const { client, frozen, now, isOwnService } = session;
  const { key, ask, everyMs = null, isSettled, shortFrom } = options;
  const queries = useQueryClient();
  const head = options.head && headOf(options.head);
  const enabled = client !== null && options.enabled !== false;
  // After the end there is one more request, without delay.
  const freshMs = options.head?.source.ended ? 0 : (options.freshMs ?? 0);
  const freshFor = (data: Dated<T> | undefined): number => {
    const isOfHead = head !== undefined && data?.head === head;
    if (isOfHead || (data && isSettled?.(data.value))) return Number.POSITIVE_INFINITY;
    return data && mayFill(data) ? Math.min(freshMs, isOwnService ? 0 : ELSEWHERE_MS) : freshMs;
  };
  const drawn = queries.getQueryData<Dated<T>>(key);
  const query = useQuery<Dated<T>, Error>({
    queryKey: key,
    enabled,
    queryFn: async ({ signal }) => {
      if (client === null) throw new Error('no source');
      const before = queries.getQueryData<Dated<T>>(key)?.short;
      const value = await ask(client, signal).catch((failure: unknown) => {
        if (failure instanceof ClientError) failedAt.set(failure, head);
        throw failure;
      });
      const at = now();
      return { value, at, head, short: shortOf(shortFrom?.(value) ?? null, before, at) };
    },
    structuralSharing: shared,
    staleTime: ({ state }) => freshFor(state.data),
    placeholderData: options.keepsPrevious
      ? keepPreviousData
      : // A longer key may contain the same item, from another list.
        () =>
          queries.getQueriesData<Dated<T>>({ queryKey: key }).findLast(([, data]) => data !== undefined)?.[1],
    refetchInterval: ({ state: { data, dataUpdatedAt, error, fetchStatus } }) => {
      // An error without a retry is not polled either.
      if (frozen || error !== null) return false;
      // Data that came after this drawing may be of a newer head than `head`, by which it would seem due at once.
      const mayBeDue = head !== undefined && fetchStatus === 'idle' && data === drawn;
      const dueMs = mayBeDue ? dataUpdatedAt + freshFor(data) - Date.now() : Number.POSITIVE_INFINITY;
      const pollMs = typeof everyMs === 'function' ? everyMs(data?.value) : everyMs;
      return Math.max(Math.min(dueMs, pollMs ?? Number.POSITIVE_INFINITY), 1);
    },
  });
  const { data, refetch } = query;
  const error = query.failureReason ?? query.error;
  const isRetried = error !== null && error !== query.error;
  const isMissing = head !== undefined && error instanceof ClientError && error.code === 'not-found';
  const refresh = async () => {
    // Also a request that waits for its retry.
    await queries.cancelQueries({ queryKey: key, exact: true });
    await refetch();
  };
  // What is missing at one block may exist at the next, which may have come during the request.
  const mayExist = enabled && !frozen && isMissing && isRetried && failedAt.get(error) !== head;
  const mayExistAt = mayExist ? head : null;
  const retryMissing = useEffectEvent(() => void refresh());
  useEffect(() => {
    if (mayExistAt !== null) retryMissing();
  }, [mayExistAt]);
  return {
    // A failure keeps the last data on screen; data that no longer exists at a new head is dropped.
    data: isMissing ? undefined : data?.value,
    at: data?.at ?? 0,
    error,
    retryAt: isRetried ? retryAtOf(error) : null,
    pending: query.isPlaceholderData,
    isFilling: data !== undefined && isFilling(data),
    refresh,
  };
}

export const useMonitorQuery = <T>(options: PolledQuery<T>): Polled<T> =>
  usePolledQuery(useMonitor(), options);
