import { Text } from 'ink';
import { useState } from 'react';
import { cleanNote, cleanText, graphemes } from '../../core/text.ts';
import { useRoom } from '../ui/pane-context.tsx';
import { faint, type Line, placed, plain, shownWidth, truncate } from '../ui/text.tsx';
import { forTerminal } from '../ui/theme.ts';
import { useModalKeys } from './use-keys.tsx';

interface TextInput {
  readonly text: string;
  /** Number of characters (graphemes) before it. */
  readonly cursor: number;
}

export const EMPTY_INPUT: TextInput = { text: '', cursor: 0 };

/** The characters as drawn: joined emoji side by side, because terminals disagree on their width. */
export function drawnCharacters(text: string): string[] {
  return graphemes(text).map((character) => cleanText(character));
}

export function editLine(input: TextInput, key: string): TextInput {
  const characters = graphemes(input.text);
  const { cursor } = input;
  const end = characters.length;
  const moves: Partial<Record<string, number>> = {
    left: cursor - 1,
    right: cursor + 1,
    home: 0,
    'ctrl+a': 0,
    end,
    'ctrl+e': end,
  };
  const removals: Partial<Record<string, readonly [from: number, to: number]>> = {
    backspace: [cursor - 1, cursor],
    delete: [cursor, cursor + 1],
    'ctrl+d': [cursor, cursor + 1],
    'ctrl+u': [0, cursor],
    'ctrl+k': [cursor, end],
    'ctrl+w': [wordStart(characters, cursor), cursor],
  };
  const moved = moves[key];
  if (moved !== undefined) return { ...input, cursor: Math.min(Math.max(moved, 0), end) };
  const removed = removals[key];
  if (removed !== undefined) {
    const from = Math.max(removed[0], 0);
    return { text: characters.toSpliced(from, removed[1] - from).join(''), cursor: from };
  }
  if (key === 'space') return insertText(input, ' ');
  return graphemes(key).length === 1 ? insertText(input, key) : input;
}

function wordStart(characters: readonly string[], cursor: number): number {
  const end = characters.findLastIndex((character, place) => place < cursor && character.trim() !== '');
  return characters.findLastIndex((character, place) => place < end && character.trim() === '') + 1;
}

const LONGEST = 2_048;

/** A character that needs several key presses may end in these until it is complete. */
const UNFINISHED = /(?:\u200c|\u200d|\u{1f3f4}[\u{e0020}-\u{e007e}]+)$/u;

/** Inserts typed or pasted text at the cursor, without line ends and control characters. */
export function insertText({ text, cursor }: TextInput, pasted: string): TextInput {
  const characters = graphemes(text);
  const room = Math.max(LONGEST - characters.length, 0);
  const added = graphemes(pasted.replace(/[\t\r\n]+/g, '')).slice(0, room);
  const typed = [...characters.slice(0, cursor), ...added].join('');
  const unfinished = UNFINISHED.exec(typed)?.[0] ?? '';
  const left = cleanNote(typed.slice(0, typed.length - unfinished.length)) + unfinished;
  return { text: left + characters.slice(cursor).join(''), cursor: graphemes(left).length };
}

/** Joins pasted lines: prose with blanks; other text, such as a URL, without, because it was only wrapped. */
export function inOneLine(pasted: string): string {
  return pasted.replace(/^[\t\r\n]+|[\t\r\n]+$/g, '').replace(/ *[\t\r\n]+ */g, ' ');
}

export function shownLine(text: string, room: number): Line {
  return text === '' ? [faint('—')] : [plain(truncate(drawnCharacters(text).join(''), room))];
}

export function typedLine(text: string, cursor: number, room: number): Line {
  const characters = drawnCharacters(text);
  // Everything up to the cursor is visible, if there is room.
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
    used += shownWidth(character);
    return used > room;
  });
  return end === -1 ? characters : characters.slice(0, end);
}

interface TextFieldProps {
  readonly label: string;
  readonly veil?: (text: string) => string;
  readonly onChange: (text: string) => void;
  readonly onSubmit: (text: string) => void;
  readonly onCancel: () => void;
}

export function TextField(props: TextFieldProps) {
  const { label, veil = (text) => text, onChange, onSubmit, onCancel } = props;
  const { columns } = useRoom();
  const [input, setInput] = useState(EMPTY_INPUT);
  const change = (next: typeof input) => {
    setInput(next);
    if (next.text !== input.text) onChange(next.text);
  };
  useModalKeys(
    'text-field',
    { submit: () => onSubmit(input.text), leave: onCancel },
    {
      onKey: (key) => change(editLine(input, key)),
      onText: (text) => change(insertText(input, text)),
    },
  );
  const room = Math.max(columns - shownWidth(label) - 3, 8);
  const typed = typedLine(veil(input.text), input.cursor, room);
  return (
    <Text wrap="truncate">
      <Text bold>{`${label} `}</Text>
      {placed(typed, ({ text, inverse = false }) => (
        <Text inverse={inverse}>{forTerminal(text)}</Text>
      ))}
    </Text>
  );
}
