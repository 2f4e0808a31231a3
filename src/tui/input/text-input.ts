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
  // What was typed may have joined with what follows it.
  const whole = graphemes(left + after);
  let begin = 0;
  const next = whole.findIndex((character) => {
    begin += character.length;
    return begin - character.length >= left.length;
  });
  return { text: left + after, cursor: next === -1 ? whole.length : next };
}

/** Pasted lines as one: words stay apart. What is no prose, a URL say, was only broken where a line was full. */
export function inOneLine(pasted: string): string {
  return pasted.replace(/^[\t\r\n]+|[\t\r\n]+$/g, '').replace(/ *[\t\r\n]+ */g, ' ');
}

export function shownLine(text: string, room: number, theme: Theme): Line {
  if (text === '') return [{ text: theme.glyph.unknown, faint: true }];
  const characters = drawnCharacters(text).map(theme.text);
  const shown = characters.join('');
  if (displayWidth(shown) <= room) return [{ text: shown }];
  return [{ text: windowOf(characters, room - 1).join('') }, { text: theme.glyph.ellipsis }];
}

/** The text around the cursor, which stands under the character that the next one goes before. */
export function typedLine(text: string, cursor: number, room: number, theme: Theme): Line {
  const characters = drawnCharacters(text).map(theme.text);
  // All up to the cursor is in sight, as far as there is room.
  const before = windowOf(characters.slice(0, cursor).reverse(), room - 2);
  const from = cursor - before.length;
  const shown = windowOf(characters.slice(from), room);
  const place = cursor - from;
  return [
    { text: shown.slice(0, place).join('') },
    { text: shown[place] || ' ', inverse: true },
    { text: shown.slice(place + 1).join('') },
  ];
}

function windowOf(characters: readonly string[], room: number): readonly string[] {
  let used = 0;
  const end = characters.findIndex((character) => {
    used += displayWidth(character);
    return used > room;
  });
  return end === -1 ? characters : characters.slice(0, end);
}
