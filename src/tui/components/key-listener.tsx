import { useInput, usePaste } from 'ink';
import { type ReactNode, useEffect, useReducer, useRef, useState } from 'react';
import { Dispatcher } from '../dispatcher.ts';
import { DispatcherContext } from '../hooks/use-actions.ts';
import { keyNames } from '../key-name.ts';
import { type Heard, KeyQueue } from '../key-queue.ts';
import type { Scope } from '../keymap/key-binding.ts';

interface KeyListenerProps {
  /** Which scopes hear keys now, the nearest to the eye first. */
  readonly scopes: readonly Scope[];
  readonly children: ReactNode;
}

/** The monitor's one pair of ears: everything below says what keys do through `useActions`. */
export function KeyListener({ scopes, children }: KeyListenerProps) {
  const [dispatcher] = useState(() => new Dispatcher());
  const [queue] = useState(() => new KeyQueue(dispatcher));
  // Counts handled keys; its commit is also the commit of all that the key has changed.
  const [turn, endTurn] = useReducer((count: number) => count + 1, 0);
  dispatcher.scopes = scopes;
  const busy = useRef(false);
  const step = () => {
    busy.current = true;
    queue.step();
    endTurn();
  };
  const hear = (heard: readonly Heard[]) => {
    queue.add(heard);
    // What is heard before the last key's effect is on the screen waits for it, or it would meet the old one.
    if (!busy.current) step();
  };
  useInput((input, key) => hear(keyNames(input, key)));
  usePaste((pasted) => hear([{ pasted }]));
  // biome-ignore lint/correctness/useExhaustiveDependencies: the next key is due when the last one's turn has ended
  useEffect(() => {
    busy.current = !queue.empty;
    if (queue.empty) return;
    const next = setImmediate(step);
    return () => clearImmediate(next);
  }, [turn, queue]);
  return <DispatcherContext value={dispatcher}>{children}</DispatcherContext>;
}
