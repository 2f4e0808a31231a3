import type { Scope } from './keymap/key-binding.ts';
import { type ActionName, actionsOf } from './keymap.ts';

export type ActionHandlers = Partial<Record<ActionName, () => void>>;

/** What an open text field, form or question wants to hear instead of actions. */
export interface TextCapture {
  /** `false`: letters are keys here, each heard on its own; default: they are text. */
  readonly takesText?: boolean;
  /** Line ends within a burst of letters are text, too: a paste into a terminal that puts no brackets around it. */
  readonly takesLines?: boolean;
  readonly onKey: (name: string) => void;
  readonly onPaste: (text: string) => void;
}

/** What quits or goes back to the shell does so over a form, too. */
const EVERYWHERE: ReadonlySet<string> = new Set(['ctrl+c', 'ctrl+z']);

/** Turns key names into actions by the keymap. Screens register what they can do; nobody else listens to keys. */
export class Dispatcher {
  /** Which scopes hear keys now, the nearest to the eye first. */
  scopes: readonly Scope[] = [];
  /** Told of text that was pasted where none is taken. */
  onStrayPaste: (text: string) => void = () => {};
  readonly #handlers = new Map<Scope, Set<() => ActionHandlers>>();
  readonly #captures: (() => TextCapture)[] = [];

  /** Whoever registered last in a scope answers first. Returns the way out. */
  register(scope: Scope, read: () => ActionHandlers): () => void {
    const readers = this.#handlers.get(scope) ?? new Set();
    this.#handlers.set(scope, readers);
    readers.add(read);
    return () => readers.delete(read);
  }

  /** While captured, every key but those that leave the terminal goes to the text field. */
  capture(read: () => TextCapture): () => void {
    this.#captures.push(read);
    return () => this.#captures.splice(this.#captures.indexOf(read), 1);
  }

  /** Whether letters are text now. */
  get capturing(): boolean {
    const capture = this.#captures.at(-1)?.();
    return capture !== undefined && capture.takesText !== false;
  }

  /** Whether line ends between letters are text now. */
  get capturingLines(): boolean {
    return this.capturing && this.#captures.at(-1)?.().takesLines === true;
  }

  /** Runs what `name` means in the first of the scopes that knows it; true if something ran. */
  press(name: string, scopes: readonly Scope[] = this.scopes): boolean {
    const capture = this.#captures.at(-1)?.();
    if (capture !== undefined && !EVERYWHERE.has(name)) {
      capture.onKey(name);
      return true;
    }
    return scopes.some((scope) => this.#run(scope, name));
  }

  /** Pasted text is for text fields alone: outside them it would be a row of commands. */
  paste(text: string): void {
    const capture = this.#captures.at(-1)?.();
    if (capture === undefined || capture.takesText === false) this.onStrayPaste(text);
    else capture.onPaste(text);
  }

  #run(scope: Scope, name: string): boolean {
    const actions = actionsOf(scope, name);
    const readers = [...(this.#handlers.get(scope) ?? [])].reverse();
    for (const read of readers) {
      const handlers = read();
      for (const action of actions) {
        const handler = handlers[action];
        if (handler === undefined) continue;
        handler();
        return true;
      }
    }
    return false;
  }
}
