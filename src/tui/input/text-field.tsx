import { Text } from 'ink';
import { useState } from 'react';
import { displayWidth } from '../ui/text.tsx';
import { drawnCharacters, EMPTY_INPUT, editLine, insertText } from './text-input.ts';
import { useModalKeys } from './use-keys.tsx';

interface TextFieldProps {
  readonly label: string;
  readonly width: number;
  /** What is drawn of the text: as many characters; default: all of it. */
  readonly veil?: (text: string) => string;
  /** Called at every change. */
  readonly onChange: (text: string) => void;
  readonly onSubmit: (text: string) => void;
  readonly onCancel: () => void;
}

/** One line to type or paste into; long text scrolls so that its end stays in sight. */
export function TextField({
  label,
  width,
  veil = (text) => text,
  onChange,
  onSubmit,
  onCancel,
}: TextFieldProps) {
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
  const characters = drawnCharacters(veil(input.text));
  const room = Math.max(width - displayWidth(label) - 3, 8);
  const from = Math.max(input.cursor - room + 1, 0);
  const before = characters.slice(from, input.cursor).join('');
  const under = characters[input.cursor] || ' ';
  const after = characters.slice(input.cursor + 1, from + room).join('');
  return (
    <Text wrap="truncate">
      <Text bold>{`${label} `}</Text>
      {before}
      <Text inverse>{under}</Text>
      {after}
    </Text>
  );
}
