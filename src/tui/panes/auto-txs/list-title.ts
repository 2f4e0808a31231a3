import type { AutoTxListView, AutoTxView } from '../../../client/views/auto-txs.ts';
import { formatAge, formatCount } from '../../../core/units.ts';
import { lookOf } from '../../auto-tx-words.ts';
import type { Segment } from '../../components/segment-line.tsx';

/** How many auto-txs there are and how they stand, in the order of the list. */
export function titleSegments(
  autoTxs: readonly AutoTxView[],
  list: AutoTxListView | undefined,
): readonly Segment[] {
  const counts = new Map<string, number>();
  for (const autoTx of autoTxs) {
    const { word } = lookOf(autoTx);
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const words = [...counts].map(([word, count]) => `${formatCount(count)} ${word}`).join(', ');
  const { total = null, unreadable = 0 } = list ?? {};
  const more = total === null || total <= autoTxs.length ? '' : ` of ${formatCount(total)}`;
  return [
    [{ text: `Auto-txs ${formatCount(autoTxs.length)}${more}`, bold: true }],
    ...(words === '' ? [] : [[{ text: words, faint: true }]]),
    ...(unreadable === 0 ? [] : [[{ text: `${formatCount(unreadable)} unreadable`, faint: true }]]),
  ];
}

/** Since when the list is true. */
export function ageSegment(at: number, now: number): Segment {
  return [{ text: `as of ${formatAge(Math.max(now - at, 0) / 1_000)}`, faint: true }];
}
