import { type SelectQueryBuilder, sql } from 'kysely';
import type { AlertMessage, StoredAlert } from '../core/alerts/alert-rule.ts';
import type { Block } from '../core/block.ts';
import { thresholdText } from '../core/threshold/threshold.ts';
import { DAY_MS, HOUR_MS } from '../core/time.ts';
import { disableAlerts, toStoredAlert } from './alert-rows.ts';
import { integer, maybeCell } from './columns.ts';
import { Store } from './database.ts';
import { tallyFirings } from './firing-tallies.ts';
import type { ReferencePrices } from './history.ts';
import { inPages, isPostgres, pagesOf, type Queries, readRows, type Tables } from './tables.ts';

interface Firing {
  readonly alert: StoredAlert;
  readonly price: bigint;
}

/** Where alerts fired. `now`: of the first delivery attempt, ms since epoch, wall clock. */
export interface FiringBlock {
  readonly block: Block;
  readonly reference: ReferencePrices | null;
  readonly chain: Pick<AlertMessage, 'chainId' | 'chainName' | 'sourceKind'>;
  readonly nativeUsd: number | null;
  readonly now: number;
}

/** Writes firings, each once, and their deliveries: the outbox. One that exists was delivered before, which is no error. */
export async function insertFirings(trx: Queries, firings: readonly Firing[], at: FiringBlock) {
  for (const page of pagesOf(firings.map((firing) => eventRow(firing, at)))) {
    const events = trx.insertInto('alert_events').values(page);
    const written = events.onConflict((conflict) => conflict.doNothing()).returningAll();
    await tallyFirings(trx, await written.execute());
  }
  const deliveries = firings.flatMap((firing) => deliveryRows(firing, at));
  for (const page of pagesOf(deliveries)) {
    const outbox = trx.insertInto('deliveries').values(page);
    await outbox.onConflict((conflict) => conflict.doNothing()).execute();
  }
  const attempts = deliveries.filter(({ channel }) => channel === 'TERMINAL').map(shown);
  for (const page of pagesOf(attempts)) await trx.insertInto('delivery_attempts').values(page).execute();
  await forgetBeyond(trx, firings);
}

const eventId = ({ id, triggerCount }: Pick<StoredAlert, 'id' | 'triggerCount'>) => `${id}.${triggerCount}`;

/** One firing. `triggered_at`: block time, ms; `id`: the alert's id, a dot, and the number of its firing. */
export type AlertEventRow = ReturnType<typeof eventRow>;

function eventRow({ alert, price }: Firing, { block, reference, nativeUsd }: FiringBlock) {
  const { lane } = alert.rule;
  return {
    id: eventId(alert),
    alert_id: alert.id,
    owner: alert.owner,
    block_number: block.number,
    block_hash: maybeCell(block.hash, String),
    triggered_at: Math.floor(block.timestamp) * 1_000,
    condition: String(alert.rule.condition),
    price: integer(price),
    // What blobs cost before is not summed up.
    reference_price: lane === 'blob' || reference === null ? null : reference[lane],
    native_usd: nativeUsd,
  };
}

/** A delivery of one firing to one channel. Times in ms. Its id is the idempotency key. */
export type DeliveryRow = ReturnType<typeof deliveryRows>[number];

function deliveryRows({ alert, price }: Firing, { block, chain, now }: FiringBlock) {
  const { rule } = alert;
  const message: AlertMessage = {
    eventId: eventId(alert),
    alertId: alert.id,
    owner: alert.owner,
    ...chain,
    lane: rule.lane,
    condition: rule.condition,
    threshold: String(rule.threshold),
    ...(rule.relative != null && { rule: thresholdText(rule.relative.written) }),
    price: String(price),
    blockNumber: block.number,
    blockTimestamp: Math.floor(block.timestamp),
    note: alert.note,
    triggerCount: alert.triggerCount,
  };
  const text = JSON.stringify(message);
  return [...new Set(alert.channels)].map((channel) => {
    const isShown = channel === 'TERMINAL';
    return {
      id: `${message.eventId}.${channel.toLowerCase()}`,
      event_id: message.eventId,
      alert_id: alert.id,
      channel: String(channel),
      target: alert.targets[channel] ?? '',
      message: text,
      status: String(isShown ? 'DELIVERED' : 'PENDING'),
      created_at: now,
      // Since `tries_since`: the time of the firing, or of a manual retry.
      tries: Number(isShown),
      tries_since: now,
      next_attempt_at: isShown ? null : now,
    };
  });
}

