import { sql } from 'kysely';
import { stepAutoTx } from '../core/auto-txs/auto-tx-rule.ts';
import { writeAutoTx } from './auto-tx-change.ts';
import { mendAutoTxs, readAutoTxRow } from './broken-auto-tx.ts';
import type { Queries } from './schema.ts';

/** Disabled in one transaction: done within some ms. */
export const DISABLED_AT_ONCE = 100;

/** Whose auto-txs may be sent, but for those of who runs the service. */
export async function pendingOwners(db: Queries): Promise<string[]> {
  const rows = await db
    .selectFrom('auto_txs')
    .select('owner')
    .distinct()
    .where(sql<boolean>`status = 'PENDING'`)
    .where('owner', '<>', '')
    .execute();
  return rows.map(({ owner }) => owner);
}

/** Disables a page of what an owner has waiting and answers how many there were. Part of the caller's transaction. */
export async function disableSome(trx: Queries, owner: string, reason: string, now: number): Promise<number> {
  const rows = await trx
    .selectFrom('auto_txs')
    .selectAll()
    .where(sql<boolean>`status = 'PENDING'`)
    .where('owner', '=', owner)
    .limit(DISABLED_AT_ONCE)
    .execute();
  for (const row of rows) {
    const kept = readAutoTxRow(row);
    if (kept === null) {
      await mendAutoTxs(trx, [row]);
      continue;
    }
    const facts = { nonce: kept.signed?.nonce ?? 0, confirmations: 1, now };
    const next = stepAutoTx(kept.state, { type: 'disable' }, facts);
    if (next === null) throw new RangeError(`auto-tx ${kept.id} waits and cannot be disabled`);
    const notes = next.notes.map((note) => ({ ...note, message: `${reason}: ${note.message}` }));
    await writeAutoTx(trx, kept, {
      autoTx: { ...kept, state: next.state, updatedAt: now },
      notes,
      at: now,
    });
  }
  return rows.length;
}
