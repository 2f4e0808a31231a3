import type { Dispatcher } from './dispatcher.ts';

/**
 * Hands keys on one at a time. Keys typed in a burst arrive together, but each must meet the screen that the one
 * before it has made: `j j` moves by two, `u` opens the field that the next letters go to.
 */
export class KeyQueue {
  readonly #dispatcher: Dispatcher;
  #waiting: string[] = [];
  #scheduled = false;

  constructor(dispatcher: Dispatcher) {
    this.#dispatcher = dispatcher;
  }

  add(names: readonly string[]): void {
    this.#waiting.push(...names);
    if (!this.#scheduled) this.#next();
  }

  #next(): void {
    this.#scheduled = false;
    const text = this.#dispatcher.capturing ? this.#takeText() : '';
    if (text.length > 1) this.#dispatcher.paste(text);
    else {
      const name = text === '' ? this.#waiting.shift() : text;
      if (name === undefined) return;
      this.#dispatcher.press(name);
    }
    if (this.#waiting.length === 0) return;
    this.#scheduled = true;
    // React commits what a key changed in a microtask; an immediate comes after it.
    setImmediate(() => this.#next());
  }

  /** Letters for a text field go in together: a long text without paste brackets would else take its time. */
  #takeText(): string {
    const other = this.#waiting.findIndex((name) => name !== 'space' && Array.from(name).length > 1);
    const letters = this.#waiting.splice(0, other === -1 ? this.#waiting.length : other);
    return letters.map((name) => (name === 'space' ? ' ' : name)).join('');
  }
}
