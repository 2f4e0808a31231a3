import type { Dispatcher } from './dispatcher.ts';
import { hexRun, isSignedDigits, isSurelyKey } from './stray-paste.ts';

/** A key by its name, or a text that was pasted. */
export type Heard = string | { readonly pasted: string };

/** A paste comes in pieces, as its line is slow: so long after the last one more digits are of the same. */
const PASTE_GOES_ON_MS = 300;
/** What may be the beginning of a paste waits so long for more of it: half of what a key may take to be on the screen. */
const MAY_GO_ON_MS = 12;
/** So many digits at once are nobody's typing. */
const UNTYPED = 6;
const SURELY_GOES_ON_MS = 100;

/**
 * Hands keys on one at a time. Keys typed in a burst arrive together, but each must meet the screen that the one
 * before it has made: `j j` moves by two, `u` opens the field that the next letters go to. Digits that a terminal
 * pastes as if they were typed, where nothing takes text, are no keys: a signed transaction would be a row of commands,
 * and the first that opens a field would have the rest shown there.
 *
 * An Escape that is read together with the next key looks like Alt and that key. Where nothing takes text Alt means
 * nothing, so there it is what it was for whoever typed while a screen was drawn: two keys.
 */
export class KeyQueue {
  readonly #dispatcher: Dispatcher;
  /** Steady, ms. */
  readonly #now: () => number;
  readonly #waiting: Heard[] = [];
  /** So many of those that wait are surely keys. */
  #judged = 0;
  #swallowedAt = Number.NEGATIVE_INFINITY;

  constructor(dispatcher: Dispatcher, now: () => number = () => performance.now()) {
    this.#dispatcher = dispatcher;
    this.#now = now;
  }

  get empty(): boolean {
    return this.#waiting.length === 0;
  }

  /** How long to wait for more before the next is handled, ms: it may be the beginning of a paste. */
  get holdMs(): number {
    if (this.#judged > 0 || this.#dispatcher.capturing || this.#isPasteGoingOn) return 0;
    const run = hexRun(this.#waiting);
    if (run === 0 || run < this.#waiting.length || this.#isSigned(run)) return 0;
    if (run >= UNTYPED) return SURELY_GOES_ON_MS;
    return isSurelyKey(this.#waiting) ? 0 : MAY_GO_ON_MS;
  }

  add(heard: readonly Heard[]): void {
    // One by one: a pasted text may be more keys than a call takes arguments.
    for (const each of heard) this.#waiting.push(each);
  }

  /** Nothing more came: what waits is keys. */
  settle(): void {
    this.#judged = this.#waiting.length;
  }

  /** Handles the first key; in a text field all letters up to the next other key, or a long text would take long. */
  step(): void {
    const text = this.#dispatcher.capturing ? this.#takeText() : '';
    if (text !== '') {
      this.#judged = 0;
      this.#dispatcher.paste(text);
      return;
    }
    if (this.#swallow()) return;
    this.#judged = Math.max(this.#judged - 1, 0);
    const heard = this.#waiting.shift();
    if (heard === undefined) return;
    if (typeof heard !== 'string') {
      this.#dispatcher.paste(heard.pasted);
      return;
    }
    const escaped = this.#dispatcher.capturing ? null : afterEscape(heard);
    // Another screen may be there once the Escape has been heard.
    if (escaped !== null) this.#waiting.unshift(escaped);
    this.#dispatcher.press(escaped === null ? heard : 'escape');
  }

  get #isPasteGoingOn(): boolean {
    return this.#now() - this.#swallowedAt < PASTE_GOES_ON_MS;
  }

  #isSigned(run: number): boolean {
    return isSignedDigits(writtenText(this.#waiting.slice(0, run)));
  }

  /** Takes a paste that came as keys off the queue, or more of one; whether there was any. */
  #swallow(): boolean {
    if (this.#dispatcher.capturing) return false;
    const run = hexRun(this.#waiting);
    const isMore = this.#isPasteGoingOn;
    if (run === 0 || !(isMore || this.#isSigned(run))) return false;
    const digits = this.#waiting.splice(0, run);
    this.#judged = 0;
    this.#swallowedAt = this.#now();
    if (!isMore) this.#dispatcher.paste(writtenText(digits));
    return true;
  }

  #takeText(): string {
    const takesLines = this.#dispatcher.capturingLines;
    const isText = (heard: Heard) => isLetter(heard) || (takesLines && heard === 'return');
    const other = this.#waiting.findIndex((heard) => !isText(heard));
    const length = other === -1 ? this.#waiting.length : other;
    // A line end by itself is somebody's Enter.
    if (!this.#waiting.slice(0, length).some(isLetter)) return '';
    return writtenText(this.#waiting.splice(0, length));
  }
}

const WRITTEN: Readonly<Record<string, string>> = { space: ' ', return: '\n', tab: '\t' };

function writtenText(keys: readonly Heard[]): string {
  return keys.map((heard) => (typeof heard === 'string' ? (WRITTEN[heard] ?? heard) : '')).join('');
}

/** The key that an Escape was read with; `null`: it is no such pair, or an arrow or the like, which Alt is held with. */
function afterEscape(name: string): string | null {
  const key = name.startsWith('alt+') ? name.slice('alt+'.length) : '';
  return isLetter(key) || key === 'return' || key === 'tab' ? key : null;
}

function isLetter(heard: Heard): boolean {
  return typeof heard === 'string' && (heard === 'space' || Array.from(heard).length === 1);
}
