import { Box, Text } from 'ink';
import { useState } from 'react';
import { scrollKeys, useKeys } from '../input/use-keys.tsx';
import { placed, truncate } from './text.tsx';
import { useTheme } from './theme.ts';

interface ScrollViewProps {
  readonly title: string;
  readonly lines: readonly string[];
  readonly columns: number;
  readonly rows: number;
}

/** Text over the pane that is longer than the screen: `j k g G`, arrows and pages. */
export function ScrollView({ title, lines, columns, rows }: ScrollViewProps) {
  const theme = useTheme();
  const [top, setTop] = useState(0);
  const room = Math.max(rows - 1, 1);
  const last = Math.max(lines.length - room, 0);
  const from = Math.min(top, last);
  const go = (to: number) => setTop(Math.min(Math.max(to, 0), last));
  useKeys('scroll', last === 0 ? {} : scrollKeys(go, { top: from, room, most: last }));
  const shown = lines.slice(from, from + room);
  const place = last === 0 ? '' : `  lines ${from + 1} to ${from + shown.length} of ${lines.length}`;
  return (
    <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
      <Text wrap="truncate">
        <Text bold>{` ${theme.text(title)}`}</Text>
        <Text dimColor>{`${place}   Esc closes`}</Text>
      </Text>
      {placed(shown, (line) => (
        <Text wrap="truncate">{` ${truncate(theme.text(line), columns - 2, theme.glyph.ellipsis)}`}</Text>
      ))}
    </Box>
  );
}
