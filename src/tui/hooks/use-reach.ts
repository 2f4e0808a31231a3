import { useRef } from 'react';
import type { ReachView, SnapshotView } from '../../client/views/gas.ts';
import { useElapsed } from './use-elapsed.ts';
import { useFollowHead, wordOf } from './use-follow-head.ts';
import { useMonitor } from './use-monitor.ts';
import { type Polled, usePolledQuery } from './use-polled-query.ts';

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
