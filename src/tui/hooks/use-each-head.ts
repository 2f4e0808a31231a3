import { useEffect, useRef } from 'react';
import type { SnapshotView } from '../../client/views/gas.ts';
import { headOf } from './use-follow-head.ts';

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
