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
