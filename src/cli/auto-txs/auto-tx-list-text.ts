import stringWidth from 'string-width';
import type { AutoTxView } from '../../client/views/auto-txs.ts';
import { isOver } from '../../client/views/describe-auto-txs.ts';
import type { SnapshotView } from '../../client/views/gas.ts';
import { timeWords } from '../alerts/alert-words.ts';
import { cleanLine } from '../clean-line.ts';
import { cutToWidth } from '../cut-to-width.ts';
import { type Column, tableLines } from '../text-table.ts';
import { autoTxStateWords, distanceWords, doesWords, likelyWords, targetWords } from './auto-tx-words.ts';

/** What needs a look comes first; within a state the newest. A service's own words stand between. */
const ORDER = [
  'SUBMITTED',
  'PENDING',
  'DISABLED',
  'DRAFT',
  null,
  'FAILED',
  'EXPIRED',
  'EXECUTED',
  'CANCELLED',
];
/** What a narrow terminal does without, first to last; `gastop auto-txs show` has it. */
const SPARED = ['note', 'nonce', 'until (UTC)', 'likely'];

/**
 * The lines of `gastop auto-txs list`, by state, made to fit `width` columns; `null`: as long as they are.
 *
 * @param snapshot What the prices are, where that is known.
 * @param callName The well-known function that one calls.
 */
export function autoTxListLines(
  autoTxs: readonly AutoTxView[],
  snapshot: SnapshotView | null,
  width: number | null,
  ending = '…',
  callName: (autoTx: AutoTxView) => string | null = () => null,
): string[] {
  const rows = autoTxs.toSorted((one, other) => placeOf(one) - placeOf(other));
  const columns = columnsAt(snapshot, callName);
  if (width === null) return tableLines(columns, rows);
  const without = (spared: number) =>
    tableLines(
      columns.filter(({ title }) => !SPARED.slice(0, spared).includes(title)),
      rows,
    );
  const isNarrow = (lines: readonly string[]) => lines.every((line) => stringWidth(line) <= width);
  const fitting = [0, 1, 2, 3, 4].map(without).find(isNarrow) ?? without(SPARED.length);
  return fitting.map((line) => cutToWidth(line, width, ending));
}

function placeOf({ status }: AutoTxView): number {
  const place = ORDER.indexOf(status);
  return place < 0 ? ORDER.indexOf(null) : place;
}

function columnsAt(
  snapshot: SnapshotView | null,
  callName: (autoTx: AutoTxView) => string | null,
): Column<AutoTxView>[] {
  return [
    { title: 'id', align: 'left', cell: ({ id }) => cleanLine(id) },
    { title: 'state', align: 'left', cell: autoTxStateWords },
    { title: 'when', align: 'left', cell: targetWords },
    { title: 'distance', align: 'right', cell: (autoTx) => distanceWords(autoTx, snapshot) },
    { title: 'likely', align: 'right', cell: likelyWords },
    {
      title: 'until (UTC)',
      align: 'left',
      cell: (autoTx) => timeWords(isOver(autoTx) ? null : autoTx.expiresAt),
    },
    { title: 'nonce', align: 'right', cell: ({ nonce }) => (nonce === null ? '-' : String(nonce)) },
    { title: 'does', align: 'left', cell: (autoTx) => doesWords(autoTx, callName(autoTx)) },
    { title: 'note', align: 'left', cell: ({ note }) => cleanLine(note ?? '') },
  ];
}
