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
import type { MouseReport } from './terminal-input.ts';

/**
 * The handler of an action, or why it is unavailable: its key is not in the footer, and pressed shows the reason. `undefined`:
 * the key does nothing here.
 */
export type ActionHandler = (() => void) | string | undefined;
export type ActionHandlers = Partial<Record<ActionName, ActionHandler>>;

interface ModalText {
  readonly onKey?: (name: string) => void;
  /** Receives text typed in one burst, or pasted; absent when letters are keys. */
  readonly onText?: (text: string) => void;
  /** What Ctrl-C does in place of quitting, while typed text would be lost. */
  readonly onQuit?: () => void;
  /** Line ends together with letters are text, too: a paste into a terminal without bracketed paste. */
  readonly takesLines?: boolean;
}

/** `overlay`: nearer than what is shown, unknown keys pass on to it; `modal`: takes every key. */
type Layer = 'pane' | 'overlay' | 'modal';

interface Registered {
  readonly scope: Scope;
  readonly layer: Layer;
  readonly latest: { readonly current: { readonly handlers: ActionHandlers; readonly text: ModalText } };
}

/** These keys work over a form, too: they quit, unless it asks first, or suspend. */
const EVERYWHERE: ReadonlySet<string> = new Set(['ctrl+c', 'ctrl+z']);

/** Returns whether the cell, from 0, is its own. */
type TakesClick = (x: number, y: number) => boolean;

/** What the wheel does is what these keys do: of each pair a screen has one. */
const WHEEL = {
  'wheel-up': ['up', 'cursor-left'],
  'wheel-down': ['down', 'cursor-right'],
} as const satisfies Readonly<Record<string, readonly ActionName[]>>;

/**
 * Maps key names to actions. Screens register their handlers in insertion effects, which React runs before Ink draws
 * the commit, so that the footer names the keys of the frame it is drawn with.
 */
export class Dispatcher {
  shown: readonly Scope[] = [];
  /** The handlers of `global`, unless a screen has its own. */
  global: ActionHandlers = {};
  refuse: (reason: string) => void = () => {};
  readonly #registered: Registered[] = [];
  readonly #clicks = new Set<TakesClick>();

  register(entry: Registered): () => void {
    this.#registered.push(entry);
    return () => this.#registered.splice(this.#registered.indexOf(entry), 1);
  }

  takeClicks(takes: TakesClick): () => void {
    this.#clicks.add(takes);
    return () => this.#clicks.delete(takes);
  }

