import type { AutoTxView } from '../client/views/auto-txs.ts';
import { statusOf } from '../client/views/describe-auto-txs.ts';
import type { AutoTxStatus } from '../contract/choices.ts';

/** The last status of each auto-tx, by its id. */
export type SeenAutoTxs = ReadonlyMap<string, AutoTxStatus | null>;

const NEWS: ReadonlySet<AutoTxStatus | null> = new Set(['SUBMITTED', 'EXECUTED', 'FAILED', 'EXPIRED']);

/** Those that were sent or came to an end since `seen`; what was not listed before is no news. */
export function noticeChanges(
  seen: SeenAutoTxs,
  autoTxs: readonly AutoTxView[],
): { readonly seen: SeenAutoTxs; readonly changed: readonly AutoTxView[] } {
  const changed = autoTxs.filter((autoTx) => {
    const before = seen.get(autoTx.id);
    const status = statusOf(autoTx);
    return before !== undefined && before !== status && NEWS.has(status);
  });
  return { seen: new Map(autoTxs.map((autoTx) => [autoTx.id, statusOf(autoTx)])), changed };
}

/** Whether somebody who looks away wants to be told: it came to an end, and it is one's own. */
export function isEnd(autoTx: AutoTxView): boolean {
  return statusOf(autoTx) !== 'SUBMITTED';
}
