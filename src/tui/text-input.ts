/** A line being typed and where the cursor stands in it, in characters. */
export interface TextInput {
  readonly text: string;
  readonly cursor: number;
}

export const EMPTY_INPUT: TextInput = { text: '', cursor: 0 };

/**
 * The characters as they are drawn, one for each of the text. Terminals disagree on how wide joined emoji are, so they
 * are drawn side by side there; whoever is sent the text gets them whole.
 */
export function drawnCharacters(text: string): string[] {
  return Array.from(text, (character) => (character === JOINER ? '' : character));
}

/** What a key does to the line; keys that mean nothing in a line leave it as it is. */
export function editLine(input: TextInput, key: string): TextInput {
  const characters = Array.from(input.text);
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
      return Array.from(key).length === 1 ? insertText(input, key) : input;
  }
}

const LONGEST = 2_048;

/** Makes one emoji of those on its sides (Unicode UTS #51, zero width joiner). */
export const JOINER = '\u200d';
const JOINABLE = /^(?:[\p{Extended_Pictographic}\p{Emoji_Modifier}]|\ufe0f)$/u;

/** Puts typed or pasted text at the cursor; line ends and control characters have no place in one line. */
export function insertText({ text, cursor }: TextInput, pasted: string): TextInput {
  const characters = Array.from(text);
  const clean = Array.from(pasted).filter((character, index, all) => {
    const before = index > 0 ? all[index - 1] : characters[cursor - 1];
    return character === JOINER ? JOINABLE.test(before ?? '') : !/\p{C}/u.test(character);
  });
  const room = Math.max(LONGEST - characters.length, 0);
  const added = clean.slice(0, room);
  return {
    text: [...characters.slice(0, cursor), ...added, ...characters.slice(cursor)].join(''),
    cursor: cursor + added.length,
  };
}
