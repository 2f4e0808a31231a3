import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { DISABLED } from '../core/alerts/alert-rule.ts';
import type { AlertMessage } from '../core/alerts/kept-alert.ts';
import { DISABLED_COLUMNS } from './alert-row.ts';
import { dropSame, keptDeliveries, logAttempt } from './delivery-rows.ts';
import { FORGOTTEN_AT_ONCE, forgetOld } from './forget-deliveries.ts';
import type { DueDelivery, KeptAttempt, KeptDelivery, PendingDelivery, Verdict } from './kept-delivery.ts';
import type { Database } from './open-database.ts';
import type { Queries } from './schema.ts';
import { whileBusy } from './while-busy.ts';

/** How long what was sent is kept once it is done. */
export const KEEP_DELIVERIES_MS = 90 * 86_400_000;

/** No receiver is given more time between two tries: six hours, and some for the clock's own mistakes. */
const PUT_OFF_MOST_MS = 7 * 3_600_000;
/** How many deliveries of one alert are told. */
const NEWEST_DELIVERIES = 50;
const SECRET_BYTES = 32;

/** What fired alerts have to send, and what came of it. Every method rejects with a `StoreError`. */
export class OutboxStore {
  readonly #queries: Queries;
  readonly #name: string;
  readonly #durably: Database['durably'];

  constructor(database: Database) {
    this.#queries = database.queries;
    this.#name = database.name;
    this.#durably = database.durably;
  }

