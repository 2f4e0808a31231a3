import { sql } from 'kysely';
import type { Queries } from './schema.ts';
import { KEEP_SIGNED_BLOCKS } from './signed-rows.ts';

/** What has ended is kept up to so many of each owner. */
const MOST_FINISHED = 10_000;
/** In one transaction. */
const AT_ONCE = 100;

const IS_FINISHED = sql<boolean>`status in ('EXECUTED', 'CANCELLED', 'EXPIRED', 'FAILED')`;

/**
 * Forgets an owner's oldest that have ended beyond `most` of them, but none that may be mined: not what may be out, nor what
 * a reorg can bring back. What they saved stays counted. Part of the caller's transaction.
 */
export async function forgetFinished(trx: Queries, owner: string, most = MOST_FINISHED): Promise<void> {
  const { count } = await trx
    .selectFrom('auto_txs')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('owner', '=', owner)
    .where(IS_FINISHED)
    .executeTakeFirstOrThrow();
  const tooMany = Number(count) - most;
  if (tooMany <= 0) return;
  const head = await trx
    .selectFrom('blocks')
    .select((e) => e.fn.max<number | null>('number').as('number'))
    .executeTakeFirst();
  const below = (head?.number ?? 0) - KEEP_SIGNED_BLOCKS;
  const rows = await trx
    .selectFrom('auto_txs')
    .select('id')
    .where('owner', '=', owner)
    .where(IS_FINISHED)
    .where('may_be_out', '=', 0)
    .where((e) => e.or([e('chain_block', 'is', null), e('chain_block', '<', below)]))
    .orderBy('created_at')
    .orderBy('id')
    .limit(Math.min(tooMany, AT_ONCE))
    .execute();
  for (const { id } of rows) await forgetAutoTx(trx, id);
}

/** Forgets one with its bytes and what happened to it. Part of the caller's transaction. */
export async function forgetAutoTx(trx: Queries, id: string): Promise<void> {
  await trx.deleteFrom('auto_txs').where('id', '=', id).execute();
  await trx.deleteFrom('auto_tx_events').where('auto_tx_id', '=', id).execute();
  await trx.deleteFrom('signed_transactions').where('auto_tx_id', '=', id).execute();
}
