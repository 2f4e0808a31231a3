import type { Queries } from './schema.ts';

/** A page of what is forgotten, in one transaction: far fewer than SQLite takes parameters, and done within some ms. */
export const FORGOTTEN_AT_ONCE = 500;

/** Forgets deliveries, at most `FORGOTTEN_AT_ONCE`, with their tries; answers how many. */
export async function forgetDeliveries(trx: Queries, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0;
  await trx.deleteFrom('delivery_attempts').where('delivery_id', 'in', ids).execute();
  await trx.deleteFrom('deliveries').where('id', 'in', ids).execute();
  return ids.length;
}

/** What is still to be sent for an alert is not: it was deleted. Part of the caller's transaction. */
export async function cancelDeliveries(trx: Queries, alertId: string): Promise<void> {
  await trx
    .updateTable('deliveries')
    .set({ status: 'CANCELLED', next_attempt_at: null })
    .where('alert_id', '=', alertId)
    .where('status', '=', 'PENDING')
    .execute();
}

/** Forgets what was sent for an alert that is gone, at most a page of it; answers how many. Part of the caller's transaction. */
export async function forgetSent(trx: Queries, alertId: string): Promise<number> {
  const sent = await trx
    .selectFrom('deliveries')
    .select('id')
    .where('alert_id', '=', alertId)
    .limit(FORGOTTEN_AT_ONCE)
    .execute();
  return forgetDeliveries(
    trx,
    sent.map(({ id }) => id),
  );
}

/** The same of what was done with before `before`, ms since epoch. */
export async function forgetOld(trx: Queries, before: number): Promise<number> {
  const old = await trx
    .selectFrom('deliveries')
    .select('id')
    .where('next_attempt_at', 'is', null)
    .where('created_at', '<', before)
    .limit(FORGOTTEN_AT_ONCE)
    .execute();
  return forgetDeliveries(
    trx,
    old.map(({ id }) => id),
  );
}
