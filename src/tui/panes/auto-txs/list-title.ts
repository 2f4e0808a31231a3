import type { AutoTxListView, AutoTxView } from '../../../client/views/auto-txs.ts';
import { describeState } from '../../../client/views/describe-auto-txs.ts';
import { formatAge, formatCount } from '../../../core/units.ts';
import type { Line } from '../../ui/text.tsx';

/** How many auto-txs there are and how they stand, in the order of the list, as many of these as there is room for. */
export function titleSegments(
  autoTxs: readonly AutoTxView[],
  list: AutoTxListView | undefined,
): { readonly title: Line; readonly counts: readonly Line[] } {
  const counts = new Map<string, number>();
  for (const autoTx of autoTxs) {
    const word = describeState(autoTx);
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const { total = null, unreadable = 0 } = list ?? {};
  const more = total === null || total <= autoTxs.length ? '' : ` of ${formatCount(total)}`;
  const words = [...counts].map(([word, count]) => `${formatCount(count)} ${word}`);
  const unread = unreadable === 0 ? [] : [`${formatCount(unreadable)} unreadable`];
  return {
    title: [{ text: `Auto-txs ${formatCount(autoTxs.length)}${more}`, bold: true }],
    counts: [...unread, ...words].map((text) => [{ text, faint: true }]),
  };
}

/** Since when what is shown is true. */
export function ageSegment(at: number, now: number): Line {
  return [{ text: `as of ${formatAge(Math.max(now - at, 0) / 1_000)}`, faint: true }];
}
