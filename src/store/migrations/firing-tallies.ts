import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

const HOUR_MS = 3_600_000;
const HALF = 1_000_000;

const saved = sql`case
  when condition = 'LESS_THAN' and reference_price > price then reference_price - price else 0 end`;

/** What each owner's firings come to hour by hour, and indexes that keep one owner's firings out of another's way. */
export const firingTallies: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('firing_tallies')
      .ifNotExists()
      .addColumn('owner', 'text', (column) => column.notNull())
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
