import { cleanNote } from '../core/clean-note.ts';
import { cleanText } from '../core/clean-text.ts';
import { graphemes } from '../core/graphemes.ts';

/** A line being typed and where the cursor stands in it, in characters as people count them. */
export interface TextInput {
  readonly text: string;
  readonly cursor: number;
}

export const EMPTY_INPUT: TextInput = { text: '', cursor: 0 };

/**
 * The characters as they are drawn, one for each that the cursor goes over. Terminals disagree on how wide joined emoji
 * are, so they are drawn side by side there, and a line break as a blank; whoever is sent the text gets it whole.
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
    case 'space':
      return insertText(input, ' ');
    default:
      return graphemes(key).length === 1 ? insertText(input, key) : input;
  }
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
