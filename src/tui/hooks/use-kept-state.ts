import { createContext, useCallback, useContext, useReducer } from 'react';

/** What panes want to find again when their tab is shown again. */
export type Memory = Map<string, unknown>;

export const MemoryContext = createContext<Memory>(new Map());

/** `useReducer` whose state outlives the pane: a tab that is left and shown again looks as before. */
export function useKeptReducer<S, A>(
  id: string,
  reducer: (state: S, action: A) => S,
  initial: S,
): readonly [S, (action: A) => void] {
  const memory = useContext(MemoryContext);
  const kept = memory.has(id) ? (memory.get(id) as S) : initial;
  const remember = useCallback(
    (state: S, action: A): S => {
      const next = reducer(state, action);
      memory.set(id, next);
      return next;
    },
    [memory, id, reducer],
  );
  return useReducer(remember, kept);
}
