import type { AlertStore } from '../../store/alert-store.ts';
import { sleep } from '../sleep.ts';

const LOOK_MS = 10_000;

/** Said of an alert whose key ended. */
export const KEY_REVOKED = 'its key was revoked';

export interface RetireOptions {
  readonly alerts: AlertStore;
  /** Those of the owners whose key works no more. */
  readonly withdrawn: (owners: readonly string[]) => Promise<readonly string[]>;
  /** Ms since epoch. */
  readonly wallNow: () => number;
  /** Default: ten seconds. */
  readonly everyMs?: number;
  readonly signal: AbortSignal;
  readonly onError: (error: unknown) => void;
}

/**
 * Disables the alerts of keys that were revoked or are gone, now and every ten seconds, whichever process has them fire.
 * Resolves with the abort; never rejects.
 */
export async function retireOwners({
  alerts,
  withdrawn,
  wallNow,
  everyMs = LOOK_MS,
  signal,
  onError,
}: RetireOptions): Promise<void> {
  while (!signal.aborted) {
    try {
      const owners = await alerts.activeOwners();
      const ended = owners.length === 0 ? [] : await withdrawn(owners);
      for (const owner of ended) await alerts.disableAll(owner, KEY_REVOKED, wallNow());
    } catch (error) {
      if (!signal.aborted) onError(error);
    }
    await sleep(everyMs, signal);
  }
}
