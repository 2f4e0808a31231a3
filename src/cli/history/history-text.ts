import { formatGwei, formatPercent, UNKNOWN } from '../../core/units.ts';
import { tableLines } from '../text-table.ts';
import { utcTime } from '../utc-time.ts';
import type { HistoryRow } from './history-rows.ts';

const BAR_CELLS = 20;

/** History as a table with a bar for each mean, 80 columns wide at most. `bar` is the character it is drawn with. */
export function historyText(rows: readonly HistoryRow[], bar: string): string {
  const highest = Math.max(...rows.map((row) => row.mean));
  return tableLines<HistoryRow>(
    [
      { title: 'UTC', align: 'left', cell: (row) => utcTime(row.timestamp, 'minutes') },
      { title: 'base', align: 'right', cell: (row) => formatGwei(row.mean) },
      { title: 'lowest', align: 'right', cell: (row) => formatGwei(row.min) },
      { title: 'highest', align: 'right', cell: (row) => formatGwei(row.max) },
      { title: 'tip', align: 'right', cell: (row) => (row.tip === null ? UNKNOWN : formatGwei(row.tip)) },
      {
        title: 'full',
        align: 'right',
        cell: (row) => (row.gasUsedRatio === null ? UNKNOWN : formatPercent(row.gasUsedRatio)),
      },
      {
        title: '',
        align: 'left',
        cell: (row) => (highest > 0 ? bar.repeat(Math.round((row.mean / highest) * BAR_CELLS)) : ''),
      },
    ],
    rows,
  ).join('\n');
}
