import { useInput, usePaste } from 'ink';
import { type ReactNode, useEffect, useReducer, useRef, useState } from 'react';
import { Dispatcher } from '../dispatcher.ts';
import { DispatcherContext } from '../hooks/use-actions.ts';
import { useToast } from '../hooks/use-toast.ts';
import { keyNames } from '../key-name.ts';
import { type Heard, KeyQueue } from '../key-queue.ts';
import type { Scope } from '../keymap/key-binding.ts';
import { strayPasteWords } from '../stray-paste.ts';

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
  const toast = useToast();
  dispatcher.scopes = scopes;
  dispatcher.onStrayPaste = (text) =>
    toast({ kind: 'error', text: strayPasteWords(text, dispatcher.scopes) });
  const busy = useRef(false);
  const hold = useRef<{ timer?: NodeJS.Timeout; turn?: NodeJS.Immediate }>({});
  const endHold = () => {
    clearTimeout(hold.current.timer);
    clearImmediate(hold.current.turn);
  };
  const handle = () => {
    busy.current = true;
    queue.step();
    endTurn();
  };
  const step = () => {
    endHold();
    const { holdMs } = queue;
    if (holdMs === 0) return handle();
    busy.current = false;
    hold.current.timer = setTimeout(() => {
      // What came while a screen was drawn is read first.
      hold.current.turn = setImmediate(() => {
        queue.settle();
        handle();
      });
    }, holdMs);
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when nobody listens any more
  useEffect(() => endHold, []);
  return <DispatcherContext value={dispatcher}>{children}</DispatcherContext>;
}
