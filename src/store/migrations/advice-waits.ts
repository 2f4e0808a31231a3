import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

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
