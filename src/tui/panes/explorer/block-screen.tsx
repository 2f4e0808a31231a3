import { Box, useIsScreenReaderEnabled } from 'ink';
import { useEffect } from 'react';
import type { BlockView } from '../../../client/views/explorer.ts';
import { useClipboard } from '../../app/terminal.ts';
import { useToast } from '../../chrome/footer.tsx';
import { useKeys } from '../../input/use-keys.tsx';
import { useWidest } from '../../ui/fact-list.tsx';
import { PaneState } from '../../ui/pane-state.tsx';
import { columnsWithin, columnWidths, headingLine, rowLine } from '../../ui/table.ts';
import { type Line, LineList, OneLine, SegmentLine, scrolledTo } from '../../ui/text.tsx';
import { useTheme } from '../../ui/theme.ts';
import { blockLines, blockTitle } from './block-facts.ts';
import type { ExplorerLevelProps } from './explorer-level.ts';
import { explorerProblem } from './explorer-problem.ts';
import type { Place } from './explorer-state.ts';
import { withHidden } from './hidden-lines.ts';
import { PlaceFrame } from './place-frame.tsx';
import { noTransactions } from './present.ts';
import { SpokenBlock } from './spoken-explorer.tsx';
import { txColumns } from './tx-columns.ts';
import { txsNote } from './txs-note.ts';
import { useBlock, useBlockTxs } from './use-explorer.ts';
import { useFactsContext } from './use-facts-context.ts';

interface BlockScreenProps extends ExplorerLevelProps {
  readonly place: Extract<Place, { kind: 'block' }>;
}

/** Facts spread out from here on. */
const AIRY_FROM = 30;
/** The next page is asked for before the cursor reaches the end of this one. */
const AHEAD = 20;
const MARK = 3;

/** One block: its facts, then its transactions, all in one scroll. */
export function BlockScreen({ place, ...level }: BlockScreenProps) {
  const { snapshot, symbol, dispatch, columns, rows } = level;
  const theme = useTheme();
  const toast = useToast();
  const copy = useClipboard();
  const spoken = useIsScreenReaderEnabled();
  const without = noTransactions(snapshot);
  const polled = useBlock(place.number, snapshot);
  const block = polled.data?.value ?? null;
  const txs = useBlockTxs(without === null && hasTransactions(block) ? block : null);
  const list = txs.data?.rows ?? [];
  const context = useFactsContext(level, AIRY_FROM);
  const facts = block === null ? [] : blockLines(block, context);
  const all = txColumns(columns, symbol, theme);
  const widths = useWidest(columnWidths(all, list, theme));
  const shownColumns = columnsWithin(all, widths, columns - MARK - 1);
  const note = block === null ? null : txsNote(block, without, txs);
  const heading: Line =
    list.length === 0 || note !== null
      ? [{ text: ` ${note ?? ''}`, faint: true }]
      : [{ text: ' '.repeat(MARK) }, ...headingLine(shownColumns, widths, theme)];
  // The title stands above what scrolls.
  const room = Math.max(rows - 1 - (polled.error === null ? 0 : 1), 1);
  const before = facts.length + 1;
  const count = before + list.length;
  const selected = place.selected === null ? null : Math.min(place.selected, list.length - 1);
  const most = Math.max(count - room, 0);
  const wanted = selected === null ? place.top : inSight(before + selected, place.top, room);
  const top = Math.min(Math.max(wanted, 0), most);

  const more = txs.data?.more === true;
  const loadMore = txs.loadMore;
  useEffect(() => {
    if (more && (selected ?? 0) + AHEAD + room > list.length) loadMore();
  });

  const select = (to: number) => {
    if (to < 0) return dispatch({ type: 'scroll', top: Math.min(top, facts.length), selected: null });
    const next = Math.min(to, list.length - 1);
    dispatch({ type: 'scroll', top: inSight(before + next, top, room), selected: next });
  };
  const scroll = (to: number) =>
    dispatch({ type: 'scroll', top: Math.min(Math.max(to, 0), most), selected: null });
  /** Down through the facts line by line until the first transaction is in sight, then from one to the next. */
  const down = (by: number) => {
    if (selected !== null) return select(selected + by);
    const firstInSight = list.length > 0 && before < top + room;
    if (firstInSight) select(by - 1);
    else scroll(top + by);
  };
  const up = (by: number) => {
    if (selected === null) scroll(top - by);
    else select(selected === 0 ? -1 : Math.max(selected - by, 0));
  };
  const marked = selected === null ? undefined : list[selected];
  useKeys('explorer', {
    up: () => up(1),
    down: () => down(1),
    'page-up': () => up(room),
    'page-down': () => down(room),
    start: () => scroll(0),
    end: () => (list.length > 0 ? select(list.length - 1) : scroll(most)),
    open: () => {
      const tx = marked ?? list[0];
      if (tx === undefined) return;
      if (marked === undefined) select(0);
      else dispatch({ type: 'open', place: { kind: 'tx', hash: tx.hash } });
    },
    previous: () => {
      if (place.number > 0) dispatch({ type: 'turn-to', number: place.number - 1 });
    },
    next: () => {
      if (snapshot.blockNumber === null || place.number < snapshot.blockNumber) {
        dispatch({ type: 'turn-to', number: place.number + 1 });
      } else toast({ kind: 'info', text: 'This is the newest block' });
    },
    copy: () => {
      const text = marked?.hash ?? String(place.number);
      copy(text);
      toast({ kind: 'info', text: `Copied ${text} (if your terminal lets programs copy: OSC 52)` });
    },
  });

  return (
    <PlaceFrame
      polled={polled}
      what={`block ${place.number}`}
      problem={(error) => explorerProblem(place, error, without)}
      columns={columns}
      rows={rows}
    >
      {(notice) => {
        if (block === null) return <PaneState kind="loading" what={`block ${place.number}`} />;
        if (spoken)
          return <SpokenBlock block={block} context={context} txs={list} selected={selected} note={note} />;
        const lines = [
          ...facts,
          heading,
          ...list.map(
            (tx, index): Line => [
              index === selected
                ? { text: ` ${theme.glyph.arrow} `, color: 'accent', bold: true }
                : { text: ' '.repeat(MARK) },
              ...rowLine(shownColumns, widths, theme, tx),
            ],
          ),
        ];
        const shown = lines.slice(top > facts.length ? top + 1 : top, top + room);
        const below = count - top - room;
        return (
          <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
            <SegmentLine segments={withHidden(blockTitle(block, context), below)} width={columns} />
            {notice === null ? null : <OneLine line={[{ text: ' ' }, ...notice]} width={columns} />}
            <LineList lines={[...(top > facts.length ? [heading] : []), ...shown]} width={columns} />
          </Box>
        );
      }}
    </PlaceFrame>
  );
}

/** With the line before it: the headings stand over that one once they would have scrolled away. */
function inSight(line: number, top: number, room: number): number {
  return scrolledTo(line, scrolledTo(line - 1, top, room), room);
}

function hasTransactions(block: BlockView | null): boolean {
  return block !== null && block.transactionCount !== 0;
}
