import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { GasClient } from '../../client/client.ts';
import type { SnapshotView } from '../../client/views/gas.ts';
import { isCatchingUp } from '../health.ts';
import { type Polled, usePolledQuery } from './use-polled-query.ts';

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
export function useEachSnapshot(hear: (snapshot: SnapshotView) => void): void {
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
