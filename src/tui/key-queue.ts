import type { Dispatcher } from './dispatcher.ts';

/** A key by its name, or a text that was pasted. */
export type Heard = string | { readonly pasted: string };

/**
 * Hands keys on one at a time. Keys typed in a burst arrive together, but each must meet the screen that the one
 * before it has made: `j j` moves by two, `u` opens the field that the next letters go to.
 */
export class KeyQueue {
  readonly #dispatcher: Dispatcher;
  readonly #waiting: Heard[] = [];

  constructor(dispatcher: Dispatcher) {
    this.#dispatcher = dispatcher;
  }

  get empty(): boolean {
    return this.#waiting.length === 0;
  }

  add(heard: readonly Heard[]): void {
    // One by one: a pasted text may be more keys than a call takes arguments.
    for (const each of heard) this.#waiting.push(each);
  }

  /** Handles the first key; in a text field all letters up to the next other key, or a long text would take long. */
  step(): void {
    const text = this.#dispatcher.capturing ? this.#takeText() : '';
    if (text !== '') {
      this.#dispatcher.paste(text);
      return;
    }
    const heard = this.#waiting.shift();
    if (heard === undefined) return;
    if (typeof heard === 'string') this.#dispatcher.press(heard);
    else this.#dispatcher.paste(heard.pasted);
  }

  #takeText(): string {
    const takesLines = this.#dispatcher.capturingLines;
    const isText = (heard: Heard) => isLetter(heard) || (takesLines && heard === 'return');
    const other = this.#waiting.findIndex((heard) => !isText(heard));
    const length = other === -1 ? this.#waiting.length : other;
    // A line end by itself is somebody's Enter.
    if (!this.#waiting.slice(0, length).some(isLetter)) return '';
    const letters = this.#waiting.splice(0, length);
    return letters.map((heard) => (typeof heard === 'string' ? (WRITTEN[heard] ?? heard) : '')).join('');
  }
}

const WRITTEN: Readonly<Record<string, string>> = { space: ' ', return: '\n' };

function isLetter(heard: Heard): boolean {
  return typeof heard === 'string' && (heard === 'space' || Array.from(heard).length === 1);
}
