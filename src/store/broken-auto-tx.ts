import { NEW_DRAFT, type Obstacle } from '../core/auto-txs/auto-tx-state.ts';
import type { KeptAutoTx } from '../core/auto-txs/kept-auto-tx.ts';
import { addNotes } from './auto-tx-notes.ts';
import { toAutoTxRow, toKeptAutoTx, toSigned } from './auto-tx-row.ts';
import type { AutoTxRow } from './auto-tx-schema.ts';
import { moment, wei, whole } from './columns.ts';
import type { Queries } from './schema.ts';
import { dropSigned } from './signed-rows.ts';

/** Said of an auto-tx that a damaged file, or another program, has left without sense. */
export const UNREADABLE: Obstacle = {
  code: 'unreadable',
  message:
    'what the database holds of it cannot be read; see in the wallet whether it was sent, delete it and make it again',
};

/** The auto-tx of a row; `null`: no program of ours wrote it. */
export function readAutoTxRow(row: AutoTxRow): KeptAutoTx | null {
  try {
    return toKeptAutoTx(row);
  } catch {
    return null;
  }
}

/** The auto-tx of a row, failed where it cannot be read: its owner is to see it, and may delete it. */
export const shownAutoTx = (row: AutoTxRow): KeptAutoTx => readAutoTxRow(row) ?? mendedAutoTx(row);

/** What can be kept of a row that cannot be read, failed. */
function mendedAutoTx(row: AutoTxRow): KeptAutoTx {
  return {
    id: row.id,
    owner: row.owner,
    chainId: orElse(() => whole(row.chain_id), 0),
    order: { target: orElse(() => wei(row.target), 1n), lane: 'average', isStrict: false, expiresAt: null },
    note: typeof row.note === 'string' ? row.note : '',
    to: null,
    value: 0n,
    data: '0x',
    signed: orElse(() => toSigned(row), null),
    state: {
      ...NEW_DRAFT,
      status: 'FAILED',
      attempts: orElse(() => whole(row.attempts), 0),
      failure: UNREADABLE,
    },
    checks: [],
    checkedAt: null,
    createdAt: orElse(() => moment(row.created_at), 0),
    updatedAt: orElse(() => moment(row.updated_at), 0),
    priceAtCreation: null,
    dayMeanPrice: null,
    nativeUsd: null,
  };
}

/** Writes them as they are shown, and forgets what was signed: nothing can be done with it. Part of the caller's transaction. */
export async function mendAutoTxs(trx: Queries, rows: readonly AutoTxRow[]): Promise<void> {
  for (const row of rows) {
    const { id: _, ...mended } = toAutoTxRow(mendedAutoTx(row));
    await trx.updateTable('auto_txs').set(mended).where('id', '=', row.id).execute();
    const note = { kind: 'FAILED', blockNumber: null, message: UNREADABLE.message } as const;
    await addNotes(trx, row.id, [note], mended.updated_at);
    await dropSigned(trx, row.id);
  }
}

function orElse<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
