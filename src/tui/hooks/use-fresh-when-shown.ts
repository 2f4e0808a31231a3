import { useEffect, useRef } from 'react';

interface FreshWhenShownOptions {
  readonly isShown: boolean;
  /** When what is known was asked for, ms; `null`: nothing is. */
  readonly at: number | null;
  /** What is no older is good enough, ms. */
  readonly freshMs: number;
  readonly now: () => number;
  readonly refresh: () => Promise<void>;
}

/** Who turns to a list wants to see what is true now, however seldom it is asked for otherwise. */
export function useFreshWhenShown(options: FreshWhenShownOptions): void {
  const latest = useRef(options);
  latest.current = options;
  const { isShown } = options;
  useEffect(() => {
    const { at, freshMs, now, refresh } = latest.current;
    if (isShown && at !== null && now() - at > freshMs) void refresh();
  }, [isShown]);
}
