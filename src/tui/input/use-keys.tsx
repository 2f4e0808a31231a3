import { type Key, useInput, usePaste, useStdin } from 'ink';
import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useInsertionEffect,
  useReducer,
  useRef,
  useState,
} from 'react';
import { useToast } from '../chrome/toast.tsx';
import { type ActionName, actionOf, type Scope } from './keymap.ts';
import { PART_OF_CHARACTER } from './text-input.ts';

/** The handler of an action, or why it is unavailable: its key is not in the footer, and pressed shows the reason. */
export type ActionHandler = (() => void) | string;
export type ActionHandlers = Partial<Record<ActionName, ActionHandler>>;

interface ModalText {
  readonly onKey?: (name: string) => void;
  /** Receives text typed in one burst, or pasted; absent when letters are keys. */
  readonly onText?: (text: string) => void;
  /** Line ends together with letters are text, too: a paste into a terminal without bracketed paste. */
  readonly takesLines?: boolean;
}

interface Layer {
  readonly scope: Scope;
  /** Absent: unknown keys pass on to the tab. */
  readonly modal?: () => ModalText;
}

/** These keys work over a form, too: they quit or suspend. */
const EVERYWHERE: ReadonlySet<string> = new Set(['ctrl+c', 'ctrl+z']);

/**
 * Maps key names to actions by the keymap. Screens register their handlers; nothing else listens to keys. They
 * register in insertion effects, which React runs before Ink draws the commit, so that the footer names the keys of
 * the frame it is drawn with.
 */
export class Dispatcher {
  shown: readonly Scope[] = [];
  refuse: (reason: string) => void = () => {};
  readonly #handlers = new Map<Scope, Set<() => ActionHandlers>>();
  readonly #layers: Layer[] = [];

  /** The handlers registered last come first. Returns the function that unregisters. */
  register(scope: Scope, read: () => ActionHandlers): () => void {
    const readers = this.#handlers.get(scope) ?? new Set();
    this.#handlers.set(scope, readers);
    readers.add(read);
    return () => readers.delete(read);
  }

  cover(layer: Layer): () => void {
    this.#layers.push(layer);
    return () => this.#layers.splice(this.#layers.indexOf(layer), 1);
  }

  get scopes(): readonly Scope[] {
    const top = this.#layers.at(-1);
    return top === undefined ? this.shown : [top.scope, ...this.shown];
  }

  get named(): readonly Scope[] {
    const top = this.#layers.at(-1);
    return top?.modal === undefined ? this.scopes : [top.scope];
  }

