import type { Note } from '../core/auto-txs/auto-tx-rule.ts';
import type { AutoTxState } from '../core/auto-txs/auto-tx-state.ts';
import type { KeptAutoTx } from '../core/auto-txs/kept-auto-tx.ts';
import { addNotes } from './auto-tx-notes.ts';
import { toAutoTxRow } from './auto-tx-row.ts';
import type { AutoTxRow } from './auto-tx-schema.ts';
import { tallyAutoTx } from './auto-tx-tallies.ts';
import type { Queries } from './schema.ts';
import { dropSigned, insertSigned, markSigned } from './signed-rows.ts';

/** What becomes of an auto-tx. */
export interface AutoTxChange {
  /** As it is from now on; id, owner and time of creation stay. */
  readonly autoTx: KeptAutoTx;
  readonly notes: readonly Note[];
  /** When, ms since epoch. */
  readonly at: number;
  /** The raw bytes, where another transaction was signed. */
  readonly signed?: Uint8Array;
}

/** Writes a change with its notes, its bytes and what it comes to. Part of the caller's transaction. */
export async function writeAutoTx(trx: Queries, before: KeptAutoTx, change: AutoTxChange): Promise<void> {
  const { autoTx: after, notes, at, signed } = change;
  if (after.signed?.hash !== before.signed?.hash && signed === undefined) {
    throw new RangeError('what is signed changes with its bytes alone');
  }
  const changed = changedColumns(before, after);
  if (Object.keys(changed).length > 0) {
    await trx.updateTable('auto_txs').set(changed).where('id', '=', before.id).execute();
  }
  await addNotes(trx, before.id, notes, at);
  await writeSigned(trx, before, change);
  await tallyAutoTx(trx, before, after);
}

/** Only these: an index is touched where one of its columns is, and calldata may be long. */
function changedColumns(before: KeptAutoTx, after: KeptAutoTx): Partial<AutoTxRow> {
  const was = new Map<string, unknown>(Object.entries(toAutoTxRow(before)));
  const { id: _, owner: __, created_at: ___, ...row } = toAutoTxRow(after);
  return Object.fromEntries(Object.entries(row).filter(([column, value]) => was.get(column) !== value));
}

/** What can be sent, or be sent again after a reorg, stays; the rest goes with the change that says so. */
async function writeSigned(
  trx: Queries,
  before: KeptAutoTx,
  { autoTx, signed }: AutoTxChange,
): Promise<void> {
  const { id } = before;
  if (!needsBytes(autoTx.state)) {
    if (needsBytes(before.state)) await dropSigned(trx, id);
    return;
  }
  const mined = minedBlock(autoTx.state);
  if (signed !== undefined) {
    await dropSigned(trx, id);
    await insertSigned(trx, id, signed);
  }
  if (mined !== minedBlock(before.state)) await markSigned(trx, id, mined);
}

function needsBytes({ status, inclusion }: AutoTxState): boolean {
  if (status === 'PENDING' || status === 'DISABLED' || status === 'SUBMITTED') return true;
  return inclusion !== null && (status === 'EXECUTED' || status === 'FAILED');
}

const minedBlock = ({ status, inclusion }: AutoTxState) =>
  status === 'EXECUTED' || status === 'FAILED' ? (inclusion?.blockNumber ?? null) : null;
