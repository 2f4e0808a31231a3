import { cleanNote, cleanText, graphemes } from '../../core/text.ts';
import { displayWidth, type Line } from '../ui/text.tsx';
import type { Theme } from '../ui/theme.ts';

/** A line being typed and where the cursor stands in it, in characters as people count them. */
export interface TextInput {
  readonly text: string;
  readonly cursor: number;
}

export const EMPTY_INPUT: TextInput = { text: '', cursor: 0 };

/**
 * The characters as they are drawn, one for each that the cursor passes. Terminals disagree on the width of joined emoji,
 * so these are drawn side by side, and a line break as a blank; the text itself stays whole.
 */
export function drawnCharacters(text: string): string[] {
  return graphemes(text).map((character) => cleanText(character));
}

/** What a key does to the line; keys that mean nothing in a line leave it as it is. */
export function editLine(input: TextInput, key: string): TextInput {
  const characters = graphemes(input.text);
  const { cursor } = input;
  const remove = (from: number, to: number): TextInput => ({
    text: [...characters.slice(0, from), ...characters.slice(to)].join(''),
    cursor: from,
  });
  switch (key) {
    case 'backspace':
      return cursor === 0 ? input : remove(cursor - 1, cursor);
    case 'delete':
    case 'ctrl+d':
      return remove(cursor, cursor + 1);
    case 'left':
      return { ...input, cursor: Math.max(cursor - 1, 0) };
    case 'right':
      return { ...input, cursor: Math.min(cursor + 1, characters.length) };
    case 'home':
    case 'ctrl+a':
      return { ...input, cursor: 0 };
    case 'end':
    case 'ctrl+e':
      return { ...input, cursor: characters.length };
    case 'ctrl+u':
      return remove(0, cursor);
    case 'ctrl+k':
      return remove(cursor, characters.length);
    case 'ctrl+w':
      return remove(wordStart(characters, cursor), cursor);
    case 'space':
      return insertText(input, ' ');
    default:
      return graphemes(key).length === 1 ? insertText(input, key) : input;
  }
}

/** Where the word before the cursor begins, and the blanks after it. */
function wordStart(characters: readonly string[], cursor: number): number {
  const end = characters.findLastIndex((character, place) => place < cursor && character.trim() !== '');
  return characters.findLastIndex((character, place) => place < end && character.trim() === '') + 1;
}

const LONGEST = 2_048;

/** What is not seen by itself but makes another character of those beside it: joiners, the letters of flags. */
export const PART_OF_CHARACTER = /^(?:\u200c|\u200d|[\u{e0020}-\u{e007f}])$/u;

/** What a character that is typed piece by piece may end in until its next piece comes. */
const UNFINISHED = /(?:\u200c|\u200d|\u{1f3f4}[\u{e0020}-\u{e007e}]+)$/u;

/** Puts typed or pasted text at the cursor; line ends and control characters have no place in one line. */
export function insertText({ text, cursor }: TextInput, pasted: string): TextInput {
  const characters = graphemes(text);
  const [before, after] = [characters.slice(0, cursor).join(''), characters.slice(cursor).join('')];
  const room = Math.max(LONGEST - characters.length, 0);
  const added = graphemes(pasted.replace(/[\t\r\n]+/g, ''))
    .slice(0, room)
    .join('');
  const typed = before + added;
  const unfinished = UNFINISHED.exec(typed)?.[0] ?? '';
  const left = cleanNote(typed.slice(0, typed.length - unfinished.length)) + unfinished;
  return { text: left + after, cursor: placeOf(left.length, left + after) };
}

/** Pasted lines as one: words stay apart. What is no prose, a URL say, was only broken where a line was full. */
export function inOneLine(pasted: string): string {
  return pasted.replace(/^[\t\r\n]+|[\t\r\n]+$/g, '').replace(/ *[\t\r\n]+ */g, ' ');
}

/** How many characters begin before a place in UTF-16 units: what was typed may have joined with what follows it. */
function placeOf(offset: number, text: string): number {
  let count = 0;
  let at = 0;
  for (const character of graphemes(text)) {
    if (at >= offset) break;
    at += character.length;
    count += 1;
  }
  return count;
}

/** A text without a cursor, in `room` columns. */
export function shownLine(text: string, room: number, theme: Theme): Line {
  if (text === '') return [{ text: theme.glyph.unknown, faint: true }];
  const characters = drawnCharacters(text).map(theme.text);
  const shown = characters.join('');
  if (displayWidth(shown) <= room) return [{ text: shown }];
  return [{ text: windowOf(characters, 0, room - 1).join('') }, { text: theme.glyph.ellipsis }];
}

/** The text around the cursor, which stands under the character that the next one goes before. */
export function typedLine(text: string, cursor: number, room: number, theme: Theme): Line {
  const characters = drawnCharacters(text).map(theme.text);
  const from = windowStart(characters, cursor, room - 2);
  const shown = windowOf(characters, from, room);
  const place = cursor - from;
  return [
    { text: shown.slice(0, place).join('') },
    { text: shown[place] || ' ', inverse: true },
    { text: shown.slice(place + 1).join('') },
  ];
}

/** The first character of which all up to the cursor fit into `room` columns. */
function windowStart(characters: readonly string[], cursor: number, room: number): number {
  let from = cursor;
  let used = 0;
  while (from > 0) {
    used += displayWidth(characters[from - 1] ?? '');
    if (used > room) break;
    from -= 1;
  }
  return from;
}

/** As many characters from `from` on as fit into `room` columns. */
function windowOf(characters: readonly string[], from: number, room: number): readonly string[] {
  let used = 0;
  let end = from;
  while (end < characters.length) {
    used += displayWidth(characters[end] ?? '');
    if (used > room) break;
    end += 1;
  }
  return characters.slice(from, end);
}
