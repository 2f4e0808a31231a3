import { createContext, useContext, useReducer } from 'react';

export const SMALLEST = { columns: 60, rows: 16 } as const;

const INTERVALS_MS = [500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000] as const;

export function stepInterval(currentMs: number, direction: 'faster' | 'slower'): number {
  if (direction === 'slower') return INTERVALS_MS.find((ms) => ms > currentMs) ?? currentMs;
  return INTERVALS_MS.findLast((ms) => ms < currentMs) ?? currentMs;
}

/** State that panes find again when their tab is shown again. */
export type Memory = Map<string, unknown>;

export const MemoryContext = createContext<Memory>(new Map());

/** `useState` that survives the pane: a tab looks as before when it is shown again. Updated with a function. */
export function useKeptState<S>(id: string, initial: S): readonly [S, (change: (state: S) => S) => void] {
  const memory = useContext(MemoryContext);
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const read = () => (memory.has(id) ? (memory.get(id) as S) : initial);
  const set = (change: (state: S) => S): void => {
    // Stored at once: React drops the change if the pane is left before its next frame.
    memory.set(id, change(read()));
    redraw();
  };
  return [read(), set];
}
