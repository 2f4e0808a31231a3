import type { SnapshotView } from '../../../client/views/snapshot.ts';
import { takesNone } from '../../../core/auto-txs/takes-none.ts';
import { useToast } from '../../hooks/use-toast.ts';
import type { AutoTxsAction } from './auto-txs-state.ts';

/** Opens the form of a new one, or says why nothing can be sent from here before anybody pastes what is signed. */
export function useNewAutoTx({ source }: SnapshotView, dispatch: (action: AutoTxsAction) => void) {
  const toast = useToast();
  const why = takesNone(source.kind);
  return () => {
    if (why === null) dispatch({ type: 'form', edited: null });
    else toast({ kind: 'error', text: `${asSentence(why)}: start gastop with --rpc URL` });
  };
}

export const asSentence = (words: string) => `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
