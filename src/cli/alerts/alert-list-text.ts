import stringWidth from 'string-width';
import type { AlertView } from '../../client/views/alerts.ts';
import { formatCount } from '../../core/units.ts';
import { cleanLine } from '../clean-line.ts';
import { cutToWidth } from '../cut-to-width.ts';
import { type Column, tableLines } from '../text-table.ts';
import { channelWords, stateWords, timeWords, watchWords } from './alert-words.ts';

/** Of a note, so that one knows which alert it is. */
const NOTE_WORTH = 16;
/** What a narrow terminal does without, first to last; `gastop alerts show` has it. */
const SPARED = ['last (UTC)', 'fired'];

/** The lines of `gastop alerts list`, made to fit `width` columns; `null`: as long as they are. `now` in ms. */
export function alertListLines(
  alerts: readonly AlertView[],
  now: number,
  width: number | null,
  ending = '…',
): string[] {
  const columns = columnsAt(now);
  if (width === null) return tableLines(columns, alerts);
  const room = width - Math.min(widest(['', ...alerts.map(noteOf)]), NOTE_WORTH);
  const fits = (spared: number) =>
    widest(tableLines(columnsWithout(columns, ['note', ...SPARED.slice(0, spared)]), alerts)) + 2 <= room;
  const spared = SPARED.findIndex((_, count) => fits(count));
  const shown = columnsWithout(columns, SPARED.slice(0, spared < 0 ? SPARED.length : spared));
  return tableLines(shown, alerts).map((line) => cutToWidth(line, width, ending));
}

function columnsAt(now: number): Column<AlertView>[] {
  return [
    { title: 'id', align: 'left', cell: (alert) => cleanLine(alert.id) },
    { title: 'when', align: 'left', cell: watchWords },
    { title: 'state', align: 'left', cell: (alert) => stateWords(alert, now) },
    { title: 'tells', align: 'left', cell: channelWords },
    {
      title: 'fired',
      align: 'right',
      cell: ({ triggerCount }) => (triggerCount === null ? '-' : formatCount(triggerCount)),
    },
    { title: 'last (UTC)', align: 'left', cell: (alert) => timeWords(alert.lastTriggeredAt) },
    { title: 'note', align: 'left', cell: noteOf },
  ];
}

const noteOf = ({ note }: AlertView) => cleanLine(note ?? '');

function columnsWithout(
  columns: readonly Column<AlertView>[],
  titles: readonly string[],
): Column<AlertView>[] {
  return columns.filter(({ title }) => !titles.includes(title));
}

const widest = (lines: readonly string[]) => Math.max(...lines.map((line) => stringWidth(line)));
