import { useInput, usePaste } from 'ink';
import { type ReactNode, useEffect, useReducer, useState } from 'react';
import { Dispatcher } from '../dispatcher.ts';
import { DispatcherContext } from '../hooks/use-actions.ts';
import { keyNames } from '../key-name.ts';
import { KeyQueue } from '../key-queue.ts';
import type { Scope } from '../keymap.ts';

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
  useInput((input, key) => {
    const idle = queue.empty;
    queue.add(keyNames(input, key));
    if (!idle) return;
    queue.step();
    if (!queue.empty) endTurn();
  });
  usePaste((text) => dispatcher.paste(text));
  // biome-ignore lint/correctness/useExhaustiveDependencies: the next key is due when the last one's turn has ended
  useEffect(() => {
    if (queue.empty) return;
    const next = setImmediate(() => {
      queue.step();
      if (!queue.empty) endTurn();
    });
    return () => clearImmediate(next);
  }, [turn, queue]);
  return <DispatcherContext value={dispatcher}>{children}</DispatcherContext>;
}
