import { useCallback, useMemo, useRef, useState } from 'react';

/** What a service has told, and the last settled change that it can know of. */
export interface Knowing<T> {
  readonly value: T;
  readonly knows: number;
}

interface Expected<T> {
  readonly id: number;
  readonly apply: (value: T) => T;
  /** Its place among the settled changes; `null`: the service has not answered yet. */
  settled: number | null;
}

export interface ExpectedChanges<T> {
  /** The last settled change that an answer will know of whose question goes out now. */
  readonly known: () => number;
  /** An answer with the changes that it cannot know. */
  readonly over: (answer: Knowing<T>) => T;
  /** Drops the changes up to `knows`: no answer that is older comes any more, and newer ones know them. */
  readonly forget: (knows: number) => void;
  readonly expect: (apply: (value: T) => T) => { readonly settle: () => void; readonly takeBack: () => void };
}

/**
 * Changes shown before the service has answered. They lie over its answers rather than replace them: an answer that
 * is older than the change does not undo it on the screen, and taking one back leaves the others.
 */
export function useExpectedChanges<T>(): ExpectedChanges<T> {
  const [changes, setChanges] = useState<readonly Expected<T>[]>([]);
  const count = useRef({ made: 0, settled: 0 });
  const known = useCallback(() => count.current.settled, []);
  const expect = useCallback((apply: (value: T) => T) => {
    count.current.made += 1;
    const change: Expected<T> = { id: count.current.made, apply, settled: null };
    setChanges((all) => [...all, change]);
    return {
      settle: () => {
        count.current.settled += 1;
        change.settled ??= count.current.settled;
      },
      takeBack: () => setChanges((all) => all.filter(({ id }) => id !== change.id)),
    };
  }, []);
  const forget = useCallback((knows: number) => {
    const isKnown = ({ settled }: Expected<T>) => settled !== null && settled <= knows;
    setChanges((all) => (all.some(isKnown) ? all.filter((change) => !isKnown(change)) : all));
  }, []);
  return useMemo(
    () => ({
      known,
      forget,
      expect,
      over: ({ value, knows }) =>
        changes
          .filter(({ settled }) => settled === null || settled > knows)
          .reduce((changed, { apply }) => apply(changed), value),
    }),
    [known, forget, expect, changes],
  );
}
