import { Box, Text } from 'ink';
import { SMALLEST } from '../monitor-state.ts';
import { useTheme } from '../theme.ts';
import { type Badge, BadgeText } from './status-bar.tsx';

interface TooSmallProps {
  readonly columns: number;
  readonly rows: number;
  readonly badge: Badge | null;
}

/** Sentences stand in this much, badge included; in less they would be drawn over each other. */
const ROOM_FOR_WORDS = { columns: 20, rows: 6 };

/** Which size it takes, in as many words as there is room for. */
export function TooSmall({ columns, rows, badge }: TooSmallProps) {
  const theme = useTheme();
  const least = `${SMALLEST.columns}×${SMALLEST.rows}`;
  if (columns < ROOM_FOR_WORDS.columns || rows < ROOM_FOR_WORDS.rows) {
    return (
      <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
        {[least, 'needed', 'q quits'].slice(0, rows).map((text) => (
          <Text key={text}>{theme.text(text).slice(0, columns)}</Text>
        ))}
      </Box>
    );
  }
  return (
    <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
      <BadgeText badge={badge} />
      <Text bold>
        {theme.text(
          `gastop needs ${SMALLEST.columns}×${SMALLEST.rows} characters; this window has ${columns}×${rows}.`,
        )}
      </Text>
      <Text>Make it larger, or press q to quit.</Text>
    </Box>
  );
}
