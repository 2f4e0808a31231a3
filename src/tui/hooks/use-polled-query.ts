import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { retryDelayMs } from '../retry-delay.ts';

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
