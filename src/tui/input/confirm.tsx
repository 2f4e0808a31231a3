import { Box, Text } from 'ink';
import { useState } from 'react';
import { placed, truncate, wrapText } from '../ui/text.tsx';
import { useTheme } from '../ui/theme.ts';
import { useModalKeys } from './use-keys.tsx';

/** A question before something is done. */
export interface Confirmation {
  readonly title: string;
  /** What it is about; a blank one parts the others. */
  readonly lines: readonly string[];
  /** The answer that does it. */
  readonly yes: string;
  /** The answer that does not; focused at first, so that a key too many does no harm. */
  readonly no: string;
}

interface QuestionProps extends Confirmation {
  readonly width: number;
  readonly height: number;
  readonly onYes: () => void;
  readonly onNo: () => void;
}

const MARGIN = 3;
/** Of one sentence. */
const MOST_LINES = 4;

/** Asks before something is done: arrows and ⏎ choose, y and n answer directly. */
export function Question({ title, lines, yes, no, width, height, onYes, onNo }: QuestionProps) {
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
  const answer = (word: string, isFocused: boolean) =>
    // Brackets say which is focused where there are no colours.
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
        {answer(no, !isYes)}
        {'   '}
        {answer(yes, isYes)}
      </Text>
    </Box>
  );
}
