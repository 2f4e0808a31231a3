import { setTimeout as sleep } from 'node:timers/promises';
import type { GasClient } from './client.ts';
import { ClientError, type ClientErrorCode } from './errors.ts';
import { pauseMs } from './rate-limit.ts';
import type { SnapshotView } from './views/gas.ts';

const FIRST_RETRY_MS = 1_000;
/** Each try may cost a request of the quota. */
const LAST_RETRY_MS = 300_000;
/** A service without a stream, or a key without access, will have none in a minute either. */
export const FINAL: readonly ClientErrorCode[] = ['not-found', 'plan', 'key', 'invalid'];

interface Listener {
  /** @param text the service's own response */
  readonly onSnapshot: (snapshot: SnapshotView, text: string) => void;
  /** Whether prices arrive by the stream now, so that polling is not needed. */
  readonly onListening: (isListening: boolean) => void;
  readonly signal: AbortSignal;
}

/** Listens to a listed stream, and reopens it when it breaks, until `signal` aborts; never rejects. */
export async function listen(
  { stream }: Pick<GasClient, 'stream'>,
  { onSnapshot, onListening, signal }: Listener,
): Promise<void> {
  let retryMs = FIRST_RETRY_MS;
  while (!signal.aborted) {
    let text = '';
    let isListening = false;
    let leastMs = 0;
    const onResponse = (response: string) => {
      text = response;
    };
    try {
      for await (const snapshot of stream({ signal, onResponse })) {
        if (!isListening) onListening(true);
        isListening = true;
        retryMs = FIRST_RETRY_MS;
        onSnapshot(snapshot, text);
      }
    } catch (error) {
      if (!(error instanceof ClientError) || FINAL.includes(error.code)) return;
      if (error.code === 'quota') leastMs = pauseMs(error);
    } finally {
      if (isListening) onListening(false);
    }
    // With jitter: many clients that lost the same service must not return at once.
    const ms = Math.max(retryMs, leastMs) * (0.75 + Math.random() / 2);
    await sleep(ms, undefined, { signal }).catch(() => {});
    retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
  }
}
