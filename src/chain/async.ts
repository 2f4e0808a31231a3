import { setTimeout } from 'node:timers/promises';

/** The clock; a test passes its own. */
export interface TestableClock {
  /** Wall clock, ms since epoch. It may be set: used for dates, never for durations. */
  now(): number;
  /** Monotonic clock, ms: used for pauses and intervals. */
  elapsed(): number;
  /** Resolves after `ms`, or at once when `signal` aborts (it does not reject). */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: TestableClock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  sleep: (ms, signal) => setTimeout(ms, undefined, signal && { signal }).catch(() => {}),
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
    controller.abort();
  }
}
