import { createContext, useContext, useLayoutEffect, useRef } from 'react';
import { type ActionHandlers, Dispatcher, type TextCapture } from '../dispatcher.ts';
import type { Scope } from '../keymap/key-binding.ts';

export const DispatcherContext = createContext<Dispatcher>(new Dispatcher());

/**
 * Says what the keys of `scope` do while the calling component is on screen. Handlers may be new functions at
 * every render. `global` is always heard; another scope only while its tab is shown and nothing lies over it.
 */
export function useActions(scope: Scope, handlers: ActionHandlers): void {
  const dispatcher = useContext(DispatcherContext);
  const read = useLatest(handlers);
  useLayoutEffect(() => dispatcher.register(scope, read), [dispatcher, scope, read]);
}

/** Takes all keys and pasted text while `active`; `ctrl+c` still quits, `ctrl+z` goes back to the shell. */
export function useTextCapture(active: boolean, capture: TextCapture): void {
  const dispatcher = useContext(DispatcherContext);
  const read = useLatest(capture);
  useLayoutEffect(() => (active ? dispatcher.capture(read) : undefined), [dispatcher, active, read]);
}

/** A reader, the same at every render, of what the last committed render passed. */
function useLatest<T>(value: T): () => T {
  const latest = useRef(value);
  const read = useRef(() => latest.current);
  useLayoutEffect(() => {
    latest.current = value;
  });
  return read.current;
}
