import { useEffect, useRef } from 'react';
import type { SnapshotView } from '../../client/views/snapshot.ts';
import { useMonitor } from './use-monitor.ts';
import type { Polled } from './use-polled-query.ts';

/** What changes when there is something new: a service that names no block changes its time, or its prices. */
export function headOf(snapshot: SnapshotView): number | SnapshotView {
  return snapshot.blockNumber ?? snapshot.updatedAt ?? snapshot;
}

/**
 * Asks again once for every new head, but no more often than every `leastMs`; what has failed waits for its own
 * next try. One question per block and route is all that there can be an answer to; one that a new head overtakes is
 * followed by another.
 */
export function useFollowHead(polled: Polled<unknown>, head: number | SnapshotView, leastMs = 0): void {
  const { frozen } = useMonitor();
  const asked = useRef({ head, at: Date.now() });
  const latest = useRef(polled);
  latest.current = polled;
  useEffect(() => {
    if (asked.current.head === head || frozen) return;
    const ask = () => {
      asked.current = { head, at: Date.now() };
      if (latest.current.error === null) void latest.current.renew();
    };
    const wait = asked.current.at + leastMs - Date.now();
    if (wait <= 0) return ask();
    const timer = setTimeout(ask, wait);
    return () => clearTimeout(timer);
  }, [head, leastMs, frozen]);
}
