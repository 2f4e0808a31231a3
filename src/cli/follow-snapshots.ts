import { setTimeout as sleep } from 'node:timers/promises';
import { ClientError } from '../client/errors.ts';
import { FINAL } from '../client/listen.ts';
import { pauseMs } from '../client/rate-limit.ts';
import { updateSecOf } from '../client/views/chain-status.ts';
import { type OpenedClient, type ToldSnapshot, toldSnapshot } from './open-source.ts';

export const FASTEST_POLL_MS = 500;
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 30_000;
/** Each try to open a stream may cost a request of the quota. */
const LAST_STREAM_RETRY_MS = 300_000;

interface Persistence {
  readonly signal: AbortSignal;
  /** Told of each failure that may pass. */
  readonly onTrouble: (reason: string) => void;
  /** Before it has worked the address may be wrong. */
  readonly hasWorked: boolean;
}

/** By a listed stream, else by polling; the same one may come twice. Rejects on abort and for what no waiting fixes. */
export async function* followSnapshots(
  { client, intervalMs }: Pick<OpenedClient, 'client' | 'intervalMs'>,
  persistence: Persistence,
): AsyncGenerator<ToldSnapshot> {
  const { signal } = persistence;
  let { hasWorked } = persistence;
  let streamDueAt = 0;
  let retryMs = FIRST_RETRY_MS;
  for (;;) {
    const polled = await untilItWorks(() => toldSnapshot(client, signal), { ...persistence, hasWorked });
    hasWorked = true;
    yield polled;
    if (performance.now() >= streamDueAt) {
      let hasHeard = false;
      let text = '';
      const onResponse = (response: string) => {
        text = response;
      };
      try {
        for await (const snapshot of client.stream({ signal, onResponse })) {
          hasHeard = true;
          retryMs = FIRST_RETRY_MS;
          yield { snapshot, text };
        }
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof ClientError)) throw error;
        if (FINAL.includes(error.code)) retryMs = Number.POSITIVE_INFINITY;
      }
      streamDueAt = performance.now() + retryMs;
      retryMs = Math.max(Math.min(retryMs * 2, LAST_STREAM_RETRY_MS), retryMs);
      if (hasHeard) continue;
    }
    // Twice the update frequency, so that little time is lost.
    const halfMs = (updateSecOf(polled.snapshot) * 1_000) / 2;
    const ms = intervalMs ?? Math.min(Math.max(halfMs, FASTEST_POLL_MS), 10_000);
    await sleep(ms, undefined, { signal });
  }
}

/** Repeats `work` while its failure may pass. */
export async function untilItWorks<Result>(
  work: () => Promise<Result>,
  { signal, onTrouble, hasWorked }: Persistence,
): Promise<Result> {
  for (let ownMs = FIRST_RETRY_MS; ; ownMs = Math.min(ownMs * 2, LAST_RETRY_MS)) {
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ClientError) || !mayPass(error, hasWorked)) throw error;
      onTrouble(reasonOf(error));
      const askedMs = Math.min((error.retryAfterSec ?? 0) * 1_000, LAST_RETRY_MS);
      const ms = error.code === 'quota' ? pauseMs(error) : Math.max(askedMs, ownMs);
      await sleep(ms, undefined, { signal });
    }
  }
}

function mayPass({ code, status }: ClientError, hasWorked: boolean): boolean {
  if (code === 'quota' || code === 'unreachable' || code === 'unavailable') return true;
  if (code === 'server') return hasWorked || (status ?? 500) >= 500;
  return hasWorked && (code === 'not-found' || code === 'unreadable');
}

const NAMED_DETAILS = 3;

/** One line per node if there are several; hints for choosing another source do not help while waiting. */
function reasonOf({ message, details }: ClientError): string {
  if (details.length === 0) return message;
  const named = details.slice(0, NAMED_DETAILS).map((detail) => `${detail.path}: ${detail.message}`);
  const more = details.length > NAMED_DETAILS ? `; and ${details.length - NAMED_DETAILS} more` : '';
  return `${message.split('; ')[0]} (${named.join('; ')}${more})`;
}
