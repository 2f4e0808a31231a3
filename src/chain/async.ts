import { once } from 'node:events';
import { setImmediate, setTimeout } from 'node:timers/promises';

/** The clock; a test passes its own. */
export interface TestableClock {
  /** Wall clock, ms since epoch. It may be set: used for dates, never for durations. */
  now(): number;
  /** Monotonic clock, ms: used for pauses and intervals. */
  elapsed(): number;
  readonly sleep: typeof sleep;
}

/** Resolves after `ms`, or at once when `signal` aborts; never rejects. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, signal && { signal }).catch(() => {});
}

export const systemClock: TestableClock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  sleep,
};

/** Limits concurrency to `count`; further work waits in order. */
export class ConcurrencyLimit {
  #free: number;
  readonly #waiting = new Set<PromiseWithResolvers<void>>();

  constructor(count: number) {
    this.#free = count;
  }

  /** Rejects with the signal's reason if it aborts before `work` begins, else as `work` does. */
  async take<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else {
      const turn = Promise.withResolvers<void>();
      this.#waiting.add(turn);
      const leave = () => {
        if (this.#waiting.delete(turn)) turn.reject(signal?.reason);
      };
      signal?.addEventListener('abort', leave, { once: true });
      await turn.promise.finally(() => signal?.removeEventListener('abort', leave));
    }
    try {
      return await work();
    } finally {
      const [next] = this.#waiting;
      if (next === undefined) this.#free++;
      else this.#waiting.delete(next);
      next?.resolve();
    }
  }
}

export class DeadlineError extends Error {
  override readonly name = 'DeadlineError';
}

/** Made once: its stack trace takes longer than the rest of a cached response. */
export const OVER = new DOMException('the work is over', 'AbortError');

/** The signal aborts with `outer`, after `timeoutMs`, and when the work is over: that closes what a failed request left open. */
export async function withDeadline<T>(
  timeoutMs: number,
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  outer?.throwIfAborted();
  const controller = new AbortController();
  const abort = () => controller.abort(outer?.reason);
  outer?.addEventListener('abort', abort, { once: true });
  const timer = globalThis.setTimeout(() => controller.abort(new DeadlineError('too late')), timeoutMs);
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener('abort', abort);
    controller.abort(OVER);
  }
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

/** Made on first use, and again after a failure. */
export function lazily<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  const failed = (error: unknown) => {
    made = undefined;
    throw error;
  };
  return () => (made ??= make().catch(failed));
}

export async function untilAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
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
  signal: AbortSignal | undefined,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const limit = new ConcurrencyLimit(parallel);
  const failed = new AbortController();
  const until = AbortSignal.any([failed.signal, ...(signal ? [signal] : [])]);
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
