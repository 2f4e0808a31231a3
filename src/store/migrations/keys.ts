import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Keys, and what each has used day by day. */
export const keys: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('keys')
      .ifNotExists()
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('plan', 'text', (column) => column.notNull())
      .addColumn('hash', 'text', (column) => column.notNull())
      .addColumn('previous_hash', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('rotated_at', 'bigint')
      .addColumn('revoked_at', 'bigint')
      .execute();
    await db.schema
      .createTable('usage')
      .ifNotExists()
      .addColumn('key_id', 'text', (column) => column.notNull().references('keys.id'))
      .addColumn('day', 'integer', (column) => column.notNull())
      .addColumn('used', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('usage_key', ['key_id', 'day'])
      .execute();
  },
};
