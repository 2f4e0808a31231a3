import { Box, useIsScreenReaderEnabled } from 'ink';
import { useClipboard } from '../../app/terminal.ts';
import { useToast } from '../../chrome/footer.tsx';
import { useKeys } from '../../input/use-keys.tsx';
import { PaneState } from '../../ui/pane-state.tsx';
import { LineList, OneLine, SegmentLine } from '../../ui/text.tsx';
import type { ExplorerLevelProps } from './explorer-level.ts';
import { explorerProblem } from './explorer-problem.ts';
import type { Place } from './explorer-state.ts';
import { withHidden } from './hidden-lines.ts';
import { PlaceFrame } from './place-frame.tsx';
import { noTransactions } from './present.ts';
import { SpokenTx } from './spoken-explorer.tsx';
import { txLines, txTitle } from './tx-facts.ts';
import { useBlock, useTx } from './use-explorer.ts';
import { useFactsContext } from './use-facts-context.ts';

interface TxScreenProps extends ExplorerLevelProps {
  readonly place: Extract<Place, { kind: 'tx' }>;
}

/** Facts spread out from here on. */
const AIRY_FROM = 23;

/** One transaction: what it is, what it paid, and where its tip stood in its block. */
export function TxScreen({ place, ...level }: TxScreenProps) {
  const { snapshot, dispatch, columns, rows } = level;
  const toast = useToast();
  const copy = useClipboard();
  const spoken = useIsScreenReaderEnabled();
  const polled = useTx(place.hash, snapshot);
  const tx = polled.data?.value ?? null;
  // The tips of its block, to draw where it stood among them; without them the rest is shown all the same.
  const block = useBlock(tx?.blockNumber ?? null, snapshot).data?.value ?? null;
  const context = useFactsContext(level, AIRY_FROM);
  const lines = tx === null ? [] : txLines(tx, block, context);
  const room = Math.max(rows - 1 - (polled.error === null ? 0 : 1), 1);
  const most = Math.max(lines.length - room, 0);
  const top = Math.min(place.top, most);
  const scroll = (to: number) => dispatch({ type: 'scroll', top: Math.min(Math.max(to, 0), most) });
  useKeys('explorer', {
    up: () => scroll(top - 1),
    down: () => scroll(top + 1),
    'page-up': () => scroll(top - room),
    'page-down': () => scroll(top + room),
    start: () => scroll(0),
    end: () => scroll(most),
    open: () => {
      if (tx?.blockNumber != null)
        dispatch({ type: 'open', place: { kind: 'block', number: tx.blockNumber } });
    },
    copy: () => {
      copy(place.hash);
      toast({ kind: 'info', text: `Copied ${place.hash} (if your terminal lets programs copy: OSC 52)` });
    },
  });
  return (
    <PlaceFrame
      polled={polled}
      what="the transaction"
      problem={(error) => explorerProblem(place, error, noTransactions(snapshot))}
      columns={columns}
      rows={rows}
    >
      {(notice) => {
        if (tx === null) return <PaneState kind="loading" what="the transaction" />;
        if (spoken) return <SpokenTx tx={tx} block={block} context={context} />;
        const below = lines.length - top - room;
        return (
          <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
            <SegmentLine segments={withHidden(txTitle(tx, context), below)} width={columns} />
            {notice === null ? null : <OneLine line={[{ text: ' ' }, ...notice]} width={columns} />}
            <LineList lines={lines.slice(top, top + room)} width={columns} />
          </Box>
        );
      }}
    </PlaceFrame>
  );
}
