import { stepAutoTx } from '../core/auto-txs/auto-tx-rule.ts';
import { writeAutoTx } from './auto-tx-change.ts';
import { mendAutoTxs, readAutoTxRow } from './broken-auto-tx.ts';
import type { Queries } from './schema.ts';
import { dropSigned } from './signed-rows.ts';

/** No block has such a number. */
const BEFORE_ALL = -1;

/**
 * The blocks above `number` are no longer part of the chain: what was mined in one of them waits to be mined again, at
 * `now` (ms since epoch). Call it in the transaction that takes them away. Costs what they had.
 */
export async function rewindAutoTxs(trx: Queries, number: number, now: number): Promise<void> {
  const rows = await trx.selectFrom('auto_txs').selectAll().where('chain_block', '>', number).execute();
  for (const row of rows) {
    const kept = readAutoTxRow(row);
    if (kept === null) {
      await mendAutoTxs(trx, [row]);
      continue;
    }
    const facts = { nonce: kept.signed?.nonce ?? 0, confirmations: 1, now };
    const next = stepAutoTx(kept.state, { type: 'rewind', to: number }, facts);
    if (next === null) continue;
    const { state, notes } = next;
    await writeAutoTx(trx, kept, { autoTx: { ...kept, state, updatedAt: now }, notes, at: now });
  }
}

/** Another chain begins: what ended on the one before stays as it was, the rest is not mined on this one. */
export async function restartAutoTxs(trx: Queries, now: number): Promise<void> {
  const ended = await trx
    .updateTable('auto_txs')
    .set({ chain_block: null })
    .where('chain_block', 'is not', null)
    .where('status', 'in', ['EXECUTED', 'FAILED'])
    .returning('id')
    .execute();
  for (const { id } of ended) await dropSigned(trx, id);
  await rewindAutoTxs(trx, BEFORE_ALL, now);
}
