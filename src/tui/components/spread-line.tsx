import { Box, Text } from 'ink';
import type { ReactNode } from 'react';

interface SpreadLineProps {
  readonly width: number;
  readonly left: ReactNode;
  readonly right: ReactNode;
}

/** One line with something at each end; where both do not fit the left end is cut. */
export function SpreadLine({ width, left, right }: SpreadLineProps) {
  return (
    <Box width={width} height={1} flexShrink={0} overflow="hidden">
      <Box flexGrow={1} flexShrink={1} height={1} overflow="hidden">
        <Text wrap="truncate">{left}</Text>
      </Box>
      <Box flexShrink={0} height={1}>
        <Text wrap="truncate">{right}</Text>
      </Box>
    </Box>
  );
}
