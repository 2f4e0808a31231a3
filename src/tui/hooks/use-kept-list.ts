import { useRef } from 'react';
import type { GasClient } from '../../client/client.ts';
import type { SnapshotView } from '../../client/views/gas.ts';
import { useFreshWhenShown } from './use-fresh-when-shown.ts';
import { type Dated, type Polled, type PolledQuery, usePolledQuery } from './use-polled-query.ts';
import { useRounds } from './use-rounds.ts';

/** What decides whether and how often a list of the session's service is asked for. */
export interface ListSession {
  readonly client: GasClient | null;
  /** `undefined`: nothing is asked of a service that does not answer even for its prices. */
  readonly snapshot: SnapshotView | undefined;
  /** How often prices are asked for, ms. */
  readonly intervalMs: number;
  readonly isOwnService: boolean;
  /** The service has refused questions as too many. */
  readonly isLimited?: boolean;
  readonly frozen: boolean;
  /** The list is on the screen. */
  readonly isShown: boolean;
  readonly now: () => number;
}

interface KeptListOptions<T> {
  /** Tells one list from the other. */
  readonly name: string;
  readonly ask: (client: GasClient, signal: AbortSignal) => Promise<T>;
  readonly everyMs: number;
}

export interface KeptList<T> extends Polled<T> {
  /** The newest that came; over a screen that stands still it is newer than `data`, which is what may be shown. */
  readonly latest: T | undefined;
}

/**
 * A list that the service keeps, asked for whichever tab is shown: what becomes of what is in it is announced everywhere.
 * `refresh` and `renew` stay the same functions.
 */
export function useKeptList<T extends Dated<unknown>>(
  session: ListSession,
  { name, ask, everyMs }: KeptListOptions<T>,
): KeptList<T> {
  const { client, snapshot, intervalMs, isOwnService, frozen, isShown, now } = session;
  const enabled = client !== null && snapshot !== undefined;
  const question: PolledQuery<T> = {
    key: [name],
    enabled,
    ask: (signal) => (client === null ? Promise.reject(new Error('no source')) : ask(client, signal)),
    everyMs,
    freshMs: everyMs,
  };
  const polled = useRounds({ ...question, frozen }, isOwnService);
  // Asked for apart: a screen that stands still must not show what is announced over it.
  const unshown = usePolledQuery({ ...question, key: [name, 'unshown'], enabled: enabled && frozen });
  const { data, error, retryAt, refresh, renew } = polled;
  useFreshWhenShown({
    isShown: isShown && !frozen,
    at: data?.at ?? null,
    freshMs: intervalMs,
    now,
    refresh,
  });
  const questions = useRef({ refresh, renew });
  questions.current = { refresh, renew };
  const stable = useRef({
    refresh: () => questions.current.refresh(),
    renew: () => questions.current.renew(),
  });
  return { data, error, retryAt, latest: (frozen ? unshown.data : undefined) ?? data, ...stable.current };
}
