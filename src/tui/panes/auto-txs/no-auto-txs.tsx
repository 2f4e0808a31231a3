import { Box } from 'ink';
import type { SnapshotView } from '../../../client/views/snapshot.ts';
import { PaneState } from '../../components/pane-state.tsx';

interface NoAutoTxsProps {
  readonly snapshot: SnapshotView;
  readonly columns: number;
  readonly rows: number;
}

/** The list while it is empty: what to do, or why nothing can be sent from here. */
export function NoAutoTxs({ snapshot, columns, rows }: NoAutoTxsProps) {
  return (
    <Box width={columns} height={rows}>
      <PaneState kind="empty" {...words(snapshot)} />
    </Box>
  );
}

function words({ source }: SnapshotView): { readonly title: string; readonly hint: string } {
  const hint = 'gastop --rpc URL (a node) or --url URL (a service) can.';
  if (source.kind === 'simulated') return { title: 'The simulated chain takes no transactions', hint };
  if (source.kind === 'replay') return { title: 'A recording takes no transactions', hint };
  return {
    title: 'No auto-txs yet',
    hint: 'n takes a transaction that your wallet has signed.',
  };
}
