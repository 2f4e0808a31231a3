import { useSyncExternalStore } from 'react';
import * as z from 'zod';
import { pollEveryMs } from '../../client/follow-prices.ts';
import type { GasClient } from '../../client/gas-client.ts';
import type { Pause } from '../../client/rate-limit.ts';
import type { SnapshotView } from '../../client/views/gas.ts';
import { formatDuration } from '../../core/units.ts';
import { useToast } from '../chrome/toast.tsx';
import type { QuerySession } from './monitor-context.ts';
import { usePolledQuery } from './polled-query.ts';
import { useRemembered } from './remembered.ts';

const UNKNOWN_INTERVAL_MS = 5_000;
/** Polling interval of a service in this process, unless the user changes it. */
const OWN_INTERVAL_MS = 1_000;
const LONGEST_MS = 3_600_000;

/** As chosen by the user; `null`: as the service asks for. */
const IntervalMs = z.number().min(500).max(300_000).nullable();

const INTERVALS_MS = [500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000] as const;

/** Ms; `null` after the shortest one: as the service tells of blocks, without an interval. */
export function stepInterval(currentMs: number, direction: 'faster' | 'slower'): number | null {
  if (direction === 'slower') return INTERVALS_MS.find((ms) => ms > currentMs) ?? currentMs;
  return INTERVALS_MS.findLast((ms) => ms < currentMs) ?? null;
}

/** How often prices are polled: as chosen, else by the source, else as usual; more seldom where the quota needs that. */
export function usePace(session: QuerySession, sourceMs: number | undefined) {
  const toast = useToast();
  const [chosenMs, choose] = useRemembered('interval', IntervalMs, null);
  const quotaMs = useQuotaInterval(session);
  const usualMs = (prices: SnapshotView | undefined) => {
    if (session.isOwnService) return OWN_INTERVAL_MS;
    return prices === undefined ? UNKNOWN_INTERVAL_MS : pollEveryMs(prices);
  };
  const wantedMs = (prices: SnapshotView | undefined) => chosenMs ?? sourceMs ?? usualMs(prices);
  const everyMs = (prices: SnapshotView | undefined) => Math.max(wantedMs(prices), quotaMs);
  return {
    isChosen: chosenMs !== null,
    quotaMs,
    everyMs,
    /** `every 12s` */
    textOf: (prices: SnapshotView | undefined) => {
      const ms = everyMs(prices);
      const every = `every ${ms < 1_000 ? `${ms / 1_000}s` : formatDuration(ms / 1_000)}`;
      return ms > wantedMs(prices) ? `slowed: ${every}` : every;
    },
    step: (direction: 'faster' | 'slower', prices: SnapshotView | undefined, isListening: boolean) => {
      const isFastest = direction === 'faster' && isListening;
      const next = isFastest ? null : stepInterval(wantedMs(prices), direction);
      choose(next);
      if (next === null) return toast({ kind: 'info', text: 'Refreshing with each block' });
      const held = quotaMs <= next ? '' : `, but every ${quotaMs / 1_000} s until the quota resets`;
      toast({ kind: 'info', text: `Refreshing every ${next / 1_000} s${held}` });
    },
  };
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
function useQuotaInterval(session: QuerySession): number {
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
