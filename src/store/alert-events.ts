import type { Queries } from './schema.ts';

const KEEP_MS = 90 * 86_400_000;
/** Of one alert, so that one that fires at every block leaves room for the others. */
const MOST_EVENTS = 1_000;
/** SQLite takes some thousand parameters; this is far below. */
const AT_ONCE = 500;

/**
 * Keeps the last 1,000 firings of each alert, and none that is older than 90 days at `now` (ms since epoch). With a firing
 * that was one too many goes what was sent for it, once that is done.
 */
export async function pruneAlertEvents(trx: Queries, now: number): Promise<void> {
  await trx
    .deleteFrom('alert_events')
    .where('triggered_at', '<', now - KEEP_MS)
    .execute();
  const crowded = await trx
    .selectFrom('alert_events')
    .select('alert_id')
    .groupBy('alert_id')
    .having((e) => e.fn.countAll(), '>', MOST_EVENTS)
    .execute();
  for (const { alert_id } of crowded) await pruneCrowded(trx, alert_id);
}

async function pruneCrowded(trx: Queries, alertId: string): Promise<void> {
  const rows = await trx
    .selectFrom('alert_events')
    .select('id')
    .where('alert_id', '=', alertId)
    .orderBy('triggered_at', 'desc')
    .orderBy('block_number', 'desc')
    .offset(MOST_EVENTS)
    .limit(Number.MAX_SAFE_INTEGER)
    .execute();
  const ids = rows.map(({ id }) => id);
  for (let at = 0; at < ids.length; at += AT_ONCE) await forget(trx, alertId, ids.slice(at, at + AT_ONCE));
}

async function forget(trx: Queries, alertId: string, eventIds: readonly string[]): Promise<void> {
  await trx.deleteFrom('alert_events').where('id', 'in', eventIds).execute();
  const gone = await trx
    .deleteFrom('deliveries')
    .where('alert_id', '=', alertId)
    .where('event_id', 'in', eventIds)
    .where('status', '<>', 'PENDING')
    .returning('id')
    .execute();
  for (let at = 0; at < gone.length; at += AT_ONCE) {
    const ids = gone.slice(at, at + AT_ONCE).map(({ id }) => id);
    await trx.deleteFrom('delivery_attempts').where('delivery_id', 'in', ids).execute();
  }
}
