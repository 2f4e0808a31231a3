import { Box, useIsScreenReaderEnabled } from 'ink';
import { useContext, useRef, useState } from 'react';
import type { Scope } from '../input/keymap.ts';
import { Clickable } from '../input/mouse.tsx';
import { scrollKeys, TakesKeysContext, useKeys } from '../input/use-keys.tsx';
import { useRoom } from './pane-context.tsx';
import { bold, faint, type Line, LineList, plain, SegmentLine, scrolledTo } from './text.tsx';

/** Where the selected one is; the first where none is. */
export const selectedPlace = <Item,>(items: readonly Item[], isSelected: (item: Item) => boolean): number =>
  Math.max(items.findIndex(isSelected), 0);

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
  /** Under the lines: rows that are selected with a click, by their place. */
  readonly rows?: { readonly lines: readonly Line[]; readonly select: (place: number) => void };
  /** At the lower end of the room. */
  readonly foot?: readonly Line[];
}

/** A title with lines under it. The title counts the hidden lines; its last segments are dropped on narrow screens. */
export function TitledLines(props: TitledLinesProps) {
  const { title, lines, notice = null, below = 0, rows: table, foot = [] } = props;
  const { columns, rows } = useRoom();
  const key = useContext(TakesKeysContext) ? 'j' : '⏎';
  const hidden: readonly Line[] = below <= 0 ? [] : [[faint(`${below} more (${key})`)]];
  return (
    <Box flexDirection="column" width={columns} height={rows}>
      <SegmentLine segments={title.toSpliced(1, 0, ...hidden)} />
      <LineList lines={[...(notice === null ? [] : [[plain(' '), ...notice]]), ...lines]} />
      {table && (
        <Clickable onClick={(_, place) => table.select(place)}>
          <LineList lines={table.lines} />
        </Clickable>
      )}
      <Box flexGrow={1} />
      <LineList lines={foot} />
    </Box>
  );
}

interface ScrolledLinesProps extends Omit<TitledLinesProps, 'below' | 'rows' | 'foot'> {
  readonly scope: Scope;
  /** Where these lines are shown again at another time. */
  readonly top?: number;
  readonly onScroll?: (top: number) => void;
}

/** Scrolling lines under a fixed title. A screen reader reads them all. */
export function ScrolledLines({ scope, lines, top, onScroll, ...frame }: ScrolledLinesProps) {
  const { rows } = useRoom();
  const isSpoken = useIsScreenReaderEnabled();
  const [ownTop, setOwnTop] = useState(0);
  const room = Math.max(isSpoken ? lines.length : rows - (frame.notice == null ? 1 : 2), 1);
  const most = Math.max(lines.length - room, 0);
  const from = Math.min(top ?? ownTop, most);
  useKeys(scope, scrollKeys(onScroll ?? setOwnTop, { top: from, room, most }));
  return <TitledLines {...frame} lines={lines.slice(from, from + room)} below={most - from} />;
}

/** A text over the pane. */
export function TextView({ title, lines }: { readonly title: string; readonly lines: readonly string[] }) {
  const heading = [[bold(title)], [faint('Esc closes')]];
  return <ScrolledLines scope="scroll" title={heading} lines={lines.map((text) => [plain(` ${text}`)])} />;
}
