import { eastAsianWidth } from 'get-east-asian-width';

const PLAIN = /^[\x20-\x7e]*$/;

// Created once: construction takes longer than segmenting most texts.
let segmenter: Intl.Segmenter | null = null;

function segments(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return segmenter.segment(text);
}

/** User-perceived characters (Unicode UAX #29): a flag, an emoji with its skin colour, a letter with its marks. */
export function graphemes(text: string): string[] {
  return PLAIN.test(text) ? text.split('') : Array.from(segments(text), ({ segment }) => segment);
}

/** A picture of two columns: by itself, by its selector, as a keycap or a flag (UTS #51). */
const EMOJI = /\p{Emoji_Presentation}|\p{Emoji}\ufe0f/u;
const ZERO_COLUMNS = /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Me}\p{Mn}]/u;
const ZERO_WIDTH_JOINER = '\u200d';

/** Columns in a terminal (UAX #11). string-width counts the same, but spends 20 ms on ICU before a command has begun. */
export function displayWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let columns = 0;
  for (const character of graphemes(text)) {
    columns += EMOJI.test(character) ? 2 : visibleWidth(character);
  }
  return columns;
}

function visibleWidth(character: string): number {
  let columns = 0;
  for (const codePoint of character) {
    if (codePoint === ZERO_WIDTH_JOINER) break;
    if (!ZERO_COLUMNS.test(codePoint)) columns += eastAsianWidth(codePoint.codePointAt(0) ?? 0);
  }
  return columns;
}

/** Lines of at most `width` columns; a longer word breaks between characters. `measure` counts columns. */
export function wrapWords(text: string, width: number, measure = displayWidth): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap((whole) => partsOf(whole, width, measure))) {
    const joined = line === '' ? word : `${line} ${word}`;
    if (measure(joined) <= width) line = joined;
    else {
      if (line !== '') lines.push(line.trimEnd());
      line = word;
    }
  }
  return [...lines, line.trimEnd()];
}

/** A word in parts of at most `width` columns, each with at least one whole character. */
function partsOf(word: string, width: number, measure: (text: string) => number): readonly string[] {
  if (measure(word) <= width) return [word];
  const parts: string[] = [];
  let part = '';
  for (const character of graphemes(word)) {
    if (part !== '' && measure(part + character) > width) {
      parts.push(part);
      part = '';
    }
    part += character;
  }
  return [...parts, part];
}

/** At most `most` UTF-16 units, with an ellipsis. Cuts a character only where that alone exceeds the limit. */
function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  if (most < 1) return '';
  const whole = segments(text).containing(most - 1)?.index ?? 0;
  const shown = text.slice(0, whole === 0 ? most - 1 : whole).replace(/[\ud800-\udbff]$/, '');
  return `${shown}…`;
}

/** 7-bit or 8-bit (C1): CSI; OSC and similar up to their terminator or the next control character; any other escape. */
const SEQUENCE =
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x00-\x1f\x7f-\x9f]*(?:\x07|\x1b\\|\x9c)?|\x1b[ -/]*[0-~]?/g;

/** Line breaks and tabs, which become one space. */
const LINE_BREAK = /\r\n|[\t\n\v\f\r\x85\u2028\u2029]/g;

/** Controls, invisible formatting (bidi overrides, zero-width, tags) and halves of surrogate pairs. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}]/gu;

/** For one line of a terminal: no escape sequences, controls, bidi overrides or invisible characters, a break becomes a space. */
export function cleanText(text: string, maxLength = Number.POSITIVE_INFINITY): string {
  const clean = enough(text, maxLength).replace(SEQUENCE, '').replace(LINE_BREAK, ' ').replace(INVISIBLE, '');
  return cutText(clean, maxLength);
}

/** Cutting first keeps a huge text cheap; the factor of four leaves room for removed characters. */
const enough = (text: string, maxLength: number) =>
  Number.isFinite(maxLength) ? text.slice(0, maxLength * 4 + 1_024) : text;

/** The same but for what is part of a text: joiners within words and emoji, and the letters of a flag (UTS #51). */
const UNSEEN =
  /(?!\u200c|\u200d|[\t\n]|\r\n|(?<=\u{1f3f4}[\u{e0030}-\u{e007f}]{0,6})[\u{e0030}-\u{e007f}])[\p{Cc}\p{Cf}\p{Cs}]/gu;

/** Line breaks other than `\n`. */
const OTHER_BREAK = /\r(?!\n)|[\v\f\x85\u2028\u2029]/g;

/** The same for a user's note, but keeps joiners, the letters of flags, blanks and line breaks. Terminals draw it cleaned. */
export function cleanNote(note: string, maxLength = Number.POSITIVE_INFINITY): string {
  const clean = enough(note, maxLength).replace(SEQUENCE, '').replace(OTHER_BREAK, '\n').replace(UNSEEN, '');
  return cutText(clean, maxLength);
}

/** A hash or address in at most `width` columns: whole, or both ends around `ellipsis`. */
export function hexText(hex: string, width: number, ellipsis: string): string {
  if (hex.length <= width) return hex;
  const ends = Math.max(width - ellipsis.length, 8);
  const tail = Math.min(Math.floor((ends - 2) / 2), 8);
  return `${hex.slice(0, ends - tail)}${ellipsis}${hex.slice(-tail)}`;
}

/** `0x1234…abcd`, the form in which people compare addresses. */
export const shortHex = (hex: string, ellipsis: string): string => hexText(hex, 11, ellipsis);

export const withShortHashes = (text: string, ellipsis: string): string =>
  text.replace(/0x[0-9a-f]{64}(?![0-9a-f])/gi, (hash) => shortHex(hash, ellipsis));

/** The name that the fewest letters, at most so many, tell apart from a mistyped word; `undefined`: none. */
export function nearest(word: string, names: readonly string[], most: number): string | undefined {
  const edits = Array.from({ length: most }, (_, fewer) => fewer + 1);
  return edits.flatMap((count) => names.find((name) => isNear(count, word, name)) ?? [])[0];
}

/** Whether `edits` letters removed, added or replaced make `a` into `b`; two that are swapped count as one. */
function isNear(edits: number, a: string, b: string): boolean {
  if (edits < 0 || a === b) return edits >= 0;
  if (a[0] === b[0]) return isNear(edits, a.slice(1), b.slice(1));
  const isSwapped = a[0] === b[1] && a[1] === b[0];
  const steps = [[1, 0], [0, 1], [1, 1], ...(isSwapped ? [[2, 2]] : [])];
  return steps.some(([ofA, ofB]) => isNear(edits - 1, a.slice(ofA), b.slice(ofB)));
}
