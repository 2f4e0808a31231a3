import { sleep } from '../../chain/async.ts';
import type { Gate } from '../http/auth.ts';

const POLL_MS = 10_000;

interface Retired {
  activeOwners(): Promise<readonly string[]>;
  disableAll(owner: string, reason: string, now: number): Promise<void>;
}

/** Disables the alerts and auto-txs of revoked or deleted keys, now and every ten seconds; never rejects. */
export async function retireOwners(
  left: readonly Retired[],
  gate: Pick<Gate, 'withdrawn'>,
  wallNow: () => number,
  onError: (error: unknown) => void,
  signal: AbortSignal,
  everyMs = POLL_MS,
): Promise<void> {
  while (!signal.aborted && gate.withdrawn !== undefined) {
    for (const each of left) {
      try {
        const owners = await each.activeOwners();
        const ended = owners.length === 0 ? [] : await gate.withdrawn(owners);
        for (const owner of ended) await each.disableAll(owner, 'its key was revoked', wallNow());
      } catch (error) {
        if (!signal.aborted) onError(error);
      }
    }
    await sleep(everyMs, signal);
  }
}
