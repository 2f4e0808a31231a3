import { useSyncExternalStore } from 'react';
import { pollEveryMs } from '../../client/follow-prices.ts';
import type { GasClient } from '../../client/gas-client.ts';
import type { Pause } from '../../client/rate-limit.ts';
import type { SnapshotView } from '../../client/views/gas.ts';
import type { QuerySession } from './monitor-context.ts';
import { usePolledQuery } from './polled-query.ts';

const UNKNOWN_INTERVAL_MS = 5_000;
/** Polling interval of a service in this process, unless the user changes it. */
const OWN_INTERVAL_MS = 1_000;
const LONGEST_MS = 3_600_000;

export function usualInterval(snapshot: SnapshotView | undefined, isOwnService: boolean): number {
  if (isOwnService) return OWN_INTERVAL_MS;
  return snapshot === undefined ? UNKNOWN_INTERVAL_MS : pollEveryMs(snapshot);
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
