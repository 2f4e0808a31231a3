import type { Dispatcher } from './dispatcher.ts';

/**
 * Hands keys on one at a time. Keys typed in a burst arrive together, but each must meet the screen that the one
 * before it has made: `j j` moves by two, `u` opens the field that the next letters go to.
 */
export class KeyQueue {
  readonly #dispatcher: Dispatcher;
  readonly #waiting: string[] = [];

  constructor(dispatcher: Dispatcher) {
    this.#dispatcher = dispatcher;
  }

  get empty(): boolean {
    return this.#waiting.length === 0;
  }

  add(names: readonly string[]): void {
    this.#waiting.push(...names);
  }

  /** Handles the first key; in a text field all letters up to the next other key, or a long text would take long. */
  step(): void {
    const text = this.#dispatcher.capturing ? this.#takeText() : '';
    if (text !== '') {
      this.#dispatcher.paste(text);
      return;
    }
    const name = this.#waiting.shift();
    if (name !== undefined) this.#dispatcher.press(name);
  }

  #takeText(): string {
    const other = this.#waiting.findIndex((name) => name !== 'space' && Array.from(name).length > 1);
    const letters = this.#waiting.splice(0, other === -1 ? this.#waiting.length : other);
    return letters.map((name) => (name === 'space' ? ' ' : name)).join('');
  }
}
