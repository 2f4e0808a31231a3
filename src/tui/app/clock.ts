import { createContext, useContext, useEffect, useState, useSyncExternalStore } from 'react';

/** One ticking second for everything that shows an age, so that all ages change in one frame. */
export class Clock {
  readonly #now: () => number;
  readonly #periodMs: number;
  readonly #listeners = new Set<() => void>();
  #timer: NodeJS.Timeout | null = null;
  #read: number;

  constructor(now: () => number, periodMs = 1_000) {
    this.#now = now;
    this.#periodMs = periodMs;
    this.#read = now();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) this.#schedule();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0 && this.#timer !== null) clearTimeout(this.#timer);
    };
  };

  readonly read = (): number => this.#read;

  #schedule(): void {
    // On the full second: block times are whole seconds, and an age must not skip one.
    const wait = this.#periodMs - (this.#now() % this.#periodMs);
    this.#timer = setTimeout(() => {
      this.#read = this.#now();
      for (const listener of this.#listeners) listener();
      if (this.#listeners.size > 0) this.#schedule();
    }, wait);
  }
}

export const ClockContext = createContext<Clock>(new Clock(Date.now));

/** The result of `read` at the last tick; renders the caller again only when it changes. */
export function useTicking<T extends string | boolean>(read: (now: number) => T): T {
  const clock = useContext(ClockContext);
  return useSyncExternalStore(clock.subscribe, () => read(clock.read()));
}

/** The time of the last tick, ms since epoch; renders the caller again at every tick. */
export function useNow(): number {
  const clock = useContext(ClockContext);
  return useSyncExternalStore(clock.subscribe, clock.read);
}

/** Whether `ms` have passed since `key` last changed (or the component appeared). */
export function useElapsed(ms: number, key: unknown): boolean {
  const [elapsed, setElapsed] = useState<{ readonly key: unknown } | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setElapsed({ key }), ms);
    return () => clearTimeout(timer);
  }, [ms, key]);
  return elapsed !== null && elapsed.key === key;
}
