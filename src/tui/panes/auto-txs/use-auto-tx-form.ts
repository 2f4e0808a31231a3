import type { AutoTxView } from '../../../client/views/auto-txs.ts';
import type { SnapshotView } from '../../../client/views/gas.ts';
import { takesNone } from '../../../core/auto-txs/preflight.ts';
import { useToast } from '../../chrome/footer.tsx';
import type { AutoTxsAction } from './auto-txs-state.ts';

/**
 * Opens the form of a new one, or of one that is changed; where nothing can be sent it says why, before anybody pastes what
 * is signed.
 */
export function useAutoTxForm({ source }: SnapshotView, dispatch: (action: AutoTxsAction) => void) {
  const toast = useToast();
  const why = takesNone(source.kind);
  return (edited: AutoTxView | null) => {
    if (why === null) dispatch({ type: 'form', edited });
    else toast({ kind: 'error', text: `${asSentence(why)}: start gastop with --rpc URL` });
  };
}

export const asSentence = (words: string) => `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
