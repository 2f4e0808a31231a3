import { type Kysely, SqliteAdapter, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { columnTypes } from './column-types.ts';

/** Alerts, what fired, what is sent for it, and who acts on this database. */
export const alerts: Migration = {
  async up(db: Kysely<unknown>) {
    const { text } = columnTypes(db);
    await db.schema
      .createTable('alerts')
      .ifNotExists()
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('owner', text, (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .addColumn('lane', text, (column) => column.notNull())
      .addColumn('condition', text, (column) => column.notNull())
      .addColumn('threshold', 'bigint', (column) => column.notNull())
      .addColumn('hysteresis', 'bigint', (column) => column.notNull())
      .addColumn('confirm_blocks', 'integer', (column) => column.notNull())
      .addColumn('cooldown_ms', 'bigint', (column) => column.notNull())
      .addColumn('disable_once', 'integer', (column) => column.notNull())
      .addColumn('method', text, (column) => column.notNull())
      .addColumn('channels', text, (column) => column.notNull())
      .addColumn('targets', text, (column) => column.notNull())
      .addColumn('note', text, (column) => column.notNull())
      .addColumn('phase', text, (column) => column.notNull())
      .addColumn('true_since', 'bigint')
      .addColumn('cooldown_until', 'bigint')
      .addColumn('has_left', 'integer', (column) => column.notNull())
      .addColumn('wake_at_most', 'bigint')
      .addColumn('wake_at_least', 'bigint')
      .addColumn('wake_block', 'bigint')
      .addColumn('wake_ms', 'bigint')
      .addColumn('trigger_count', 'integer', (column) => column.notNull())
      .addColumn('last_triggered_at', 'bigint')
      .addColumn('missed_count', 'integer', (column) => column.notNull())
      .addColumn('last_missed_at', 'bigint')
      .addColumn('disabled_reason', text)
      .execute();
    for (const wake of ['wake_at_most', 'wake_at_least', 'wake_block', 'wake_ms']) {
      await db.schema
        .createIndex(`alerts_${wake}`)
        .ifNotExists()
        .on('alerts')
        .columns(['lane', wake])
        .where(sql<boolean>`${sql.ref(wake)} is not null`)
        .execute();
    }
    await db.schema
      .createIndex('alerts_owner')
      .ifNotExists()
      .on('alerts')
      .columns(['owner', 'created_at', 'id'])
      .execute();
    await db.schema
      .createIndex('alerts_created')
      .ifNotExists()
      .on('alerts')
      .columns(['created_at', 'id'])
      .execute();
    // Few are disabled, and those are counted for every summary.
    await db.schema
      .createIndex('alerts_disabled')
      .ifNotExists()
      .on('alerts')
      .column('owner')
      .where(sql<boolean>`phase = 'disabled'`)
      .execute();

    await db.schema
      .createTable('alert_events')
      .ifNotExists()
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('alert_id', text, (column) => column.notNull())
      .addColumn('owner', text, (column) => column.notNull())
      .addColumn('block_number', 'bigint', (column) => column.notNull())
      .addColumn('block_hash', text)
      .addColumn('triggered_at', 'bigint', (column) => column.notNull())
      .addColumn('condition', text, (column) => column.notNull())
      .addColumn('price', 'bigint', (column) => column.notNull())
      .addColumn('reference_price', 'bigint')
      .addColumn('native_usd', 'double precision')
      .execute();
    await db.schema
      .createIndex('alert_events_alert')
      .ifNotExists()
      .on('alert_events')
      .columns(['alert_id', 'triggered_at'])
      .execute();
    await db.schema
      .createIndex('alert_events_time')
      .ifNotExists()
      .on('alert_events')
      .columns(['triggered_at', 'owner'])
      .execute();

    await db.schema
      .createTable('deliveries')
      .ifNotExists()
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('event_id', text, (column) => column.notNull())
      .addColumn('alert_id', text, (column) => column.notNull())
      .addColumn('channel', text, (column) => column.notNull())
      .addColumn('target', text, (column) => column.notNull())
      .addColumn('message', text, (column) => column.notNull())
      .addColumn('status', text, (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('tries', 'integer', (column) => column.notNull())
      .addColumn('tries_since', 'bigint', (column) => column.notNull())
      .addColumn('next_attempt_at', 'bigint')
      .execute();
    await db.schema
      .createIndex('deliveries_due')
      .ifNotExists()
      .on('deliveries')
      .column('next_attempt_at')
      .where(sql<boolean>`next_attempt_at is not null`)
      .execute();
    await db.schema
      .createIndex('deliveries_alert')
      .ifNotExists()
      .on('deliveries')
      .columns(['alert_id', 'created_at'])
      .execute();

    await db.schema
      .createTable('delivery_attempts')
      .ifNotExists()
      .addColumn('delivery_id', text, (column) => column.notNull())
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addColumn('latency_ms', 'integer', (column) => column.notNull())
      .addColumn('ok', 'integer', (column) => column.notNull())
      .addColumn('answer', text, (column) => column.notNull())
      .execute();
    await db.schema
      .createIndex('delivery_attempts_delivery')
      .ifNotExists()
      .on('delivery_attempts')
      .columns(['delivery_id', 'at'])
      .execute();

    await db.schema
      .createTable('signing_secrets')
      .ifNotExists()
      .addColumn('owner', text, (column) => column.primaryKey())
      .addColumn('secret', text, (column) => column.notNull())
      .execute();

    await db.schema
      .createTable('leases')
      .ifNotExists()
      .addColumn('name', text, (column) => column.primaryKey())
      .addColumn('holder', text, (column) => column.notNull())
      .addColumn('process', text, (column) => column.notNull())
      .addColumn('since', 'bigint', (column) => column.notNull())
      .addColumn('heartbeat_at', 'bigint', (column) => column.notNull())
      .execute();
  },
};

const HOUR_MS = 3_600_000;
const HALF = 1_000_000;

const saved = sql`case
  when condition = 'LESS_THAN' and reference_price > price then reference_price - price else 0 end`;

/** What each owner's firings come to hour by hour, and indexes that keep one owner's firings out of another's way. */
export const firingTallies: Migration = {
  async up(db: Kysely<unknown>) {
    const { text } = columnTypes(db);
    await db.schema
      .createTable('firing_tallies')
      .ifNotExists()
      .addColumn('owner', text, (column) => column.notNull())
      .addColumn('hour', 'bigint', (column) => column.notNull())
      .addColumn('firings', 'integer', (column) => column.notNull())
      .addColumn('saved_high', 'bigint', (column) => column.notNull())
      .addColumn('saved_low', 'bigint', (column) => column.notNull())
      .addColumn('usd', 'double precision', (column) => column.notNull())
      .addColumn('unpriced', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint('firing_tallies_pk', ['owner', 'hour'])
      .execute();
    await sql`
      insert into firing_tallies (owner, hour, firings, saved_high, saved_low, usd, unpriced)
      select owner, triggered_at - triggered_at % ${sql.lit(HOUR_MS)}, count(*),
        sum((${saved}) / ${sql.lit(HALF)}), sum((${saved}) % ${sql.lit(HALF)}),
        coalesce(sum((${saved}) * native_usd), 0),
        sum(case when native_usd is null and (${saved}) > 0 then 1 else 0 end)
      from alert_events group by 1, 2`.execute(db);
    await db.schema
      .createIndex('alert_events_owner')
      .ifNotExists()
      .on('alert_events')
      .columns(['owner', 'triggered_at'])
      .execute();
    await db.schema
      .createIndex('deliveries_event')
      .ifNotExists()
      .on('deliveries')
      .column('event_id')
      .execute();
    // What is done, which is what is forgotten in time.
    await db.schema
      .createIndex('deliveries_done')
      .ifNotExists()
      .on('deliveries')
      .column('created_at')
      .where(sql<boolean>`next_attempt_at is null`)
      .execute();
  },
};

/**
 * An alert that has fired waits for the price to leave its threshold only with a re-arm margin or without a cooldown. Before,
 * each one did: those that need not any more wake when their cooldown is over.
 */
export const alertCooldowns: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('alerts').renameColumn('has_left', 'must_leave').execute();
    await sql`
      update alerts set must_leave = case
        when phase = 'resting' and must_leave = 0 and (hysteresis > 0 or cooldown_ms = 0) then 1 else 0 end`.execute(
      db,
    );
    await sql`
      update alerts set phase = 'cooling',
        wake_at_most = case when must_leave = 1 then wake_at_most end,
        wake_at_least = case when must_leave = 1 then wake_at_least end,
        wake_ms = case when must_leave = 0 then cooldown_until end
      where phase = 'resting'`.execute(db);
  },
};

/** After a rotation the secret before signs as well for a while. */
export const signingSecretRotation: Migration = {
  async up(db: Kysely<unknown>) {
    const { text } = columnTypes(db);
    await db.schema.alterTable('signing_secrets').addColumn('previous', text).execute();
    await db.schema.alterTable('signing_secrets').addColumn('previous_until', 'bigint').execute();
  },
};

/**
 * The leader's lease gets another name and says more. A program from before finds the old one held for ever, and each try to
 * write by it says what to do.
 */
export const leader: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('leases').addColumn('place', 'text').execute();
    await db.schema.alterTable('leases').addColumn('report', 'text').execute();
    await sql`delete from leases`.execute(db);
    if (!(db.getExecutor().adapter instanceof SqliteAdapter)) return;
    await sql`
      insert into leases (name, holder, process, since, heartbeat_at)
      values ('follower', 'newer', 'a newer gastop', 0, 0)`.execute(db);
    await sql`
      create trigger if not exists leases_of_older_programs before update on leases when old.name = 'follower'
      begin select raise(abort, 'a newer gastop has updated it; restart this program with that version'); end`.execute(
      db,
    );
  },
};