  /** What is due at `now` (ms since epoch), the longest due first, at most `limit`, behind `after`. */
  due(now: number, limit: number, after: DueDelivery | null = null): Promise<DueDelivery[]> {
    return this.#attempt(async (db) => {
      const due = db
        .selectFrom('deliveries')
        .leftJoin('alerts', 'alerts.id', 'deliveries.alert_id')
        .select(['deliveries.id', 'owner', 'channel', 'target', 'next_attempt_at'])
        .where('next_attempt_at', '<=', now);
      const rows = await (after === null
        ? due
        : due.where((e) =>
            e.or([
              e('next_attempt_at', '>', after.dueAt),
              e.and([e('next_attempt_at', '=', after.dueAt), e('deliveries.id', '>', after.id)]),
            ]),
          )
      )
        .orderBy('next_attempt_at')
        .orderBy('deliveries.id')
        .limit(limit)
        .execute();
      return rows.map(({ id, owner, channel, target, next_attempt_at }) => ({
        id,
        owner: owner ?? '',
        channel,
        target,
        dueAt: next_attempt_at ?? now,
      }));
    });
  }

  /** When the next is due that is not due at `now`; `null`: none waits. */
  async nextDueAt(now: number): Promise<number | null> {
    const row = await this.#attempt((db) =>
      db
        .selectFrom('deliveries')
        .select('next_attempt_at')
        .where('next_attempt_at', '>', now)
        .orderBy('next_attempt_at')
        .limit(1)
        .executeTakeFirst(),
    );
    return row?.next_attempt_at ?? null;
  }

  /** A delivery that is to be sent at `now` (ms since epoch); `null`: it no longer is, or not yet. */
  async pending(id: string, now: number): Promise<PendingDelivery | null> {
    const row = await this.#attempt((db) =>
      db
        .selectFrom('deliveries')
        .selectAll()
        .select((e) =>
          e
            .exists(e.selectFrom('delivery_attempts').select('at').where('delivery_id', '=', id))
            .as('was_tried'),
        )
        .where('id', '=', id)
        .where('status', '=', 'PENDING')
        .where('next_attempt_at', '<=', now)
        .executeTakeFirst(),
    );
    if (row === undefined) return null;
    const { channel, target, tries } = row;
    const message = JSON.parse(row.message) as AlertMessage;
    return {
      id,
      channel,
      target,
      message,
      tries,
      triesSince: row.tries_since,
      isUntouched: Number(row.was_tried) === 0,
    };
  }

  /**
   * Takes down what came of an attempt. What was cancelled, or asked for again, while it was under way stays so: only
   * the attempt is kept then. One transaction.
   */
  record(sent: PendingDelivery, attempt: KeptAttempt, verdict: Verdict): Promise<void> {
    return this.#transaction(async (trx) => {
      const known = trx.selectFrom('deliveries').select('id').where('id', '=', sent.id);
      // Its alert was deleted while it was under way: nothing of it is to be kept.
      if ((await known.executeTakeFirst()) === undefined) return;
      const waits = verdict.kind === 'waits';
      if (waits) await dropSame(trx, sent.id, attempt);
      await logAttempt(trx, sent.id, attempt);
      const isFirst = waits ? sent.isUntouched : sent.tries === 0;
      const { numUpdatedRows } = await trx
        .updateTable('deliveries')
        .set({
          status: statusAfter(verdict),
          tries: sent.tries + (waits ? 0 : 1),
          // The day of trying begins with the first try: a process that slept, or a courier that was missing, takes
          // nothing of it.
          tries_since: isFirst ? attempt.at : sent.triesSince,
          next_attempt_at: 'at' in verdict ? verdict.at : null,
        })
        .where('id', '=', sent.id)
        .where('status', '=', 'PENDING')
        .where('tries_since', '=', sent.triesSince)
        .executeTakeFirstOrThrow();
      if (numUpdatedRows === 0n || verdict.kind !== 'gone') return;
      await disableAlert(trx, sent.message.alertId, verdict.reason, attempt.at);
      await trx
        .updateTable('deliveries')
        .set({ status: 'CANCELLED', next_attempt_at: null })
        .where('alert_id', '=', sent.message.alertId)
        .where('channel', '=', sent.channel)
        .where('status', '=', 'PENDING')
        .execute();
    });
  }

  /**
   * Has a delivery of this alert sent again at `now` (ms since epoch), whatever became of it, under the same id and with
   * all its tries; `null`: the alert has no such delivery. What needs no sending (TERMINAL) stays as it is. Once this
   * resolves no power cut takes it.
   */
  redeliver(alertId: string, id: string, now: number): Promise<KeptDelivery | null> {
    const work = async (trx: Queries) => {
      await trx
        .updateTable('deliveries')
        .set({ status: 'PENDING', tries: 0, tries_since: now, next_attempt_at: now })
        .where('id', '=', id)
        .where('alert_id', '=', alertId)
        .where('channel', '<>', 'TERMINAL')
        .execute();
      return findDelivery(trx, alertId, id);
    };
    return whileBusy(this.#name, () => this.#durably(work));
  }

  /** One delivery of an alert; `null`: it has none of this id. */
  delivery(alertId: string, id: string): Promise<KeptDelivery | null> {
    return this.#attempt((db) => findDelivery(db, alertId, id));
  }

  /** What has only waited for a courier of these channels is due at `now` (ms since epoch): somebody has them now. */
  async wakeWaiting(channels: readonly string[], now: number): Promise<void> {
    await this.#attempt((db) =>
      db
        .updateTable('deliveries')
        .set({ next_attempt_at: now })
        .where('next_attempt_at', '>', now)
        .where('tries', '=', 0)
        .where('channel', 'in', channels)
        .execute(),
    );
  }

  /**
   * What is due further ahead than anything is put off is due at `now` (ms since epoch): the clock it was put off by went
   * wrong.
   */
  async bringForward(now: number): Promise<void> {
    const [stray] = await this.#attempt((db) =>
      db
        .selectFrom('deliveries')
        .select('id')
        .where('next_attempt_at', '>', now + PUT_OFF_MOST_MS)
        .limit(1)
        .execute(),
    );
    if (stray === undefined) return;
    await this.#attempt((db) =>
      db
        .updateTable('deliveries')
        .set({ next_attempt_at: now, tries_since: now })
        .where('next_attempt_at', '>', now + PUT_OFF_MOST_MS)
        .execute(),
    );
  }

  /** What was sent for an alert, newest first, at most 50. */
  deliveries(alertId: string): Promise<KeptDelivery[]> {
    return this.#attempt(async (db) => {
      const rows = await db
        .selectFrom('deliveries')
        .selectAll()
        .where('alert_id', '=', alertId)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(NEWEST_DELIVERIES)
        .execute();
      return keptDeliveries(db, rows);
    });
  }

  /** What webhooks of this owner are signed with; made when it is first asked for. */
  signingSecret(owner: string): Promise<string> {
    return this.#attempt(async (db) => {
      const known = db.selectFrom('signing_secrets').select('secret').where('owner', '=', owner);
      const before = await known.executeTakeFirst();
      if (before !== undefined) return before.secret;
      await db
        .insertInto('signing_secrets')
        .values({ owner, secret: `whsec_${randomBytes(SECRET_BYTES).toString('base64url')}` })
        // Another process may have been quicker.
        .onConflict((conflict) => conflict.column('owner').doNothing())
        .execute();
      return (await known.executeTakeFirstOrThrow()).secret;
    });
  }

  /** Forgets what was done with long before `now` (ms since epoch): a page at a time, so that others get a word in. */
  async prune(now: number): Promise<void> {
    const before = now - KEEP_DELIVERIES_MS;
    while ((await this.#transaction((trx) => forgetOld(trx, before))) === FORGOTTEN_AT_ONCE) {
      await setImmediate();
    }
  }

  #transaction<Result>(work: (trx: Queries) => Promise<Result>): Promise<Result> {
    return this.#attempt((db) => db.transaction().execute(work));
  }

  #attempt<Result>(work: (db: Queries) => Promise<Result>): Promise<Result> {
    return whileBusy(this.#name, () => work(this.#queries));
  }
}

async function findDelivery(db: Queries, alertId: string, id: string): Promise<KeptDelivery | null> {
  const rows = await db
    .selectFrom('deliveries')
    .selectAll()
    .where('id', '=', id)
    .where('alert_id', '=', alertId)
    .execute();
  return (await keptDeliveries(db, rows))[0] ?? null;
}

function statusAfter({ kind }: Verdict): string {
  if (kind === 'again' || kind === 'waits') return 'PENDING';
  return kind === 'delivered' ? 'DELIVERED' : 'FAILED';
}

/** Somebody may have disabled it before, for a reason of their own. */
async function disableAlert(trx: Queries, id: string, reason: string, now: number): Promise<void> {
  await trx
    .updateTable('alerts')
    .set({ ...DISABLED_COLUMNS, disabled_reason: reason, updated_at: now })
    .where('id', '=', id)
    .where('phase', '<>', DISABLED.kind)
    .execute();
}