export type DeliveryAttemptRow = ReturnType<typeof shown>;

/** Monitors show firings themselves. */
const shown = ({ id, created_at }: DeliveryRow) => ({
  delivery_id: id,
  at: created_at,
  latency_ms: 0,
  ok: 1,
  answer: 'shown by every running monitor',
});

/** Of one alert, so that an alert that fires at every block leaves room for the others. */
export const MOST_EVENTS = 1_000;

/** Deletes the firings that these push beyond the limit of their alert, with their deliveries that are done. */
async function forgetBeyond(trx: Queries, firings: readonly Firing[]): Promise<void> {
  const ids = firings.flatMap(({ alert: { id, triggerCount } }) =>
    triggerCount > MOST_EVENTS ? [eventId({ id, triggerCount: triggerCount - MOST_EVENTS })] : [],
  );
  if (ids.length === 0) return;
  await trx.deleteFrom('alert_events').where('id', 'in', ids).execute();
  const sent = trx.selectFrom('deliveries').where('event_id', 'in', ids).where('status', '<>', 'PENDING');
  await inPages((limit) => forgetDeliveries(trx, sent.limit(limit)));
}

/** Deliveries stay as long. */
export const KEEP_FIRINGS_MS = 90 * DAY_MS;

/** Deletes firings older than 90 days at `now` (ms since epoch), page by page: blocks are written in between. */
export const pruneFirings = (
  transaction: (work: (trx: Queries) => Promise<number>) => Promise<number>,
  now: number,
): Promise<void> =>
  inPages((limit) =>
    transaction(async (trx) => {
      const events = trx.selectFrom('alert_events').select('id').limit(limit);
      const old = events.where('triggered_at', '<', now - KEEP_FIRINGS_MS);
      const page = trx.deleteFrom('alert_events').where('id', 'in', old);
      return Number((await page.executeTakeFirstOrThrow()).numDeletedRows);
    }),
  );

export interface StoredAttempt {
  /** When it began, ms since epoch. */
  readonly at: number;
  readonly latencyMs: number;
  readonly ok: boolean;
  readonly answer: string;
}

export type StoredDelivery = Awaited<ReturnType<typeof withAttempts>>[number];

export interface DueDelivery {
  readonly id: string;
  /** The id of the API key that owns the alert, empty for the operator. */
  readonly owner: string;
  readonly channel: string;
  readonly target: string;
  readonly dueAt: number;
}

export type TakenDelivery = NonNullable<Awaited<ReturnType<OutboxStore['take']>>>;

export type AttemptOutcome =
  | { readonly kind: 'again'; readonly at: number }
  /** This process has no notifier for the channel; that does not count as an attempt. */
  | { readonly kind: 'waits'; readonly at: number }
  | { readonly kind: 'delivered' }
  | { readonly kind: 'failed' }
  /** Its channel was not set up in its time. */
  | { readonly kind: 'cancelled' }
  /** The recipient refuses the alert for good, which disables it for this reason. */
  | { readonly kind: 'gone'; readonly reason: string };

const STATUS_OF: Readonly<Record<AttemptOutcome['kind'], string>> = {
  again: 'PENDING',
  waits: 'PENDING',
  delivered: 'DELIVERED',
  failed: 'FAILED',
  gone: 'FAILED',
  cancelled: 'CANCELLED',
};

const MOST_ATTEMPTS = 20;

