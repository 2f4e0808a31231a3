import { setImmediate } from 'node:timers/promises';
import { FORGOTTEN_AT_ONCE, forgetDeliveries } from './forget-deliveries.ts';
import type { Queries } from './schema.ts';

const KEEP_MS = 90 * 86_400_000;
/** Of one alert, so that one that fires at every block leaves room for the others. */
const MOST_EVENTS = 1_000;
/** Whose firings are counted at once. */
const ALERTS_AT_ONCE = 20;

/** Runs some work in a transaction of its own. */
export type InTransaction = <Result>(work: (trx: Queries) => Promise<Result>) => Promise<Result>;

/**
 * Keeps the last 1,000 firings of each alert, and none that is older than 90 days at `now` (ms since epoch). With a firing
 * that was one too many goes what was sent for it, once that is done. A page at a time, each in a transaction of its own,
 * so that blocks are written and requests answered in between.
 */
export async function pruneAlertEvents(transaction: InTransaction, now: number): Promise<void> {
  while ((await transaction((trx) => forgetOld(trx, now - KEEP_MS))) === FORGOTTEN_AT_ONCE) {
    await setImmediate();
  }
  for (let after: string | null = ''; after !== null; ) {
    const counted: EventCount[] = await transaction((trx) => countEvents(trx, after ?? ''));
    for (const { alert_id, count } of counted) {
      if (count > MOST_EVENTS) await pruneCrowded(transaction, alert_id);
    }
    after = counted.at(-1)?.alert_id ?? null;
    await setImmediate();
  }
}

async function forgetOld(trx: Queries, before: number): Promise<number> {
  const old = await trx
    .selectFrom('alert_events')
    .select('id')
    .where('triggered_at', '<', before)
    .limit(FORGOTTEN_AT_ONCE)
    .execute();
  if (old.length > 0) await deleteEvents(trx, old);
  return old.length;
}

interface EventCount {
  readonly alert_id: string;
  readonly count: number;
}

function countEvents(trx: Queries, after: string): Promise<EventCount[]> {
  return trx
    .selectFrom('alert_events')
    .select((e) => ['alert_id', e.fn.countAll<number>().as('count')])
    .where('alert_id', '>', after)
    .groupBy('alert_id')
    .orderBy('alert_id')
    .limit(ALERTS_AT_ONCE)
    .execute();
}

async function pruneCrowded(transaction: InTransaction, alertId: string): Promise<void> {
  while ((await transaction((trx) => forgetCrowded(trx, alertId))) === FORGOTTEN_AT_ONCE) {
    await setImmediate();
  }
}

async function forgetCrowded(trx: Queries, alertId: string): Promise<number> {
  const events = await trx
    .selectFrom('alert_events')
    .select('id')
    .where('alert_id', '=', alertId)
    .orderBy('triggered_at', 'desc')
    .orderBy('block_number', 'desc')
    .offset(MOST_EVENTS)
    .limit(FORGOTTEN_AT_ONCE)
    .execute();
  if (events.length === 0) return 0;
  await deleteEvents(trx, events);
  const sent = await trx
    .selectFrom('deliveries')
    .select('id')
    .where(
      'event_id',
      'in',
      events.map(({ id }) => id),
    )
    .where('status', '<>', 'PENDING')
    .execute();
  for (let at = 0; at < sent.length; at += FORGOTTEN_AT_ONCE) {
    await forgetDeliveries(
      trx,
      sent.slice(at, at + FORGOTTEN_AT_ONCE).map(({ id }) => id),
    );
  }
  return events.length;
}

async function deleteEvents(trx: Queries, events: readonly { readonly id: string }[]): Promise<void> {
  await trx
    .deleteFrom('alert_events')
    .where(
      'id',
      'in',
      events.map(({ id }) => id),
    )
    .execute();
}
