import type { AlertView } from '../client/views/alerts.ts';
import { formatCount } from '../core/units.ts';
import { channelWords, stateWords, timeWords, watchWords } from './alert-words.ts';
import { cleanLine } from './clean-line.ts';
import { cutToWidth } from './cut-to-width.ts';
import { tableLines } from './text-table.ts';

/** The lines of `gastop alerts list`, cut to `width` columns; `null`: as long as they are. `now` in ms. */
export function alertListLines(alerts: readonly AlertView[], now: number, width: number | null): string[] {
  const lines = tableLines<AlertView>(
    [
      { title: 'id', align: 'left', cell: (alert) => cleanLine(alert.id) },
      { title: 'when', align: 'left', cell: watchWords },
      { title: 'state', align: 'left', cell: (alert) => stateWords(alert, now) },
      { title: 'tells', align: 'left', cell: channelWords },
      { title: 'fired', align: 'right', cell: (alert) => count(alert.triggerCount) },
      { title: 'last (UTC)', align: 'left', cell: (alert) => timeWords(alert.lastTriggeredAt) },
      { title: 'note', align: 'left', cell: (alert) => cleanLine(alert.note ?? '') },
    ],
    alerts,
  );
  return width === null ? lines : lines.map((line) => cutToWidth(line, width));
}

const count = (value: number | null) => (value === null ? '-' : formatCount(value));
