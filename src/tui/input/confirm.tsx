import { Box, Text } from 'ink';
import { useState } from 'react';
import { useRoom } from '../ui/pane-context.tsx';
import { bold, EMPTY_LINE, fitLine, type Line, placed, plain, Spans, wrapText } from '../ui/text.tsx';
import { useModalKeys } from './use-keys.tsx';

export interface Confirmation {
  readonly title: string;
  readonly lines: readonly string[];
  readonly yes: string;
  readonly no: string;
}

interface ConfirmDialogProps extends Confirmation {
  readonly onYes: () => void;
  readonly onNo: () => void;
}

const MARGIN = 3;
const MOST_LINES = 4;

export function ConfirmDialog({ title, lines, yes, no, onYes, onNo }: ConfirmDialogProps) {
  const { columns, rows } = useRoom();
  const [isYes, setYes] = useState(false);
  useModalKeys('question', {
    other: () => setYes(!isYes),
    chosen: () => (isYes ? onYes() : onNo()),
    yes: onYes,
    no: onNo,
  });
  const room = columns - 2 * MARGIN;
  const wrapped = lines.flatMap((line) => (line === ' ' ? [line] : wrapText(line, room, MOST_LINES)));
  // Brackets mark the focus without colours.
  const button = (word: string, isFocused: boolean) =>
    isFocused ? bold(`[▸ ${word} ]`, 'accent') : plain(`   ${word}  `);
  const shown: readonly Line[] = [
    [bold(title)],
    ...wrapped.map((line) => [plain(line)]),
    EMPTY_LINE,
    [button(no, !isYes), plain('   '), button(yes, isYes)],
  ];
  return (
    <Box
      flexDirection="column"
      width={columns}
      height={rows}
      paddingX={MARGIN}
      justifyContent="center"
      overflow="hidden"
    >
      {placed(shown, (line) => (
        <Text wrap="truncate">{line.length === 0 ? ' ' : <Spans line={fitLine(line, room)} />}</Text>
      ))}
    </Box>
  );
}
