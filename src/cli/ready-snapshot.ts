import { setTimeout as sleep } from 'node:timers/promises';
import { ClientError } from '../client/errors.ts';
import type { SnapshotView } from '../client/views/gas.ts';
import type { Io } from './io.ts';
import type { OpenedClient } from './open-client.ts';
import { refuseStale, type StaleRule } from './stale-rule.ts';

/** A one-shot command gives up after this. */
export const READY_WITHIN_MS = 10_000;
const ASK_AGAIN_MS = 60;

/**
 * The first snapshot worth showing. A service elsewhere is asked once; the embedded one is asked again until it
 * has taken in the source's newest block. One that `rule` does not allow is a `CliError`.
 */
export async function readySnapshot(
  io: Io,
  { client, embedded }: OpenedClient,
  rule: StaleRule,
  withinMs = READY_WITHIN_MS,
): Promise<SnapshotView> {
  const interruption = io.interruption();
  if (embedded?.ended) await Promise.race([embedded.ended, aborted(interruption)]);
  const deadline = AbortSignal.timeout(withinMs);
  const signal = AbortSignal.any([deadline, interruption]);
  if (embedded === null) {
    const snapshot = await client.gasCurrent({ signal }).catch((error) => failed(error, interruption));
    return refuseStale(snapshot, rule, io.now());
  }
  // An earlier run may have stored blocks that are not the newest any more.
  let head: number | null = null;
  void embedded.headNumber().then((number) => {
    head = number;
  });
  for (;;) {
    const snapshot = await client.gasCurrent().catch((error) => {
      if (!isWarmingUp(error) || deadline.aborted) return failed(error, interruption);
      return null;
    });
    if (snapshot !== null) {
      const isNewest = head !== null && (snapshot.blockNumber ?? 0) >= head;
      // A source that is being asked, or is again, may yet answer; one without a new block is as it is.
      const { problem } = snapshot.source;
      const mayRecover = snapshot.stale && (problem === null || problem.retryAt !== null);
      if ((isNewest && !mayRecover) || deadline.aborted) return refuseStale(snapshot, rule, io.now());
    }
    await sleep(ASK_AGAIN_MS, undefined, { signal: interruption }).catch(() => interruption.throwIfAborted());
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    if (signal.aborted) reject(signal.reason);
  });
}

function failed(error: unknown, interruption: AbortSignal): never {
  interruption.throwIfAborted();
  throw error;
}

function isWarmingUp(error: unknown): boolean {
  return error instanceof ClientError && error.code === 'unavailable';
}
