import { Text } from 'ink';
import { useState } from 'react';
import { useRoom } from '../ui/pane-context.tsx';
import { displayWidth, Spans } from '../ui/text.tsx';
import { EMPTY_INPUT, editLine, insertText, typedLine } from './text-input.ts';
import { useModalKeys } from './use-keys.tsx';

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
  const room = Math.max(columns - displayWidth(label) - 3, 8);
  return (
    <Text wrap="truncate">
      <Text bold>{`${label} `}</Text>
      <Spans line={typedLine(veil(input.text), input.cursor, room)} />
    </Text>
  );
}