async function logAttempt(trx: Queries, id: string, { at, latencyMs, ok, answer }: StoredAttempt) {
  const row = { delivery_id: id, at, latency_ms: Math.round(latencyMs), ok: ok ? 1 : 0, answer };
  await trx.insertInto('delivery_attempts').values(row).execute();
  await sql`delete from delivery_attempts where delivery_id = ${id} and at < (
    select at from delivery_attempts where delivery_id = ${id}
    order by at desc limit 1 offset ${MOST_ATTEMPTS - 1})`.execute(trx);
}

const deliveriesOf = (db: Queries, alertId: string) =>
  db
    .selectFrom('deliveries')
    .select(['id', 'event_id as eventId', 'alert_id as alertId', 'channel', 'target', 'status'])
    .select(['created_at as createdAt', 'next_attempt_at as nextAttemptAt'])
    .where('alert_id', '=', alertId);

/** For people. Times in ms since epoch; without a next attempt it is done. */
async function withAttempts(db: Queries, query: ReturnType<typeof deliveriesOf>) {
  const rows = await query.execute();
  const ids = rows.map(({ id }) => id);
  const attempts = db
    .selectFrom('delivery_attempts')
    .select(['delivery_id as id', 'at', 'latency_ms as latencyMs', 'ok', 'answer'])
    .where('delivery_id', 'in', ids);
  const byDelivery = Map.groupBy(await attempts.orderBy('at', 'desc').execute(), ({ id }) => id);
  return rows.map((row) => {
    const newest = (byDelivery.get(row.id) ?? []).slice(0, MOST_ATTEMPTS);
    return { ...row, attempts: newest.map(({ id: _, ok, ...attempt }) => ({ ...attempt, ok: ok === 1 })) };
  });
}

/** Deletes these deliveries with their attempts; returns their number. Part of the caller's transaction. */
export async function forgetDeliveries(
  trx: Queries,
  these: SelectQueryBuilder<Tables, 'deliveries', object>,
): Promise<number> {
  const ids = (await these.select('id').execute()).map(({ id }) => id);
  await trx.deleteFrom('delivery_attempts').where('delivery_id', 'in', ids).execute();
  await trx.deleteFrom('deliveries').where('id', 'in', ids).execute();
  return ids.length;
}

/** Cancels pending deliveries, which the caller chooses. Part of the caller's transaction. */
export const cancelDeliveries = (trx: Queries) =>
  trx
    .updateTable('deliveries')
    .set({ status: 'CANCELLED', next_attempt_at: null })
    .where('status', '=', 'PENDING');

/** Longest time between two attempts: six hours, and one for clock errors. */
const PUT_OFF_MOST_MS = 7 * HOUR_MS;
const NEWEST_DELIVERIES = 50;
/** Longer than any attempt: afterwards the process that took it has ended. */
const TAKEN_MS = 60_000;

/** A file has one writer, and needs no locks. */
const locked = <Query extends { forUpdate(): Query }>(query: Query): Query => query.forUpdate();

const wasTried = sql<boolean>`exists (select 1 from delivery_attempts where delivery_id = deliveries.id)`;

export class OutboxStore extends Store {
  /** Deliveries due at `now` (ms since epoch), the longest due first, at most `limit`, after `after`. */
  due(now: number, limit: number, after: DueDelivery | null = null): Promise<DueDelivery[]> {
    const { dueAt, id } = after ?? { dueAt: 0, id: '' };
    const due = sql<DueDelivery>`
      select deliveries.id, coalesce(owner, '') as owner, channel, target, next_attempt_at as "dueAt"
      from deliveries left join alerts on alerts.id = alert_id
      where next_attempt_at <= ${now} and (next_attempt_at, deliveries.id) > (${dueAt}, ${id})
      order by next_attempt_at, deliveries.id limit ${limit}`;
    return this.database.run(async (db) => (await due.execute(db)).rows);
  }

