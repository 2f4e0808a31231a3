import { setTimeout } from 'node:timers/promises';

/** Waits, or returns at once when `signal` aborts; never rejects. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await setTimeout(ms, undefined, { signal }).catch(() => {});
}

/** Waits until `signal` aborts. */
export async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
