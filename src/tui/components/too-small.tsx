import { Box, Text } from 'ink';
import { SMALLEST } from '../monitor-state.ts';
import { useTheme } from '../theme.ts';
import { type Badge, BadgeText } from './status-bar.tsx';

interface TooSmallProps {
  readonly columns: number;
  readonly rows: number;
  readonly badge: Badge | null;
}

export function TooSmall({ columns, rows, badge }: TooSmallProps) {
  const theme = useTheme();
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
