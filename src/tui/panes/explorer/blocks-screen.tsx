import { Box, useIsScreenReaderEnabled } from 'ink';
import { useRef } from 'react';
import { useNow } from '../../app/clock.ts';
import { useClipboard } from '../../app/terminal.ts';
import { useToast } from '../../chrome/footer.tsx';
import { useKeys } from '../../input/use-keys.tsx';
import { PaneState, PolledFrame } from '../../ui/pane-state.tsx';
import { scrolledTo } from '../../ui/text.tsx';
import { systemOffset } from '../../ui/time.ts';
import { DETAILS_FROM } from './block-columns.ts';
import { BlockList, LIST_CHROME } from './block-list.tsx';
import { type BlockRow, withDetails } from './block-rows.ts';
import type { ExplorerLevelProps } from './explorer-level.ts';
import { presentOf } from './present.ts';
import { SpokenBlocks } from './spoken-explorer.tsx';
import { useBlockList } from './use-block-list.ts';
import { useRowDetails } from './use-row-details.ts';

interface BlocksScreenProps extends ExplorerLevelProps {
  readonly cursor: number | null;
}

/** The list of the latest blocks and what the keys do in it. */
export function BlocksScreen({ snapshot, symbol, dispatch, columns, rows, cursor }: BlocksScreenProps) {
  const now = useNow();
  const toast = useToast();
  const copy = useClipboard();
  const spoken = useIsScreenReaderEnabled();
  const works = useRef((): boolean => false);
  const list = useBlockList(snapshot, true, () => works.current());
  const missing = list.polled.data?.value.missing ?? [];
  const room = Math.max(rows - LIST_CHROME - missing.length - (list.polled.error === null ? 0 : 1), 1);
  const place = placeOf(list.rows, cursor);
  const first = useRef(0);
  first.current = Math.min(scrolledTo(place, first.current, room), Math.max(list.rows.length - room, 0));
  // Nobody who follows the newest block wants to see it slide down.
  if (cursor === null) first.current = 0;
  const above = first.current;
  const onScreen = list.rows.slice(above, above + room);
  const details = useRowDetails(onScreen, columns >= DETAILS_FROM && !spoken);
  works.current = details.works;
  const shown = onScreen.map((row) =>
    withDetails(row, row.number === null ? undefined : details.blockOf(row.number)),
  );

  const go = (to: number) => {
    const row = list.rows[Math.min(Math.max(to, 0), list.rows.length - 1)];
    dispatch({ type: 'move-cursor', to: to <= 0 || row === undefined ? null : keyOf(row) });
  };
  const marked = list.rows[place];
  useKeys('explorer', {
    up: () => go(place - 1),
    down: () => go(place + 1),
    'page-up': () => go(place - room),
    'page-down': () => go(place + room),
    start: () => go(0),
    end: () => go(list.rows.length - 1),
    open: () => {
      if (marked === undefined) return;
      if (marked.number === null) {
        toast({ kind: 'error', text: 'This service does not number its blocks, so none can be opened' });
      } else dispatch({ type: 'open', place: { kind: 'block', number: marked.number } });
    },
    copy: () => {
      if (marked?.number == null) return;
      copy(String(marked.number));
      toast({ kind: 'info', text: `Copied ${marked.number} (if your terminal lets programs copy: OSC 52)` });
    },
  });

  return (
    <PolledFrame
      polled={list.polled}
      what="the latest blocks"
      pending={false}
      width={columns}
      height={rows}
      hint="r asks again now, / looks up a block or a transaction"
    >
      {(notice) => {
        if (shown.length === 0) {
          return (
            <Box width={columns} height={rows}>
              <PaneState
                kind="empty"
                title="No blocks yet"
                hint="The list begins with the next block; / looks up an older one."
              />
            </Box>
          );
        }
        const present = presentOf(snapshot, now);
        if (spoken) return <SpokenBlocks rows={list.rows.slice(place, place + 10)} present={present} />;
        return (
          <BlockList
            rows={shown}
            cursor={place - above}
            above={above}
            total={list.rows.length}
            present={present}
            symbol={symbol}
            width={columns}
            height={rows}
            offsetAt={systemOffset}
            notices={[
              ...(notice === null ? [] : [notice]),
              ...missing.map((text) => [{ text, faint: true }]),
            ]}
          />
        );
      }}
    </PolledFrame>
  );
}

/** Blocks without numbers are told apart by their times, which are far larger than any block's number. */
function keyOf({ number, timestamp }: BlockRow): number {
  return number ?? timestamp;
}

/** Where the cursor's block is now; one that has left the list leaves the cursor at its end. */
function placeOf(rows: readonly BlockRow[], cursor: number | null): number {
  if (cursor === null || rows.length === 0) return 0;
  const place = rows.findIndex((row) => keyOf(row) <= cursor);
  return place < 0 ? rows.length - 1 : place;
}
