import { createContext, useCallback, useContext, useLayoutEffect, useState } from 'react';
import type { ActionHandlers } from '../dispatcher.ts';
import type { Scope } from '../keymap/key-binding.ts';
import { actionsOf } from '../keymap.ts';
import { useTextCapture } from './use-actions.ts';

/** Tells the frame which scope has taken all keys, so that the footer names those; returns the way out. */
export type ShowModal = (scope: Scope) => () => void;

export const ModalContext = createContext<ShowModal>(() => () => {});

export interface ModalText {
  /** What is not a key of the scope, by its name. */
  readonly onKey?: (name: string) => void;
  /** Text that was typed in one go, or pasted; absent where letters are keys. */
  readonly onText?: (text: string) => void;
}

/** Takes every key for what lies over all else, a form or a question; `ctrl+c` still quits. */
export function useModalKeys(scope: Scope, handlers: ActionHandlers, text: ModalText = {}): void {
  const show = useContext(ModalContext);
  useLayoutEffect(() => show(scope), [show, scope]);
  useTextCapture(true, {
    takesText: text.onText !== undefined,
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

/** For the app's frame: what lies on top and has taken all keys, and what to hand to {@link ModalContext}. */
export function useModalHost(): { readonly scope: Scope | null; readonly show: ShowModal } {
  const [open, setOpen] = useState<readonly Scope[]>([]);
  const show = useCallback<ShowModal>((scope) => {
    setOpen((before) => [...before, scope]);
    return () => setOpen((before) => without(before, scope));
  }, []);
  return { scope: open.at(-1) ?? null, show };
}

function without(scopes: readonly Scope[], scope: Scope): readonly Scope[] {
  const place = scopes.lastIndexOf(scope);
  return scopes.filter((_, index) => index !== place);
}
