import { Readable } from 'node:stream';

/** The parts of `process.stdin` that are used. */
type RawInput = Pick<NodeJS.ReadStream, 'on' | 'off' | 'pause' | 'resume' | 'setRawMode' | 'ref' | 'unref'>;

const PASTE_START = '\x1b[200~';
const PASTE_END = '\x1b[201~';
/** The Escape key in the kitty protocol: Ink does not wait for the rest of a sequence. */
const ESCAPE_KEY = '\x1b[27u';

const MOUSE_ON = '\x1b[?1000h\x1b[?1006h';
const MOUSE_OFF = '\x1b[?1006l\x1b[?1000l';

/** What the mouse did; of a click the cell, from 0. */
export type MouseReport =
  | { readonly kind: 'wheel-up' | 'wheel-down' }
  | { readonly kind: 'click'; readonly x: number; readonly y: number };

/** In SGR coordinates (mode 1006): button, column and row from 1; `m` for a button that is let go. */
const SGR_MOUSE = /\x1b\[<\d{1,4};\d{1,4};\d{1,4}[Mm]/;

/** `null`: another button, one that is let go, a key held down with it, or a place that is none. */
export function mouseReport(sequence: string): MouseReport | null {
  const [, button, column, row] = /^\x1b\[<(\d+);(\d+);(\d+)M$/.exec(sequence) ?? [];
  if (button === '64') return { kind: 'wheel-up' };
  if (button === '65') return { kind: 'wheel-down' };
  const [x, y] = [Number(column) - 1, Number(row) - 1];
  return button === '0' && x >= 0 && y >= 0 ? { kind: 'click', x, y } : null;
}

/** A coordinate of an X10 mouse report: a byte, or two where the terminal writes it in UTF-8 (mode 1005). */
const COORDINATE = /[\xc2-\xdf][\x80-\xbf]|[\xc2-\xdf](?=[^\x80-\xbf])|[^\x00-\x1f\xc2-\xdf]/.source;

/** Keys and text, one character per byte. Ink drops complete CSI sequences that are no keys. */
const KEYS = [
  /[^\x1b\xc2]+|\xc2(?=[^\x90\x98\x9b-\x9f])/,
  /\x1b[^\x1b[\]\\OPX^_]|\x1b\](?=[^\dIlL\x07\x1b])/,
  // Ending in $: shifted editing keys of rxvt.
  /\x1bO[\d;]*[@-~]|\x1b\[[235678]\$|\x1b\[(?:(?![[M])|\[)[ -?]*[@-~]/,
  // Alt with a key that has a sequence.
  /\x1b\x1b(?:\[[\d;]*[A-Za-z~^$]|O[A-Za-z])/,
];

const ESCAPE = /\x1b(?=\x1b(?:[^[O]|\[[\d;]*[^\d;A-Za-z~^$]|O[^A-Za-z]))/;

const STRING_START = /\x1b[PX^_]|\x1b\](?:[\dIlL]|(?=[\x07\x1b]))|\xc2[\x90\x98\x9d-\x9f]/.source;
const STRING_END = /[\x07\x18\x1a]|\x1b\\|\xc2\x9c|(?=\x03|\x1b[^\\])/.source;

/** What a terminal says by itself, with its 8-bit forms (ECMA-48; "Any-event tracking" and others in xterm's ctlseqs). */
const REPLIES = [
  // DCS, SOS, OSC, PM, APC. Ctrl-C still quits, and another sequence ends a string that was cut.
  new RegExp(`(?:${STRING_START})(?:[^\x03\x07\x18\x1a\x1b\xc2]|\xc2(?=[^\x9c]))*(?:${STRING_END})`),
  new RegExp(`(?:\x1b\\[|\xc2\x9b)M(?:(?:${COORDINATE}){3}|(?:${COORDINATE}){0,2}(?=[\x00-\x1f]))`),
  // CSI and SS3 that are not well-formed, CSI in 8 bits, a string terminator without its string.
  /(?:\x1b\[|\xc2\x9b)\[?[ -?]*(?=[^ -~])|\xc2\x9b(?!M)[ -?]*[@-~]|\x1bO[\d;]*(?=[^\d;@-~])|\x1b\\|\xc2\x9c/,
];

const sources = (patterns: readonly RegExp[]) => patterns.map(({ source }) => source).join('|');
const NEXT = new RegExp(
  `(?<mouse>${SGR_MOUSE.source})|(?<keys>${sources(KEYS)})|(?<escape>${ESCAPE.source})|${sources(REPLIES)}`,
  'y',
);
const UNFINISHED_STRING = new RegExp(`^(?:${STRING_START})`);

const ESCAPE_MS = 20;
const REST_MS = 1_000;
const LATE_REST_MS = 150;
/** Two keys in one read so soon after Escape are no keys: the Escape was the first byte of a sequence. */
const LATE_REST = /^[[\]PX^_][\s\S]/;

/**
 * The terminal's input for Ink: keys and pastes, without what the terminal itself says (device attributes, colours,
 * mouse and other reports), which Ink takes for keys where it is a string, has raw bytes or comes in two reads. Emits
 * `mouse` with a {@link MouseReport} where these are wanted.
 */
export class TerminalInput extends Readable {
  readonly isTTY = true;
  readonly #stdin: RawInput;
  /** The beginning of a sequence whose rest is not read yet, one character per byte. */
  #held = '';
  #reads = 0;
  #escapedAt = Number.NEGATIVE_INFINITY;
  readonly #write: (sequence: string) => void;
  #isRaw = false;
  #wantsMouse = false;
  #isMouseOn = false;

  /** `write` reaches the terminal. */
  constructor(stdin: RawInput, write: (sequence: string) => void = () => {}) {
    super();
    this.#stdin = stdin;
    this.#write = write;
  }

  /** The terminal keeps the mouse for itself but for as long as it is wanted, in raw mode. */
  reportMouse(isWanted: boolean): void {
    this.#wantsMouse = isWanted;
    this.#switchMouse();
  }

  #switchMouse(): void {
    const isOn = this.#wantsMouse && this.#isRaw;
    if (isOn === this.#isMouseOn) return;
    this.#isMouseOn = isOn;
    this.#write(isOn ? MOUSE_ON : MOUSE_OFF);
  }

  /** Reads only in raw mode: a program that runs meanwhile has the terminal to itself. */
  setRawMode(isRaw: boolean): this {
    this.#isRaw = isRaw;
    // Off before the line discipline echoes what it reports.
    if (!isRaw) this.#switchMouse();
    this.#stdin.setRawMode(isRaw);
    if (isRaw) this.#switchMouse();
    this.#stdin.off('data', this.#take);
    this.#held = '';
    // Once it was paused, a listener alone does not start it again.
    if (isRaw) this.#stdin.on('data', this.#take).resume();
    else this.#stdin.pause();
    return this;
  }

  ref(): this {
    this.#stdin.ref();
    return this;
  }

  unref(): this {
    this.#stdin.unref();
    return this;
  }

  override _read(): void {}

  readonly #take = (chunk: Buffer | string) => {
    this.#reads += 1;
    const read = Buffer.from(chunk).toString('latin1');
    const isLateRest = performance.now() - this.#escapedAt < LATE_REST_MS && LATE_REST.test(read);
    this.#escapedAt = Number.NEGATIVE_INFINITY;
    const { keys, reports, held } = split(isLateRest ? `\x1b${read}` : this.#held + read, this.#held.length);
    this.#held = held;
    this.#pass(keys);
    for (const report of this.#isMouseOn ? reports : []) this.emit('mouse', report);
    if (held === '') return;
    const reads = this.#reads;
    const isEscape = /^\x1b+$/.test(held);
    // After a slow frame the rest may lie there unread: it is read before the immediate runs.
    const onTime = () => setImmediate(() => reads === this.#reads && this.#end(isEscape));
    setTimeout(onTime, isEscape ? ESCAPE_MS : REST_MS).unref();
  };

  /** The rest does not come: Escape was a key, a paste is what came of it, all else is dropped. */
  #end(isEscape: boolean): void {
    const held = this.#held;
    this.#held = '';
    if (isEscape) this.#escapedAt = performance.now();
    if (isEscape) this.#pass(ESCAPE_KEY.repeat(held.length));
    else if (held.startsWith(PASTE_START)) this.#pass(held + PASTE_END);
  }

  #pass(keys: string): void {
    if (keys !== '') this.push(Buffer.from(keys, 'latin1'));
  }
}

/** Keys and pastes of `input`, and the beginning of a sequence at its end; its first `known` characters hold no end. */
function split(input: string, known: number) {
  const reports: MouseReport[] = [];
  let keys = '';
  let at = 0;
  while (at < input.length) {
    if (input.startsWith(PASTE_START, at)) {
      const end = input.indexOf(PASTE_END, Math.max(at, known - PASTE_END.length));
      if (end === -1) break;
      keys += input.slice(at, end + PASTE_END.length);
      at = end + PASTE_END.length;
      continue;
    }
    NEXT.lastIndex = at;
    const found = NEXT.exec(input);
    if (found === null) break;
    const report = mouseReport(found.groups?.mouse ?? '');
    if (report !== null) reports.push(report);
    keys += found.groups?.keys ?? (found.groups?.escape === undefined ? '' : ESCAPE_KEY);
    at = NEXT.lastIndex;
  }
  const held = input.slice(at);
  // Nothing of a string is needed but its start, and what may be the first half of its end.
  const [start] = UNFINISHED_STRING.exec(held) ?? [];
  return {
    keys,
    reports,
    held: start === undefined ? held : start + (/[\x1b\xc2]$/.exec(held.slice(start.length))?.[0] ?? ''),
  };
}
