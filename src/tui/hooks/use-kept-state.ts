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
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const dispatch = useCallback(
    (action: A): void => {
      const state = keptOr(memory, id, initial);
      const next = reducer(state, action);
      if (Object.is(next, state)) return;
      // At once: whoever leaves the tab in the same breath would never be drawn again, and React would drop the change.
      memory.set(id, next);
      redraw();
    },
    [memory, id, reducer, initial],
  );
  return [keptOr(memory, id, initial), dispatch];
}

function keptOr<S>(memory: Memory, id: string, initial: S): S {
  return memory.has(id) ? (memory.get(id) as S) : initial;
}
