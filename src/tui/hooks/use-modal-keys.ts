import { createContext, useCallback, useContext, useLayoutEffect, useMemo, useState } from 'react';
import type { ActionHandlers } from '../dispatcher.ts';
import type { Scope } from '../keymap/key-binding.ts';
import { actionsOf } from '../keymap.ts';
import { useTextCapture } from './use-actions.ts';

interface Over {
  readonly scope: Scope;
  /** It takes every key, so the others are not worth naming. */
  readonly isModal: boolean;
}

/** Tells the frame what lies over a tab; returns the way out. */
type ShowOver = (over: Over) => () => void;

export const OverContext = createContext<ShowOver>(() => () => {});

/** Has a scope heard before that of the tab while the calling component is on the screen; the footer names its keys. */
export function useOverScope(scope: Scope, isModal = false): void {
  const show = useContext(OverContext);
  useLayoutEffect(() => show({ scope, isModal }), [show, scope, isModal]);
}

export interface ModalText {
  /** What is not a key of the scope, by its name. */
  readonly onKey?: (name: string) => void;
  /** Text that was typed in one go, or pasted; absent where letters are keys. */
  readonly onText?: (text: string) => void;
  /** Line ends that come with letters are text, too. */
  readonly takesLines?: boolean;
}

/** Takes every key for what lies over all else, a form or a question; `ctrl+c` still quits, `ctrl+z` goes back to the shell. */
export function useModalKeys(scope: Scope, handlers: ActionHandlers, text: ModalText = {}): void {
  useOverScope(scope, true);
  useTextCapture(true, {
    takesText: text.onText !== undefined,
    takesLines: text.takesLines ?? false,
    onKey: (name) => {
      const handler = actionsOf(scope, name)
        .map((action) => handlers[action])
        .find((each) => each !== undefined);
      if (handler === undefined) text.onKey?.(name);
      else handler();
    },
    onPaste: (pasted) => text.onText?.(pasted),
  });
}

export interface OverScopes {
  /** Who hears keys, the nearest to the eye first. */
  readonly heard: readonly Scope[];
  /** Whose keys the footer names. */
  readonly named: readonly Scope[];
  /** For {@link OverContext}. */
  readonly show: ShowOver;
}

/** For the frame: what lies over `scopes`. */
export function useOverScopes(scopes: readonly Scope[]): OverScopes {
  const [open, setOpen] = useState<readonly Over[]>([]);
  const show = useCallback<ShowOver>((over) => {
    setOpen((before) => [...before, over]);
    return () => setOpen((before) => before.filter((each) => each !== over));
  }, []);
  const over = open.at(-1) ?? null;
  return useMemo(
    () => ({
      heard: over === null ? scopes : [over.scope, ...scopes],
      named: over === null ? scopes : over.isModal ? [over.scope] : [over.scope, 'global'],
      show,
    }),
    [over, scopes, show],
  );
}
