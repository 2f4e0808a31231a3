/** Time for what waits; a test hands in its own. */
export interface Clock {
  /** Wall clock, ms since epoch. It may be set back or forward: for telling, never for measuring. */
  now(): number;
  /** Ms since some moment, always forward: what pauses and intervals are measured with. */
  elapsed(): number;
  /** Resolves after `ms`, or at once when `signal` aborts (it does not reject). */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal?.addEventListener('abort', done, { once: true });
    }),
};
