import type { AlertView } from '../../../client/views/alerts.ts';
import { alertState } from '../../../client/views/describe-alerts.ts';
import type { SnapshotView } from '../../../client/views/gas.ts';
import { formatCount } from '../../../core/units.ts';
import type { Line } from '../../ui/text.tsx';

/** How many alerts there are, and how they are. `beyond`: how many the service has that are not listed. */
export function titleSegments(
  alerts: readonly AlertView[],
  beyond: number,
  snapshot: SnapshotView,
  present: number,
): readonly Line[] {
  const counts = new Map<string, number>();
  for (const alert of alerts) {
    const { kind } = alertState(alert, snapshot, present);
    const name = kind === 'leaving' ? 'resting' : kind;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const words = [...counts].map(([kind, count]) => `${formatCount(count)} ${kind}`).join(', ');
  const more = beyond === 0 ? '' : ` of ${formatCount(alerts.length + beyond)}`;
  return [
    [{ text: `Alerts ${formatCount(alerts.length)}${more}`, bold: true }],
    ...(words === '' ? [] : [[{ text: words, faint: true }]]),
  ];
}

/** How many alerts stand above and below what is shown. */
export function hiddenSegments(count: number, above: number, room: number): readonly Line[] {
  const below = Math.max(count - above - room, 0);
  const words = [
    ...(above > 0 ? [`${formatCount(above)} above`] : []),
    ...(below > 0 ? [`${formatCount(below)} below`] : []),
  ];
  return words.length === 0 ? [] : [[{ text: words.join(', '), faint: true }]];
}
