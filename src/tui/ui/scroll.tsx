import { Box, Text, useIsScreenReaderEnabled } from 'ink';
import { useState } from 'react';
import type { Scope } from '../input/keymap.ts';
import { scrollKeys, useKeys } from '../input/use-keys.tsx';
import { type Line, LineList, OneLine, placed, SegmentLine, SpokenLines, truncate } from './text.tsx';
import { useTheme } from './theme.ts';

interface ScrolledLinesProps {
  /** Whose keys scroll. */
  readonly scope: Scope;
  readonly title: readonly Line[];
  readonly lines: readonly Line[];
  /** About the data itself: what is loading, or why it is old. */
  readonly notice: Line | null;
  /** The first line that is shown, as far as there are so many. */
  readonly top: number;
  readonly onScroll: (top: number) => void;
  readonly width: number;
  readonly height: number;
}

/** Lines under a title that stands still and says how many lie below; sentences for a screen reader. */
export function ScrolledLines({
  scope,
  title,
  lines,
  notice,
  onScroll,
  width,
  height,
  ...at
}: ScrolledLinesProps) {
  const isSpoken = useIsScreenReaderEnabled();
  const room = Math.max(height - (notice === null ? 1 : 2), 1);
  const most = Math.max(lines.length - room, 0);
  const top = Math.min(at.top, most);
  const go = (to: number) => onScroll(Math.min(Math.max(to, 0), most));
  useKeys(scope, most === 0 ? {} : scrollKeys(go, { top, room, most }));
  if (isSpoken)
    return <SpokenLines lines={[title, notice === null ? [] : [notice], ...lines.map((line) => [line])]} />;
  return (
    <Box flexDirection="column" width={width} height={height} overflow="hidden">
      <SegmentLine segments={withHidden(title, most - top)} width={width} />
      {notice === null ? null : <OneLine line={[{ text: ' ' }, ...notice]} width={width} />}
      <LineList lines={lines.slice(top, top + room)} width={width} />
    </Box>
  );
}

/** A title that says how many lines lie below the screen, before what may be left out of it. */
export function withHidden(title: readonly Line[], below: number): readonly Line[] {
  return below <= 0 ? title : title.toSpliced(2, 0, [{ text: `${below} more (j)`, faint: true }]);
}

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
