import { setImmediate } from 'node:timers/promises';
import type { TestableClock } from '../../src/chain/async.ts';

export function manualClock(startMs = 1_000_000): TestableClock & { readonly advance: (ms: number) => void } {
  let now = startMs;
  return {
    now: () => now,
    elapsed: () => now,
    advance: (ms) => {
      now += ms;
    },
    sleep: async (ms, signal) => {
      // As real timers: others get their turn, and an abort ends the wait without its time having passed.
      await setImmediate();
      if (!signal?.aborted) now += ms;
    },
  };
}
