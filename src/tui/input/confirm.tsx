import { Box, Text } from 'ink';
import { useState } from 'react';
import { truncate } from '../ui/text.tsx';
import { useTheme } from '../ui/theme.ts';
import { useModalKeys } from './use-keys.tsx';

interface QuestionProps {
  readonly title: string;
  /** What it is about, line by line. */
  readonly lines: readonly string[];
  /** The answer that does it. */
  readonly yes: string;
  /** The answer that does not; marked at first, so that a key too many does no harm. */
  readonly no: string;
  readonly width: number;
  readonly height: number;
  readonly onYes: () => void;
  readonly onNo: () => void;
}

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
  const cut = (text: string) => truncate(theme.text(text), width - 6, theme.glyph.ellipsis);
  const answer = (word: string, isMarked: boolean) =>
    // Brackets say which is marked where there are no colours.
    isMarked ? (
      <Text bold color={theme.color('accent')}>{`[${theme.glyph.arrow} ${word} ]`}</Text>
    ) : (
      <Text>{`   ${word}  `}</Text>
    );
  return (
    <Box
      flexDirection="column"
      width={width}
      height={height}
      paddingX={3}
      justifyContent="center"
      overflow="hidden"
    >
      <Text bold wrap="truncate">
        {cut(title)}
      </Text>
      {lines.map((line) => (
        <Text key={line} wrap="truncate">
          {cut(line)}
        </Text>
      ))}
      <Text> </Text>
      <Text wrap="truncate">
        {answer(theme.text(no), !isYes)}
        {'   '}
        {answer(theme.text(yes), isYes)}
      </Text>
    </Box>
  );
}
