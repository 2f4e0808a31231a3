import type { DeliveryAttemptRow, DeliveryRow } from './alert-schema.ts';
import type { KeptAttempt, KeptDelivery } from './kept-delivery.ts';
import type { Queries } from './schema.ts';

/** How many tries of one delivery are kept: its newest. */
const KEPT_ATTEMPTS = 20;

/** Keeps one more try, and forgets the oldest where there are too many. */
export async function logAttempt(trx: Queries, deliveryId: string, attempt: KeptAttempt): Promise<void> {
  await trx
    .insertInto('delivery_attempts')
    .values({
      delivery_id: deliveryId,
      at: attempt.at,
      latency_ms: Math.round(attempt.latencyMs),
      ok: attempt.ok ? 1 : 0,
      answer: attempt.answer,
    })
    .execute();
  const oldest = await trx
    .selectFrom('delivery_attempts')
    .select('at')
    .where('delivery_id', '=', deliveryId)
    .orderBy('at', 'desc')
    .offset(KEPT_ATTEMPTS - 1)
    .limit(1)
    .executeTakeFirst();
  if (oldest === undefined) return;
  await trx
    .deleteFrom('delivery_attempts')
    .where('delivery_id', '=', deliveryId)
    .where('at', '<', oldest.at)
    .execute();
}

/** Forgets the tries that said the same as this one, which stands for them. */
export async function dropSame(trx: Queries, deliveryId: string, { answer }: KeptAttempt): Promise<void> {
  await trx
    .deleteFrom('delivery_attempts')
    .where('delivery_id', '=', deliveryId)
    .where('ok', '=', 0)
    .where('answer', '=', answer)
    .execute();
}

/** Rows with their tries, in the rows' order. */
export async function keptDeliveries(db: Queries, rows: readonly DeliveryRow[]): Promise<KeptDelivery[]> {
  if (rows.length === 0) return [];
  const attempts = await db
    .selectFrom('delivery_attempts')
    .selectAll()
    .where(
      'delivery_id',
      'in',
      rows.map(({ id }) => id),
    )
    .orderBy('at', 'desc')
    .execute();
  const byDelivery = Map.groupBy(attempts, (attempt) => attempt.delivery_id);
  return rows.map((row) => toKeptDelivery(row, byDelivery.get(row.id) ?? []));
}

function toKeptDelivery(row: DeliveryRow, attempts: readonly DeliveryAttemptRow[]): KeptDelivery {
  return {
    id: row.id,
    eventId: row.event_id,
    alertId: row.alert_id,
    channel: row.channel,
    target: row.target,
    status: row.status,
    createdAt: row.created_at,
    nextAttemptAt: row.next_attempt_at,
    attempts: attempts
      .slice(0, KEPT_ATTEMPTS)
      .map(({ at, latency_ms, ok, answer }) => ({ at, latencyMs: latency_ms, ok: ok === 1, answer })),
  };
}
