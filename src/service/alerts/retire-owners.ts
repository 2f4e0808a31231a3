import { sleep } from '../async.ts';

const POLL_MS = 10_000;

const KEY_REVOKED = 'its key was revoked';

interface Retired {
  activeOwners(): Promise<readonly string[]>;
  disableAll(owner: string, reason: string, now: number): Promise<void>;
}

interface RetireOptions {
  readonly kept: readonly Retired[];
  readonly withdrawn: (owners: readonly string[]) => Promise<readonly string[]>;
  readonly wallNow: () => number;
  readonly everyMs?: number;
  readonly signal: AbortSignal;
  readonly onError: (error: unknown) => void;
}

/** Disables the alerts and auto-txs of revoked or deleted keys, now and every ten seconds; never rejects. */
export async function retireOwners({
  kept,
  withdrawn,
  wallNow,
  everyMs = POLL_MS,
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
