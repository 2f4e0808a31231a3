import { Box, useIsScreenReaderEnabled } from 'ink';
import { useRef, useState } from 'react';
import type { Scope } from '../input/keymap.ts';
import { scrollKeys, useKeys } from '../input/use-keys.tsx';
import { useRoom } from './pane-context.tsx';
import { bold, EMPTY_LINE, faint, type Line, LineList, plain, SegmentLine, scrolledTo } from './text.tsx';

/** The first visible row; it moves as little as needed to show the row at `place`. */
export function useFirstRow({ count, place, room }: Readonly<Record<'count' | 'place' | 'room', number>>) {
  const first = useRef(0);
  first.current = Math.max(Math.min(scrolledTo(place, first.current, room), count - room), 0);
  return first.current;
}

interface TitledLinesProps {
  readonly title: readonly Line[];
  readonly lines: readonly Line[];
  /** About the data itself: it is loading, or why it is stale. */
  readonly notice?: Line | null;
  /** Number of lines that are hidden below. */
  readonly below?: number;
}

/** A title with lines under it. The title counts the hidden lines; its last segments are dropped on narrow screens. */
export function TitledLines({ title, lines, notice = null, below = 0 }: TitledLinesProps) {
  const { columns, rows } = useRoom();
  const hidden: readonly Line[] = below <= 0 ? [] : [[faint(`${below} more (j)`)]];
  return (
    <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
      <SegmentLine segments={title.toSpliced(2, 0, ...hidden)} />
      <LineList lines={[...(notice === null ? [] : [[plain(' '), ...notice]]), ...lines]} />
    </Box>
  );
}

interface ScrolledLinesProps extends Omit<TitledLinesProps, 'below'> {
  readonly scope: Scope;
  readonly top: number;
  readonly onScroll: (top: number) => void;
}

/** Scrolling lines under a fixed title. A screen reader reads them all. */
export function ScrolledLines({ scope, lines, top, onScroll, ...frame }: ScrolledLinesProps) {
  const { rows } = useRoom();
  const isSpoken = useIsScreenReaderEnabled();
  const room = isSpoken ? lines.length : rows - (frame.notice == null ? 1 : 2);
  const { from, shown, most } = useScrolled(scope, lines, room, [top, onScroll]);
  return <TitledLines {...frame} lines={shown} below={most - from} />;
}

function useScrolled<Each>(
  scope: Scope,
  lines: readonly Each[],
  rows: number,
  [top, onScroll]: readonly [top: number, onScroll: (top: number) => void],
) {
  const room = Math.max(rows, 1);
  const most = Math.max(lines.length - room, 0);
  const from = Math.min(top, most);
  const go = (to: number) => onScroll(Math.min(Math.max(to, 0), most));
  useKeys(scope, most === 0 ? {} : scrollKeys(go, { top: from, room, most }));
  return { from, most, shown: lines.slice(from, from + room) };
}

/** Text over the pane that is longer than the screen: `j k g G`, arrows and pages. */
export function ScrollView({ title, lines }: { readonly title: string; readonly lines: readonly string[] }) {
  const { columns, rows } = useRoom();
  const { from, most, shown } = useScrolled('scroll', lines, rows - 1, useState(0));
  const place = most === 0 ? '' : `  lines ${from + 1} to ${from + shown.length} of ${lines.length}`;
  const heading: Line = [bold(` ${title}`), faint(`${place}   Esc closes`)];
  const texts = shown.map((text): Line => (text === '' ? EMPTY_LINE : [plain(` ${text}`)]));
  return (
    <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
      <LineList lines={[heading, ...texts]} />
    </Box>
  );
}