  async nextDueAt(now: number): Promise<number | null> {
    const next = sql<{ at: number | null }>`
      select min(next_attempt_at) as at from deliveries where next_attempt_at > ${now}`;
    return (await this.database.run((db) => next.execute(db))).rows[0]?.at ?? null;
  }

  /** A delivery that is due at `now` (ms); on a server it is taken, so that others have it only after the longest attempt. */
  async take(id: string, now: number) {
    const until = this.isOnServer ? now + TAKEN_MS : now;
    const row = await this.database.lockingTransaction(async (db) => {
      if (this.isOnServer) {
        const { numAffectedRows } = await sql`
          update deliveries set next_attempt_at = ${until} where id in (
            select id from deliveries where id = ${id} and status = 'PENDING' and next_attempt_at <= ${now}
            for update skip locked)`.execute(db);
        if (numAffectedRows !== 1n) return undefined;
      }
      const due = db.selectFrom('deliveries').selectAll().select(wasTried.as('was_tried'));
      const mine = due.where('id', '=', id).where('status', '=', 'PENDING');
      return mine.where('next_attempt_at', '<=', until).executeTakeFirst();
    });
    if (row === undefined) return null;
    const { channel, target, tries, tries_since: triesSince } = row;
    const message = JSON.parse(row.message) as AlertMessage;
    return { id, channel, target, message, tries, triesSince, isUntouched: !row.was_tried };
  }

  /**
   * Stores the result of an attempt. A cancellation or retry from the meantime stays: only the attempt is added then.
   * It locks the rows that it reads: serializable transactions of many sending processes would conflict.
   */
  record(sent: TakenDelivery, attempt: StoredAttempt, outcome: AttemptOutcome): Promise<void> {
    const keep = async (trx: Queries) => {
      const state = trx.selectFrom('deliveries').select(['status', 'tries', 'tries_since']);
      const known = state.where('id', '=', sent.id);
      const row = await known.$if(isPostgres(trx), locked).executeTakeFirst();
      // Its alert was deleted meanwhile, so nothing is stored.
      if (row === undefined) return;
      const isAsSent =
        row.status === 'PENDING' && row.tries === sent.tries && row.tries_since === sent.triesSince;
      const stored = trx.selectFrom('delivery_attempts').select('at').where('delivery_id', '=', sent.id);
      // It was stored before, and the answer of the server was lost.
      if (!isAsSent && (await stored.where('at', '=', attempt.at).executeTakeFirst()) !== undefined) return;
      const waits = outcome.kind === 'waits';
      // Earlier attempts with the same response say no more.
      const same = trx.deleteFrom('delivery_attempts').where('delivery_id', '=', sent.id).where('ok', '=', 0);
      if (waits) await same.where('answer', '=', attempt.answer).execute();
      await logAttempt(trx, sent.id, attempt);
      // Its time of attempts starts with the first one: the time without a process or a notifier does not count.
      const isFirst = waits ? sent.isUntouched : sent.tries === 0;
      const { numUpdatedRows } = await trx
        .updateTable('deliveries')
        .set({
          status: STATUS_OF[outcome.kind],
          tries: sent.tries + (waits ? 0 : 1),
          tries_since: isFirst ? attempt.at : sent.triesSince,
          next_attempt_at: 'at' in outcome ? outcome.at : null,
        })
        .where('id', '=', sent.id)
        .where('status', '=', 'PENDING')
        .where('tries_since', '=', sent.triesSince)
        .executeTakeFirstOrThrow();
      if (numUpdatedRows > 0n && outcome.kind === 'gone')
        await endRecipient(trx, sent, outcome.reason, attempt.at);
    };
    return this.database.lockingTransaction(keep);
  }

