import { useInput, usePaste } from 'ink';
import { type ReactNode, useState } from 'react';
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
  dispatcher.scopes = scopes;
  useInput((input, key) => queue.add(keyNames(input, key)));
  usePaste((text) => dispatcher.paste(text));
  return <DispatcherContext value={dispatcher}>{children}</DispatcherContext>;
}
