import { Box } from 'ink';
import type { SnapshotView } from '../../../client/views/gas.ts';
import { takesNone } from '../../../core/auto-txs/preflight.ts';
import { PaneState } from '../../ui/pane-state.tsx';
import { asSentence } from './use-auto-tx-form.ts';

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
  const why = takesNone(source.kind);
  if (why !== null) {
    return { title: asSentence(why), hint: 'gastop --rpc URL (a node) or --url URL (a service) can.' };
  }
  return {
    title: 'No auto-txs yet',
    hint: 'n takes a transaction that your wallet has signed.',
  };
}
