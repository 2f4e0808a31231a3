import { Box, Text } from 'ink';
import { useState } from 'react';
import { placed, truncate, wrapText } from '../ui/text.tsx';
import { useTheme } from '../ui/theme.ts';
import { useModalKeys } from './use-keys.tsx';

export interface Confirmation {
  readonly title: string;
  /** What it is about; a blank line separates paragraphs. */
  readonly lines: readonly string[];
  readonly yes: string;
  /** The label that cancels; focused at first, so that an accidental Enter does no harm. */
  readonly no: string;
}

interface ConfirmDialogProps extends Confirmation {
  readonly width: number;
  readonly height: number;
  readonly onYes: () => void;
  readonly onNo: () => void;
}

const MARGIN = 3;
const MOST_LINES = 4;

export function ConfirmDialog({ title, lines, yes, no, width, height, onYes, onNo }: ConfirmDialogProps) {
  const theme = useTheme();
  const [isYes, setYes] = useState(false);
  useModalKeys('question', {
    other: () => setYes(!isYes),
    chosen: () => (isYes ? onYes() : onNo()),
    yes: onYes,
    no: onNo,
  });
  const room = width - 2 * MARGIN;
  const { ellipsis } = theme.glyph;
  const wrapped = lines.flatMap((line) =>
    line === ' ' ? [line] : wrapText(theme.text(line), room, MOST_LINES, ellipsis),
  );
  const button = (word: string, isFocused: boolean) =>
    // Brackets mark the focus without colours.
    isFocused ? (
      <Text bold color={theme.color('accent')}>{`[${theme.glyph.arrow} ${theme.text(word)} ]`}</Text>
    ) : (
      <Text>{`   ${theme.text(word)}  `}</Text>
    );
  return (
    <Box
      flexDirection="column"
      width={width}
      height={height}
      paddingX={MARGIN}
      justifyContent="center"
      overflow="hidden"
    >
      <Text bold wrap="truncate">
        {truncate(theme.text(title), room, ellipsis)}
      </Text>
      {placed(wrapped, (line) => (
        <Text wrap="truncate">{line}</Text>
      ))}
      <Text> </Text>
      <Text wrap="truncate">
        {button(no, !isYes)}
        {'   '}
        {button(yes, isYes)}
      </Text>
    </Box>
  );
}
