import { setImmediate, setTimeout } from 'node:timers/promises';
import { ConcurrencyLimit } from '../chain/async.ts';

/** Sleeps, or returns at once when `signal` aborts; never rejects. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await setTimeout(ms, undefined, { signal }).catch(() => {});
}

/** Pauses that `ring` ends; a ring between two pauses ends the next one at once. */
export class Alarm {
  #rung = new AbortController();

  readonly ring = (): void => this.#rung.abort();

  async pause(ms: number, wait: typeof sleep = sleep): Promise<void> {
    await wait(ms, this.#rung.signal);
    this.#rung = new AbortController();
  }
}

export async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** `promise`, but rejects at once when `signal` aborts: a node that hangs must not delay the end. */
export async function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) {
    promise.catch(() => {});
    throw signal.reason;
  }
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Runs `work` on every item, a few at a time; results in order. Starts nothing new after a failure or the abort. */
export async function mapBounded<Item, Result>(
  items: readonly Item[],
  parallel: number,
  signal: AbortSignal,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const limit = new ConcurrencyLimit(parallel);
  const failed = new AbortController();
  const until = AbortSignal.any([signal, failed.signal]);
  const done = items.map((item) => limit.take(() => work(item), until));
  return Promise.all(done).finally(() => failed.abort());
}

/** Long enough to make progress, short enough that keys and requests are not delayed. */
const SLICE_MS = 8;

/** Cuts long work on the event loop into slices: `if (slice.isOver()) await slice.next();` */
export class TimeSlice {
  #started = performance.now();

  isOver(): boolean {
    return performance.now() - this.#started >= SLICE_MS;
  }

  async next(): Promise<void> {
    await setImmediate();
    this.#started = performance.now();
  }
}
