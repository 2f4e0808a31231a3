import type { CheckView } from '../../../client/views/auto-txs.ts';
import type { SnapshotView } from '../../../client/views/snapshot.ts';
import type { SignedTransaction } from '../../../core/transactions/signed-transaction.ts';
import type { AutoTxDraft } from './auto-tx-draft.ts';

/** The pre-flight of what is in the form; `null` until there is one. */
export function usePreflight(
  _transaction: SignedTransaction | null,
  _draft: AutoTxDraft,
  _snapshot: SnapshotView,
): readonly CheckView[] | null {
  return null;
}