  get #modal() {
    const layer = this.#layers.findLast(({ modal }) => modal !== undefined);
    return layer && { scope: layer.scope, ...layer.modal?.() };
  }

  get takesText(): boolean {
    return this.#modal?.onText !== undefined;
  }

  #handler(scope: Scope, action: ActionName): ActionHandler | undefined {
    const handlers = [...(this.#handlers.get(scope) ?? [])].map((read) => read()[action]);
    return handlers.findLast((each) => each !== undefined);
  }

  works(scope: Scope, action: ActionName): boolean {
    return typeof this.#handler(scope, action) === 'function';
  }

  /** The text at the front of `keys` that an open field takes at once; empty: the first key is handled by itself. */
  leadingText(keys: readonly string[]): readonly string[] {
    const takesLines = this.#modal?.takesLines === true;
    const isText = (key: string) => isLetter(key) || (takesLines && key === 'return');
    const end = keys.findIndex((key) => !isText(key));
    const text = end === -1 ? keys : keys.slice(0, end);
    // A line end by itself is the Enter key.
    return this.takesText && text.some(isLetter) ? text : [];
  }

  press(name: string): void {
    const modal = this.#modal;
    if (modal === undefined || EVERYWHERE.has(name)) this.scopes.some((scope) => this.#run(scope, name));
    else if (!this.#run(modal.scope, name)) modal.onKey?.(name);
  }

  /** Returns whether a field took the text: elsewhere pasted text would run as commands. */
  paste(text: string): boolean {
    this.#modal?.onText?.(text);
    return this.takesText;
  }

  #run(scope: Scope, name: string): boolean {
    const action = actionOf(scope, name);
    const handler = action && this.#handler(scope, action);
    if (typeof handler === 'string') this.refuse(handler);
    else handler?.();
    return handler !== undefined;
  }
}

export const DispatcherContext = createContext<Dispatcher>(new Dispatcher());

/**
 * Registers the handlers of `scope` while the calling component is on screen. Handlers may be new functions at every
 * render; a key without a handler, or with a reason instead, is not in the footer. `global` is always active; another
 * scope only while its tab is shown without an overlay.
 */
export function useKeys(scope: Scope, handlers: ActionHandlers): void {
  const dispatcher = useContext(DispatcherContext);
  const read = useLatest(handlers);
  useInsertionEffect(() => dispatcher.register(scope, read), [dispatcher, scope, read]);
}

export function scrollKeys(
  go: (to: number) => void,
  { top, room, most }: { readonly top: number; readonly room: number; readonly most: number },
) {
  return {
    up: () => go(top - 1),
    down: () => go(top + 1),
    'page-up': () => go(top - room),
    'page-down': () => go(top + room),
    start: () => go(0),
    end: () => go(most),
  } satisfies ActionHandlers;
}

/** A getter, the same at every render, of the value of the last committed render. */
function useLatest<T>(value: T): () => T {
  const latest = useRef(value);
  const read = useRef(() => latest.current);
  useInsertionEffect(() => {
    latest.current = value;
  });
  return read.current;
}

export function useOverlayScope(scope: Scope): void {
  const dispatcher = useContext(DispatcherContext);
  useInsertionEffect(() => dispatcher.cover({ scope }), [dispatcher, scope]);
}

/** Takes every key for a form or dialog; `ctrl+c` still quits, `ctrl+z` suspends. */
export function useModalKeys(scope: Scope, handlers: ActionHandlers, text: ModalText = {}): void {
  const dispatcher = useContext(DispatcherContext);
  useKeys(scope, handlers);
  const modal = useLatest(text);
  useInsertionEffect(() => dispatcher.cover({ scope, modal }), [dispatcher, scope, modal]);
}

interface KeyListenerProps {
  readonly scopes: readonly Scope[];
  readonly children: ReactNode;
}

type Input = string | { readonly pasted: string };

/**
 * The monitor's only key listener; components register handlers with `useKeys`. Keys typed in a burst arrive
 * together, but each is handled after the commit of the one before: `u` opens the field that takes the following
 * letters.
 */
export function KeyListener({ scopes, children }: KeyListenerProps) {
  const [dispatcher] = useState(() => new Dispatcher());
  const queue = useRef<Input[]>([]);
  const [, next] = useReducer((count: number) => count + 1, 0);
  const toast = useToast();
  useInsertionEffect(() => {
    dispatcher.shown = scopes;
    dispatcher.refuse = (text) => toast({ kind: 'error', text });
  });
  const cameWhole = useLostPasteEnd();
  const add = (inputs: readonly Input[]) => {
    cameWhole();
    for (const input of inputs) queue.current.push(input);
    next();
  };
  useInput((input, key) => add(keyNames(input, key)));
  usePaste((pasted) => add([{ pasted }]));
  // After each commit one input, so that the next one is handled by the new screen.
  useEffect(() => {
    const inputs = queue.current;
    // Escape read together with the next key looks like Alt and that key.
    const escaped = dispatcher.takesText
      ? undefined
      : /^alt\+(.|return|tab|space)$/u.exec(String(inputs[0]))?.[1];
    if (escaped !== undefined) inputs.splice(0, 1, 'escape', escaped);
    const [first] = inputs;
    if (first === undefined) return;
    const end = inputs.findIndex((input) => typeof input !== 'string');
    const keys = (end === -1 ? inputs : inputs.slice(0, end)).filter((input) => typeof input === 'string');
    const text = dispatcher.leadingText(keys);
    inputs.splice(0, Math.max(text.length, 1));
    if (text.length > 0) dispatcher.paste(text.map((key) => WRITTEN[key] ?? key).join(''));
    else if (typeof first === 'string') dispatcher.press(first);
    else if (!dispatcher.paste(first.pasted)) {
      // Does not repeat the text.
      const why = NOT_PASTED[dispatcher.scopes[0] ?? 'global'] ?? 'nothing here takes text';
      toast({ kind: 'error', text: `Not pasted: ${why}` });
    }
    next();
  });
  return <DispatcherContext value={dispatcher}>{children}</DispatcherContext>;
}

const PASTE_END = '\u001b[201~';
/** A paste without input for this long has lost its end. */
const PASTE_LOST_AFTER_MS = 2_000;

/**
 * Ends a paste whose end never arrives, as over a broken connection: Ink would wait for ever and take every key, even
 * Ctrl-C, for pasted text. Returns a function to call for each key or paste that Ink has read.
 */
function useLostPasteEnd(): () => void {
  const { stdin } = useStdin();
  const timer = useRef<NodeJS.Timeout>(undefined);
  // Registered before Ink's own hooks: the timer starts with input, and ends when Ink has read a key or paste from
  // it.
  useEffect(() => {
    const onInput = () => {
      clearTimeout(timer.current);
      timer.current = setTimeout(() => {
        if (stdin.readable) stdin.unshift(PASTE_END);
      }, PASTE_LOST_AFTER_MS);
    };
    stdin.on('readable', onInput);
    return () => {
      clearTimeout(timer.current);
      stdin.off('readable', onInput);
    };
  }, [stdin]);
  return () => clearTimeout(timer.current);
}

const NOT_PASTED: Partial<Record<Scope, string>> = {
  'auto-tx-form': 'no text goes into this field; go to one that takes it',
  'alert-form': 'no text goes into this field; go to one that takes it',
  question: 'answer the question first',
  source: 'press u first, then paste',
  'auto-txs': 'press n first, then paste',
  'auto-tx': 'press n first, then paste',
  explorer: 'press / first, then paste',
};

const isLetter = (key: string) => key === 'space' || Array.from(key).length === 1;
const WRITTEN: Readonly<Record<string, string>> = { space: ' ', return: '\n' };

/** Ink's key names; the keymap has them in lower case and without the word arrow. */
const NAMED = [
  ...(['upArrow', 'downArrow', 'leftArrow', 'rightArrow', 'pageUp', 'pageDown', 'home', 'end'] as const),
  ...(['return', 'escape', 'tab', 'backspace', 'delete'] as const),
] satisfies readonly (keyof Key)[];

/** The keymap's names of a key press, or of a burst of typing: `q`, `G`, `ctrl+c`, `shift+tab`, `left`, `space`. */
function keyNames(input: string, key: Key): string[] {
  const ctrl = key.ctrl ? 'ctrl+' : '';
  const named = NAMED.find((flag) => key[flag])
    ?.replace('Arrow', '')
    .toLowerCase();
  if (named !== undefined) {
    // Terminals send Alt as an Escape before the key, so a flushed Escape itself carries the flag too.
    const alt = key.meta && named !== 'escape' ? 'alt+' : '';
    return [`${ctrl}${alt}${key.shift && named === 'tab' ? 'shift+' : ''}${named}`];
  }
  if (key.ctrl) return input === '' ? [] : [`ctrl+${input}`];
  return Array.from(input, characterName)
    .filter((name) => name !== '')
    .map((name) => (key.meta ? `alt+${name}` : name));
}

function characterName(character: string): string {
  if (character === ' ') return 'space';
  if (character === '\r' || character === '\n') return 'return';
  if (character === '\t') return 'tab';
  if (character === '\x7f') return 'backspace';
  // Ctrl and a letter within a burst.
  if (/[\x01-\x1a]/.test(character)) return `ctrl+${String.fromCharCode(character.charCodeAt(0) + 96)}`;
  return /\p{C}/u.test(character) && !PART_OF_CHARACTER.test(character) ? '' : character;
}
