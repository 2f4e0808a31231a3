import { createContext, createElement, type ReactNode, useContext, useEffect, useState } from 'react';

const ClockContext = createContext(Date.now());

interface ClockProps {
  readonly now: () => number;
  readonly periodMs?: number;
  readonly children: ReactNode;
}

/** One ticking second for everything that shows an age, so that all ages change in one frame. */
export function Clock({ now, periodMs = 1_000, children }: ClockProps) {
  const [at, setAt] = useState(now);
  useEffect(() => {
    let timer: NodeJS.Timeout;
    const schedule = () => {
      // On the full second: block times are whole seconds, and an age must not skip one.
      timer = setTimeout(tick, periodMs - (now() % periodMs));
    };
    const tick = () => {
      setAt(now());
      schedule();
    };
    schedule();
    return () => clearTimeout(timer);
  }, [now, periodMs]);
  return createElement(ClockContext, { value: at }, children);
}

/** The time of the last tick, ms since epoch; renders the caller again at every tick. */
export const useNow = (): number => useContext(ClockContext);

/** Whether `ms` have passed since `key` last changed (or the component appeared). */
export function useElapsed(ms: number, key: unknown): boolean {
  const [elapsed, setElapsed] = useState<{ readonly key: unknown } | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setElapsed({ key }), ms);
    return () => clearTimeout(timer);
  }, [ms, key]);
  return elapsed !== null && elapsed.key === key;
}
