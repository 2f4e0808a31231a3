import { useEffect, useRef } from 'react';
import type { SnapshotView } from '../../client/views/snapshot.ts';
import { useMonitor } from './use-monitor.ts';
import type { Polled } from './use-polled-query.ts';
import { useEachSnapshot } from './use-snapshot.ts';

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
  const ask = useRef((of: number | SnapshotView) => {
    asked.current = { head: of, at: Date.now() };
    if (latest.current.error === null) void latest.current.renew();
  });
  const isNew = (of: number | SnapshotView) => asked.current.head !== of && !frozen;
  const waitMs = () => asked.current.at + leastMs - Date.now();
  // Before it is drawn; what has to wait is asked about below.
  useEachSnapshot((snapshot) => {
    const newest = headOf(snapshot);
    if (isNew(newest) && waitMs() <= 0) ask.current(newest);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is asked of a head does not depend on who draws it
  useEffect(() => {
    if (!isNew(head)) return;
    const wait = waitMs();
    if (wait <= 0) return ask.current(head);
    const timer = setTimeout(ask.current, wait, head);
    return () => clearTimeout(timer);
  }, [head, leastMs, frozen]);
}
