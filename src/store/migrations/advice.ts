import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** What was advised after each block, and what came of it. */
export const advice: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('advice')
      .ifNotExists()
      .addColumn('block_number', 'integer', (column) => column.primaryKey())
      .addColumn('block_hash', 'text')
      .addColumn('timestamp', 'bigint', (column) => column.notNull())
      .addColumn('version', 'integer', (column) => column.notNull())
      .addColumn('action', 'text', (column) => column.notNull())
      .addColumn('target_price', 'bigint', (column) => column.notNull())
      .addColumn('max_fee', 'bigint')
      .addColumn('max_priority_fee', 'bigint')
      .addColumn('due_block', 'bigint')
      .addColumn('due_at', 'bigint')
      .addColumn('probability', 'double precision')
      .addColumn('verdict', 'text')
      .addColumn('settled_block', 'bigint')
      .execute();
    for (const due of ['due_block', 'due_at']) {
      await db.schema
        .createIndex(`advice_${due}`)
        .ifNotExists()
        .on('advice')
        .column(due)
        .where(sql<boolean>`verdict is null`)
        .execute();
    }
    await db.schema
      .createIndex('advice_settled')
      .ifNotExists()
      .on('advice')
      .columns(['settled_block', 'block_number'])
      .execute();
  },
};

/** Judged advice to wait may lie far apart among that to send: found without reading what lies between. */
export const adviceWaits: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createIndex('advice_waits')
      .ifNotExists()
      .on('advice')
      .columns(['settled_block', 'block_number'])
      .where(sql<boolean>`due_at is not null`)
      .execute();
  },
};
