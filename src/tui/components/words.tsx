import { Text } from 'ink';
import { memo, type ReactNode } from 'react';
import { useDim } from '../hooks/use-dim.ts';
import { type ColorName, useTheme } from '../theme.ts';

interface WordsProps {
  readonly color?: ColorName | undefined;
  readonly bold?: boolean | undefined;
  readonly faint?: boolean | undefined;
  readonly inverse?: boolean | undefined;
  readonly children: ReactNode;
}

/** Text of data: loses colour and weight where the data is no longer the present. Never wraps. */
export const Words = memo(function Words(props: WordsProps) {
  const { color, bold = false, faint = false, inverse = false, children } = props;
  const theme = useTheme();
  const dim = useDim();
  const paint = color === undefined || dim ? {} : { color: theme.color(color) };
  return (
    <Text {...paint} bold={bold && !dim} dimColor={faint || dim} inverse={inverse} wrap="truncate">
      {children}
    </Text>
  );
});
