import { Box, useIsScreenReaderEnabled } from 'ink';
import { useRef, useState } from 'react';
import type { Scope } from '../input/keymap.ts';
import { scrollKeys, useKeys } from '../input/use-keys.tsx';
import {
  bold,
  EMPTY_LINE,
  faint,
  type Line,
  LineList,
  OneLine,
  plain,
  SegmentLine,
  scrolledTo,
} from './text.tsx';

/**
 * The first visible one of `count` rows, of which `room` are visible, the one at `place` among them; it moves as little
 * as needed.
 */
export function useFirstRow({ count, place, room }: Readonly<Record<'count' | 'place' | 'room', number>>) {
  const first = useRef(0);
  first.current = Math.max(Math.min(scrolledTo(place, first.current, room), count - room), 0);
  return first.current;
}

interface ScrolledLinesProps {
  readonly scope: Scope;
  readonly title: readonly Line[];
  readonly lines: readonly Line[];
  /** About the data itself: it is loading, or why it is stale. */
  readonly notice?: Line | null;
  readonly top: number;
  readonly onScroll: (top: number) => void;
  readonly width: number;
  readonly height: number;
}

/** Scrolling lines under a fixed title that counts the hidden ones. A screen reader reads them all. */
export function ScrolledLines({ scope, lines, top, onScroll, ...frame }: ScrolledLinesProps) {
  const isSpoken = useIsScreenReaderEnabled();
  const room = isSpoken ? lines.length : Math.max(frame.height - (frame.notice == null ? 1 : 2), 1);
  const most = Math.max(lines.length - room, 0);
  const from = Math.min(top, most);
  const go = (to: number) => onScroll(Math.min(Math.max(to, 0), most));
  useKeys(scope, most === 0 ? {} : scrollKeys(go, { top: from, room, most }));
  return <TitledLines {...frame} lines={lines.slice(from, from + room)} below={most - from} />;
}

interface TitledLinesProps
  extends Pick<ScrolledLinesProps, 'title' | 'lines' | 'notice' | 'width' | 'height'> {
  readonly below?: number;
}

/** A title with lines under it. The title counts the hidden lines; its last segments are dropped on narrow screens. */
export function TitledLines({ title, lines, notice = null, below = 0, width, height }: TitledLinesProps) {
  const hidden: readonly Line[] = below <= 0 ? [] : [[faint(`${below} more (j)`)]];
  return (
    <Box flexDirection="column" width={width} height={height} overflow="hidden">
      <SegmentLine segments={title.toSpliced(2, 0, ...hidden)} width={width} />
      {notice === null ? null : <OneLine line={[plain(' '), ...notice]} width={width} />}
      <LineList lines={lines} width={width} />
    </Box>
  );
}

interface ScrollViewProps {
  readonly title: string;
  readonly lines: readonly string[];
  readonly columns: number;
  readonly rows: number;
}

/** Text over the pane that is longer than the screen: `j k g G`, arrows and pages. */
export function ScrollView({ title, lines, columns, rows }: ScrollViewProps) {
  const [top, setTop] = useState(0);
  const room = Math.max(rows - 1, 1);
  const most = Math.max(lines.length - room, 0);
  const from = Math.min(top, most);
  const go = (to: number) => setTop(Math.min(Math.max(to, 0), most));
  useKeys('scroll', most === 0 ? {} : scrollKeys(go, { top: from, room, most }));
  const shown = lines.slice(from, from + room);
  const place = most === 0 ? '' : `  lines ${from + 1} to ${from + shown.length} of ${lines.length}`;
  const heading: Line = [bold(` ${title}`), faint(`${place}   Esc closes`)];
  const texts = shown.map((text): Line => (text === '' ? EMPTY_LINE : [plain(` ${text}`)]));
  return (
    <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
      <LineList lines={[heading, ...texts]} width={columns} />
    </Box>
  );
}
