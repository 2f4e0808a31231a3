import { Box, Text } from 'ink';
import { memo } from 'react';
import { useSameLines } from '../hooks/use-same-lines.ts';
import { fitLine, joinedLine, type Line, looksSame } from '../lines.ts';
import { useTheme } from '../theme.ts';
import { Words } from './words.tsx';

interface LineListProps {
  readonly lines: readonly Line[];
  readonly width: number;
}

interface NamedLinesProps {
  readonly lines: ReadonlyMap<string, Line>;
  readonly width: number;
}

/** Lines one under the other, none wider than `width` and none wrapped. */
export function LineList({ lines, width }: LineListProps) {
  return (
    <Box flexDirection="column" flexShrink={0}>
      {lines.map((line, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place
        <OneLine key={place} line={line} width={width} />
      ))}
    </Box>
  );
}

/** The same of what comes and goes, by its id: what scrolls is moved, and only what looks otherwise is drawn anew. */
export function NamedLines({ lines, width }: NamedLinesProps) {
  return (
    <Box flexDirection="column" flexShrink={0}>
      {[...useSameLines(lines)].map(([id, line]) => (
        <OneLine key={id} line={line} width={width} />
      ))}
    </Box>
  );
}

interface OneLineProps {
  readonly line: Line;
  readonly width: number;
}

const isSameLine = (one: OneLineProps, other: OneLineProps) =>
  one.width === other.width && looksSame(one.line, other.line);

/** A line that looks as it did is not drawn again. */
export const OneLine = memo(function OneLine({ line, width }: OneLineProps) {
  const theme = useTheme();
  const shown = line.map((span) => ({ ...span, text: theme.text(span.text) }));
  if (shown.length === 0) return <Text> </Text>;
  return (
    <Text wrap="truncate">
      {joinedLine(fitLine(shown, width, 'left', theme.glyph.ellipsis)).map((span, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: so is a span
        <Words key={place} color={span.color} bold={span.bold} faint={span.faint} inverse={span.inverse}>
          {span.text}
        </Words>
      ))}
    </Text>
  );
}, isSameLine);