  /** Cancels what waits for this delivery's channel, of all firings of its alert but the newest, at `at` (ms). */
  cancelOlder({ channel, message: { alertId } }: TakenDelivery, at: number, answer: string): Promise<void> {
    return this.database.transaction(async (trx) => {
      const waiting = trx.selectFrom('deliveries').select('id').where('alert_id', '=', alertId);
      const ofChannel = waiting
        .where('channel', '=', channel)
        .where('status', '=', 'PENDING')
        .where('tries', '=', 0);
      const rows = await ofChannel.orderBy('created_at', 'desc').orderBy('id', 'desc').execute();
      for (const { id } of rows.slice(1)) {
        await cancelDeliveries(trx).where('id', '=', id).execute();
        await logAttempt(trx, id, { at, latencyMs: 0, ok: false, answer });
      }
    });
  }

  /** Makes a delivery due again at `now` (ms), in any state, with the same id; `null` when the alert has none such. */
  redeliver(alertId: string, id: string, now: number): Promise<StoredDelivery | null> {
    return this.database.transaction(async (trx) => {
      const again = { status: 'PENDING', tries: 0, tries_since: now, next_attempt_at: now };
      const all = trx.updateTable('deliveries').set(again).where('channel', '<>', 'TERMINAL');
      await all.where('id', '=', id).where('alert_id', '=', alertId).execute();
      return findDelivery(trx, alertId, id);
    });
  }

  delivery(alertId: string, id: string): Promise<StoredDelivery | null> {
    return this.database.run((db) => findDelivery(db, alertId, id));
  }

  deliveries(alertId: string): Promise<StoredDelivery[]> {
    return this.database.run((db) => {
      const newest = deliveriesOf(db, alertId).orderBy('created_at', 'desc').orderBy('id', 'desc');
      return withAttempts(db, newest.limit(NEWEST_DELIVERIES));
    });
  }

  /** Makes deliveries due at `now` (ms since epoch) that only waited for a notifier of these channels. */
  async wakeWaiting(channels: readonly string[], now: number): Promise<void> {
    await this.database.run((db) => {
      const all = db.updateTable('deliveries').set({ next_attempt_at: now });
      const later = all.where('next_attempt_at', '>', now).where('channel', 'in', channels);
      // A waiting delivery has an attempt with the reason; one being sent has none.
      return later.where('tries', '=', 0).where(wasTried).execute();
    });
  }

  /** Makes deliveries due at `now` (ms since epoch) whose next attempt is too far ahead, because a clock was wrong. */
  async bringForward(now: number): Promise<void> {
    await this.database.lockingTransaction((trx) => {
      const anew = trx.updateTable('deliveries').set({ next_attempt_at: now, tries_since: now });
      return anew.where('next_attempt_at', '>', now + PUT_OFF_MOST_MS).execute();
    });
  }

  /** Deletes deliveries completed long before `now` (ms since epoch), page by page: other writes run in between. */
  async prune(now: number): Promise<void> {
    await inPages((limit) =>
      this.database.transaction((trx) => {
        const done = trx.selectFrom('deliveries').where('next_attempt_at', 'is', null);
        return forgetDeliveries(trx, done.where('created_at', '<', now - KEEP_FIRINGS_MS).limit(limit));
      }),
    );
  }
}

const findDelivery = async (db: Queries, alertId: string, id: string) =>
  (await withAttempts(db, deliveriesOf(db, alertId).where('id', '=', id)))[0] ?? null;

/** Disables the alert, unless it has another recipient by now, and cancels what else the recipient was to get. */
async function endRecipient(
  trx: Queries,
  { channel, target, message: { alertId } }: TakenDelivery,
  reason: string,
  now: number,
): Promise<void> {
  const alert = trx.selectFrom('alerts').selectAll().where('id', '=', alertId);
  const [stored] = readRows(await alert.$if(isPostgres(trx), locked).execute(), toStoredAlert);
  if (stored?.targets[channel] === target)
    await disableAlerts(trx, reason, now).where('id', '=', alertId).execute();
  const others = cancelDeliveries(trx).where('alert_id', '=', alertId);
  await others.where('channel', '=', channel).where('target', '=', target).execute();
}
