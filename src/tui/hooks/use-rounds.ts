import { useRef } from 'react';
import { type Polled, type PolledQuery, usePolledQuery } from './use-polled-query.ts';
import { useEachSnapshot } from './use-snapshot.ts';

/** An answer is due with the next prices once it is older than this share of the interval that is wanted. */
const DUE = 0.9;
/** Where no prices come it is polled all the same, after this many times the interval. */
const AT_LATEST = 2;

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
    everyMs: inRounds ? everyMs * AT_LATEST : everyMs,
  });
  useEachSnapshot(() => {
    if (!inRounds || !enabled || frozen || polled.error !== null) return;
    if (performance.now() - askedAt.current >= everyMs * DUE) void polled.refresh();
  });
  return polled;
}
