import { prepared, type Slots } from './prepared.ts';
import type { Queries } from './schema.ts';

/** How many blocks raw bytes are kept after the one that has them: what a reorg brings back can be sent again. */
export const KEEP_SIGNED_BLOCKS = 64;

/** The raw bytes of an auto-tx; `null`: there are none. */
export async function readSigned(db: Queries, id: string): Promise<Uint8Array | null> {
  const row = await db
    .selectFrom('signed_transactions')
    .select('bytes')
    .where('auto_tx_id', '=', id)
    .executeTakeFirst();
  return row?.bytes ?? null;
}

export async function insertSigned(trx: Queries, id: string, bytes: Uint8Array): Promise<void> {
  await trx.insertInto('signed_transactions').values({ auto_tx_id: id, mined_block: null, bytes }).execute();
}

/** Says in which block they are final, or that they are not. */
export async function markSigned(trx: Queries, id: string, minedBlock: number | null): Promise<void> {
  await trx
    .updateTable('signed_transactions')
    .set({ mined_block: minedBlock })
    .where('auto_tx_id', '=', id)
    .execute();
}

export async function dropSigned(trx: Queries, id: string): Promise<void> {
  await trx.deleteFrom('signed_transactions').where('auto_tx_id', '=', id).execute();
}

const deleteBelow = prepared((db, slot: Slots<{ below: number }>) =>
  db.deleteFrom('signed_transactions').where('mined_block', '<', slot('below')),
);

/** Forgets the bytes of what is final in blocks below `below`: no reorg brings it back. Costs what it forgets. */
export async function forgetSigned(trx: Queries, below: number): Promise<void> {
  await deleteBelow(trx, { below });
}
