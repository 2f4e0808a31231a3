import { Readable } from 'node:stream';

/** The parts of `process.stdin` that are used. */
export type RawInput = Pick<
  NodeJS.ReadStream,
  'on' | 'off' | 'pause' | 'resume' | 'setRawMode' | 'ref' | 'unref'
>;

const PASTE_START = '\x1b[200~';
const PASTE_END = '\x1b[201~';
/** The Escape key in the kitty protocol: Ink does not wait for the rest of a sequence. */
const ESCAPE_KEY = '\x1b[27u';

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
const NEXT = new RegExp(`(?<keys>${sources(KEYS)})|(?<escape>${ESCAPE.source})|${sources(REPLIES)}`, 'y');
const UNFINISHED_STRING = new RegExp(`^(?:${STRING_START})`);

const ESCAPE_MS = 20;
const REST_MS = 1_000;
const LATE_REST_MS = 150;
/** Two keys in one read so soon after Escape are no keys: the Escape was the first byte of a sequence. */
const LATE_REST = /^[[\]PX^_][\s\S]/;

/**
 * The terminal's input for Ink: keys and pastes, without what the terminal itself says (device attributes, colours,
 * mouse and other reports), which Ink takes for keys where it is a string, has raw bytes or comes in two reads.
 */
export class TerminalInput extends Readable {
  readonly isTTY = true;
  readonly #stdin: RawInput;
  /** The beginning of a sequence whose rest is not read yet, one character per byte. */
  #held = '';
  #reads = 0;
  #escapedAt = Number.NEGATIVE_INFINITY;

  constructor(stdin: RawInput) {
    super();
    this.#stdin = stdin;
  }

  /** Reads only in raw mode: a program that runs meanwhile has the terminal to itself. */
  setRawMode(isRaw: boolean): this {
    this.#stdin.setRawMode(isRaw);
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
    const { keys, held } = split(isLateRest ? `\x1b${read}` : this.#held + read, this.#held.length);
    this.#held = held;
    this.#pass(keys);
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
function split(input: string, known: number): { readonly keys: string; readonly held: string } {
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
    keys += found.groups?.keys ?? (found.groups?.escape === undefined ? '' : ESCAPE_KEY);
    at = NEXT.lastIndex;
  }
  const held = input.slice(at);
  // Nothing of a string is needed but its start, and what may be the first half of its end.
  const [start] = UNFINISHED_STRING.exec(held) ?? [];
  return {
    keys,
    held: start === undefined ? held : start + (/[\x1b\xc2]$/.exec(held.slice(start.length))?.[0] ?? ''),
  };
}
