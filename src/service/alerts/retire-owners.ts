import { sleep } from '../async.ts';

const LOOK_MS = 10_000;

/** Said of what a key made that ended. */
const KEY_REVOKED = 'its key was revoked';

/** What keys make and what acts by itself: alerts, auto-txs. */
export interface Retired {
  activeOwners(): Promise<readonly string[]>;
  disableAll(owner: string, reason: string, now: number): Promise<void>;
}

export interface RetireOptions {
  readonly kept: readonly Retired[];
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
 * Disables the alerts and auto-txs of keys that were revoked or are gone, now and every ten seconds, whichever process has
 * them fire or sends them.
 * Resolves with the abort; never rejects.
 */
export async function retireOwners({
  kept,
  withdrawn,
  wallNow,
  everyMs = LOOK_MS,
  signal,
  onError,
}: RetireOptions): Promise<void> {
  while (!signal.aborted) {
    for (const each of kept) {
      try {
        const owners = await each.activeOwners();
        const ended = owners.length === 0 ? [] : await withdrawn(owners);
        for (const owner of ended) await each.disableAll(owner, KEY_REVOKED, wallNow());
      } catch (error) {
        if (!signal.aborted) onError(error);
      }
    }
    await sleep(everyMs, signal);
  }
}
