import { setTimeout as sleep } from 'node:timers/promises';
import { ClientError } from '../client/client-error.ts';
import type { SnapshotView } from '../client/views.ts';
import { CliError } from './cli-error.ts';
import { EXIT } from './exit-code.ts';
import type { Io } from './io.ts';
import type { OpenedClient } from './open-client.ts';

/** A one-shot command gives up after this. */
export const READY_WITHIN_MS = 10_000;
const ASK_AGAIN_MS = 60;

/**
 * The first snapshot worth showing. A service elsewhere is asked once; the embedded one is asked again until it
 * has taken in the source's newest block.
 */
export async function readySnapshot(io: Io, { client, embedded }: OpenedClient): Promise<SnapshotView> {
  const interruption = io.interruption();
  if (embedded?.ended) await Promise.race([embedded.ended, aborted(interruption)]);
  const deadline = AbortSignal.timeout(READY_WITHIN_MS);
  const signal = AbortSignal.any([deadline, interruption]);
  if (embedded === null) return client.gasCurrent({ signal }).catch((error) => failed(error, interruption));
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
      if (head !== null && (snapshot.blockNumber ?? 0) >= head) return snapshot;
      if (deadline.aborted) return stillGood(snapshot);
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

/** Old prices are no answer for a script that will pay by them. */
function stillGood(snapshot: SnapshotView): SnapshotView {
  const problem = snapshot.stale ? snapshot.source.problem : null;
  if (problem === null || problem.retryAt === null) return snapshot;
  throw new CliError(EXIT.unreachable, `the source gives nothing new: ${problem.message}`);
}