  /** Over a form, a question or a field only keys work. */
  point(report: MouseReport): void {
    if (this.#modal !== undefined) return;
    if (report.kind !== 'click') this.perform(...WHEEL[report.kind]);
    else [...this.#clicks].some((takes) => takes(report.x, report.y));
  }

  /** Does what the key of the first of these does that has one now. */
  perform(...actions: readonly ActionName[]): void {
    this.scopes.some((scope) => actions.some((action) => this.#act(scope, action)));
  }

  /** The scopes whose keys work now, nearest first. */
  get scopes(): readonly Scope[] {
    const top = this.#registered.findLast(({ layer }) => layer !== 'pane');
    if (top === undefined) return this.shown;
    return top.layer === 'modal' ? [top.scope] : [top.scope, ...this.shown];
  }

  get #modal() {
    const { scope, latest } = this.#registered.findLast(({ layer }) => layer === 'modal') ?? {};
    return scope && { scope, ...latest?.current.text };
  }

  get takesText(): boolean {
    return this.#modal?.onText !== undefined;
  }

  #handler(scope: Scope, action: ActionName): ActionHandler | undefined {
    const handlers = this.#registered.map((entry) =>
      entry.scope === scope ? entry.latest.current.handlers[action] : undefined,
    );
    const own = handlers.findLast((each) => each !== undefined);
    return own ?? (scope === 'global' ? this.global[action] : undefined);
  }

  works(scope: Scope, action: ActionName): boolean {
    return typeof this.#handler(scope, action) === 'function';
  }

  /** The text at the front of `keys` that an open field takes at once; empty: the first key is handled by itself. */
  leadingText(keys: readonly string[]): readonly string[] {
    const takesLines = this.#modal?.takesLines === true;
    const end = keys.findIndex((key) => !isLetter(key) && !(takesLines && key === 'return'));
    const text = end === -1 ? [...keys] : keys.slice(0, end);
    // A line end by itself is the Enter key.
    return this.takesText && text.some(isLetter) ? text : [];
  }

  press(name: string): void {
    const modal = this.#modal;
    if (name === 'ctrl+c' && modal?.onQuit !== undefined) {
      modal.onQuit();
      return;
    }
    const scopes = modal === undefined ? this.scopes : EVERYWHERE.has(name) ? this.shown : [modal.scope];
    if (!scopes.some((scope) => this.#run(scope, name))) modal?.onKey?.(name);
  }

  /** Returns whether a field took the text: elsewhere pasted text would run as commands. */
  paste(text: string): boolean {
    this.#modal?.onText?.(text);
    return this.takesText;
  }

  #run(scope: Scope, name: string): boolean {
    const action = actionOf(scope, name);
    return action !== undefined && this.#act(scope, action);
  }

  #act(scope: Scope, action: ActionName): boolean {
    const handler = this.#handler(scope, action);
    if (typeof handler === 'string') this.refuse(handler);
    else handler?.();
    return handler !== undefined;
  }
}

export const DispatcherContext = createContext<Dispatcher>(new Dispatcher());

/** Whether this part of the screen takes keys: of two parts side by side one does. */
export const TakesKeysContext = createContext(true);

/** Registers the handlers of `scope` while the caller is on screen; a key without one is not in the footer. */
export function useKeys(
  scope: Scope,
  handlers: ActionHandlers,
  layer: Layer = 'pane',
  text: ModalText = {},
): void {
  const dispatcher = useContext(DispatcherContext);
  const takesKeys = useContext(TakesKeysContext);
  const latest = useRef({ handlers, text });
  useInsertionEffect(() => {
    latest.current = { handlers, text };
  });
  useInsertionEffect(
    () => (takesKeys ? dispatcher.register({ scope, layer, latest }) : undefined),
    [dispatcher, takesKeys, scope, layer],
  );
}

/** Takes every key for a form or dialog; `ctrl+c` still quits unless `onQuit` is there, `ctrl+z` suspends. */
export const useModalKeys = (scope: Scope, handlers: ActionHandlers, text?: ModalText): void =>
  useKeys(scope, handlers, 'modal', text);

/** The keys that move within 0 to `most`, a screen of which has `room`; none where there is only one place. */
export function scrollKeys(
  move: (to: number) => void,
  { top, room, most }: Readonly<Record<'top' | 'room' | 'most', number>>,
): ActionHandlers {
  if (most <= 0) return {};
  const go = (to: number) => move(Math.min(Math.max(to, 0), most));
  return {
    up: () => go(top - 1),
    down: () => go(top + 1),
    'page-up': () => go(top - room),
    'page-down': () => go(top + room),
    start: () => go(0),
    end: () => go(most),
  };
}

interface KeyListenerProps {
  readonly scopes: readonly Scope[];
  readonly global?: ActionHandlers;
  readonly children: ReactNode;
}

/** The only key listener. Keys typed in a burst are each handled after the commit of the one before. */
export function KeyListener({ scopes, global = {}, children }: KeyListenerProps) {
  const [dispatcher] = useState(() => new Dispatcher());
  const queue = useRef<(KeysRead | { readonly pasted: string } | { readonly report: MouseReport })[]>([]);
  const burstAt = useRef(Number.NEGATIVE_INFINITY);
  const [, next] = useReducer((count: number) => count + 1, 0);
  const toast = useToast();
  useInsertionEffect(() => {
    dispatcher.shown = scopes;
    dispatcher.global = global;
    dispatcher.refuse = (text) => toast({ kind: 'error', text });
  });
  useInput((input, key) => {
    const names = keyNames(input, key);
    if (names.length === 0) return;
    const now = performance.now();
    // The last read of a long paste may be short.
    const isBurst = isPastedText(names) || now - burstAt.current < BURST_MS;
    if (isBurst) burstAt.current = now;
    const last = queue.current.at(-1);
    if (last === undefined || !('keys' in last) || last.isBurst !== isBurst)
      queue.current.push({ keys: [...names], isBurst });
    else for (const name of names) last.keys.push(name);
    next();
  });
  usePaste((pasted) => {
    queue.current.push({ pasted });
    next();
  });
  const { stdin } = useStdin();
  useEffect(() => {
    const take = (report: MouseReport) => {
      queue.current.push({ report });
      next();
    };
    stdin.on('mouse', take);
    return () => {
      stdin.off('mouse', take);
    };
  }, [stdin]);
  // After each commit one input, so that the next one is handled by the new screen.
  useEffect(() => {
    const inputs = queue.current;
    const [first] = inputs;
    if (first === undefined) return;
    if ('report' in first) {
      inputs.shift();
      dispatcher.point(first.report);
      return next();
    }
    if ('pasted' in first || (first.isBurst && !dispatcher.takesText)) {
      inputs.shift();
      if (!('pasted' in first && dispatcher.paste(first.pasted))) dispatcher.refuse(NOT_PASTED);
      if ('keys' in first && first.keys.includes('ctrl+c')) dispatcher.press('ctrl+c');
      return next();
    }
    const { keys } = first;
    // Escape read together with the next key looks like Alt and that key.
    const escaped = dispatcher.takesText ? null : /^alt\+(.|return|tab|space)$/u.exec(keys[0] ?? '');
    if (escaped !== null) keys.splice(0, 1, 'escape', escaped[1] ?? '');
    const text = dispatcher.leadingText(keys);
    const [key = ''] = keys.splice(0, Math.max(text.length, 1));
    if (keys.length === 0) inputs.shift();
    if (text.length > 0) dispatcher.paste(text.map((each) => WRITTEN[each] ?? each).join(''));
    else dispatcher.press(key);
    next();
  });
  return <DispatcherContext value={dispatcher}>{children}</DispatcherContext>;
}

/** Keys in the order in which they were read. */
interface KeysRead {
  readonly keys: string[];
  /** So many at once that they are a paste into a terminal without bracketed paste: text, but no commands. */
  readonly isBurst: boolean;
}

const BURST_MS = 100;
/** In one read: more than a person types while one frame is drawn. A key that is held down counts once. */
const BURST_KEYS = 8;

/** What a paste may hold besides letters, and the key that one presses after it. */
const TEXT_KEYS: ReadonlySet<string> = new Set(['return', 'tab', 'ctrl+c']);

/** An arrow or another control key in between was pressed, and read late. */
const isPastedText = (names: readonly string[]) =>
  names.every((name) => isLetter(name) || TEXT_KEYS.has(name)) &&
  names.filter((name, place) => name !== names[place - 1]).length >= BURST_KEYS;

/** Does not repeat the text. */
const NOT_PASTED = 'Not pasted: first go to a field that takes text (n, / or u opens one)';

const isLetter = (key: string) => key === 'space' || Array.from(key).length === 1;
const WRITTEN: Readonly<Record<string, string>> = { space: ' ', return: '\n' };

/** Ink's key names; the keymap has them in lower case and without the word arrow. */
const NAMED = [
  ...(['upArrow', 'downArrow', 'leftArrow', 'rightArrow', 'pageUp', 'pageDown', 'home', 'end'] as const),
  ...(['return', 'escape', 'tab', 'backspace', 'delete'] as const),
] satisfies readonly (keyof Key)[];

/** The keymap's names of a key press, or of a burst of typing: `q`, `G`, `ctrl+c`, `shift+tab`, `left`, `space`. */
function keyNames(input: string, key: Key): readonly string[] {
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
  const names = Array.from(input, characterName).filter((name) => name !== '');
  return key.meta ? names.map((name) => `alt+${name}`) : names;
}

const CONTROLS: Readonly<Record<string, string>> = {
  ' ': 'space',
  '\r': 'return',
  '\n': 'return',
  '\t': 'tab',
  '\x7f': 'backspace',
};

/** Invisible characters that change their neighbours: joiners, the letters of flags. */
const PART_OF_CHARACTER = /^(?:\u200c|\u200d|[\u{e0020}-\u{e007f}])$/u;

function characterName(character: string): string {
  const named = CONTROLS[character];
  if (named !== undefined) return named;
  // Ctrl and a letter within a burst.
  if (/[\x01-\x1a]/.test(character)) return `ctrl+${String.fromCharCode(character.charCodeAt(0) + 96)}`;
  return /\p{C}/u.test(character) && !PART_OF_CHARACTER.test(character) ? '' : character;
}
