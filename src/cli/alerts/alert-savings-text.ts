import type { AlertSavingsView, SavingsEntryView } from '../../client/views/alerts.ts';
import { formatCount, formatNative, formatUsd, gweiString } from '../../core/units.ts';
import { labelledLines } from '../labelled-lines.ts';
import { tableLines } from '../text-table.ts';
import { timesWords, timeWords } from './alert-words.ts';

const ROWS = 20;

/** What `gastop alerts savings` prints. */
export function alertSavingsText(savings: AlertSavingsView): string {
  const { events, gasAmount, entries, best } = savings;
  const head = labelledLines([
    ['fired', events === null ? null : timesWords(events)],
    ['saved', amount(savings)],
    [
      'counted for',
      gasAmount === null
        ? null
        : `${formatCount(gasAmount)} gas each time, against the mean of the day before`,
    ],
    ['best', best === null ? null : `${amount(best)} at ${timeWords(best.triggeredAt)} UTC`],
  ]);
  if (entries.length === 0) return head.join('\n');
  const table = tableLines<SavingsEntryView>(
    [
      { title: 'fired (UTC)', align: 'left', cell: ({ triggeredAt }) => timeWords(triggeredAt) },
      {
        title: 'block',
        align: 'right',
        cell: ({ blockNumber }) => (blockNumber === null ? '-' : formatCount(blockNumber)),
      },
      { title: 'gwei', align: 'right', cell: ({ price }) => gwei(price) },
      { title: 'reference', align: 'right', cell: ({ referencePrice }) => gwei(referencePrice) },
      { title: 'saved', align: 'right', cell: amount },
    ],
    entries.slice(0, ROWS),
  );
  const more =
    entries.length > ROWS ? [`and ${formatCount(entries.length - ROWS)} more: --json has them`] : [];
  return [...head, '', ...table, ...more].join('\n');
}

const gwei = (wei: bigint | null) => (wei === null ? '-' : gweiString(wei));

function amount({ savedWei, savedUsd }: Pick<SavingsEntryView, 'savedWei' | 'savedUsd'>): string {
  if (savedWei === null) return '-';
  if (savedWei === 0n) return 'nothing';
  const native = formatNative(savedWei, 'native');
  return savedUsd === null ? native : `${native} (${formatUsd(savedUsd)})`;
}
