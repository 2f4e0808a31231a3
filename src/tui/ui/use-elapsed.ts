import { useEffect, useState } from 'react';

/** Whether `ms` have passed since `key` last changed (or the component appeared). */
export function useElapsed(ms: number, key: unknown): boolean {
  const [elapsed, setElapsed] = useState<{ readonly key: unknown } | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setElapsed({ key }), ms);
    return () => clearTimeout(timer);
  }, [ms, key]);
  return elapsed !== null && elapsed.key === key;
}

/** A cursor that rests so long on something asks a service elsewhere for its details. */
const REST_MS = 300;

export const useAtRest = (selected: unknown): boolean => useElapsed(REST_MS, selected);
