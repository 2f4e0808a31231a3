import type { AutoTxView } from '../client/views/auto-txs.ts';
import type { AutoTxStatus } from '../contract/choices.ts';
import { cleanText } from '../core/clean-text.ts';
import { formatCount, formatGwei } from '../core/units.ts';
import { statusOf } from './auto-tx-words.ts';
import { withShortHashes } from './panes/explorer/hex-text.ts';

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

const LONGEST_REASON = 160;
const LONGEST_NOTE = 80;

/**
 * What became of an auto-tx in one line: `Auto-tx executed in block 24,337,605 at 0.0388 gwei: send 0.01 ETH to …`.
 *
 * @param what what the transaction does, in words
 */
export function changeWords(autoTx: AutoTxView, what: string): string {
  const note = cleanText(autoTx.note ?? '', LONGEST_NOTE).trim();
  const named = note === '' ? what : note;
  const { blockNumber, effectiveGasPrice: paid } = autoTx;
  switch (statusOf(autoTx)) {
    case 'EXECUTED': {
      const block = blockNumber === null ? '' : ` in block ${formatCount(blockNumber)}`;
      return `Auto-tx executed${block}${paid === null ? '' : ` at ${formatGwei(paid)} gwei`}: ${named}`;
    }
    case 'FAILED': {
      const { failure } = autoTx;
      const reason =
        failure === null ? '' : `, ${withShortHashes(cleanText(failure.message, LONGEST_REASON), '…')}`;
      return `Auto-tx failed: ${named}${reason}`;
    }
    case 'EXPIRED':
      return `Auto-tx expired ${(autoTx.attempts ?? 0) > 0 ? 'after it was sent and not mined' : 'unsent'}: ${named}`;
    default:
      return `Auto-tx submitted: ${named}`;
  }
}

/** What became of several at once: `5 auto-txs: 3 executed, 2 failed`. */
export function changesWords(changed: readonly AutoTxView[]): string {
  const counts = new Map<string, number>();
  for (const autoTx of changed) {
    const word = (statusOf(autoTx) ?? 'other').toLowerCase();
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const parts = [...counts].map(([word, count]) => `${formatCount(count)} ${word}`);
  return `${formatCount(changed.length)} auto-txs: ${parts.join(', ')}`;
}
