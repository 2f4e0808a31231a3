import { useMemo, useSyncExternalStore } from 'react';
import type { GasClient } from '../../client/client.ts';
import { createPacedClient } from '../../client/paced-client.ts';
import { type PaceState, SessionPace, UNHURRIED } from '../../client/session-pace.ts';

export interface PacedSession {
  /** What every query of the session asks. */
  readonly client: GasClient | null;
  readonly state: PaceState;
  /** Lets one question try, whatever holds the others back. */
  readonly tryNow: () => void;
}

const subscribeToNothing = () => () => {};

/** One pace for all that is asked of a client: one key has one quota. */
export function useSessionPace(client: GasClient | null, now: () => number): PacedSession {
  const paced = useMemo(() => {
    if (client === null) return null;
    const pace = new SessionPace({ now, rateLimits: () => client.rateLimits() });
    return { pace, client: createPacedClient(client, pace) };
  }, [client, now]);
  const state = useSyncExternalStore(
    paced?.pace.subscribe ?? subscribeToNothing,
    paced?.pace.read ?? (() => UNHURRIED),
  );
  return { client: paced?.client ?? null, state, tryNow: () => paced?.pace.tryNow() };
}
