import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

const TIPS = ['tip_p10', 'tip_p25', 'tip_p50', 'tip_p75', 'tip_p90', 'tip_p95', 'tip_p99'] as const;

/** Blocks, what they are folded into, and whose chain this is. */
export const blocks: Migration = {
  async up(db: Kysely<unknown>) {
    let table = db.schema
      .createTable('blocks')
      .ifNotExists()
      .addColumn('number', 'integer', (column) => column.primaryKey())
      .addColumn('hash', 'text')
      .addColumn('parent_hash', 'text')
      .addColumn('timestamp', 'bigint', (column) => column.notNull())
      .addColumn('base_fee', 'bigint', (column) => column.notNull())
      .addColumn('gas_used', 'bigint')
      .addColumn('gas_limit', 'bigint')
      .addColumn('gas_used_ratio', 'double precision', (column) => column.notNull())
      .addColumn('blob_base_fee', 'bigint')
      .addColumn('next_base_fee', 'bigint')
      .addColumn('next_blob_base_fee', 'bigint');
    for (const tip of TIPS) table = table.addColumn(tip, 'bigint');
    await table.execute();
    await db.schema
      .createIndex('blocks_timestamp')
      .ifNotExists()
      .on('blocks')
      .columns(['timestamp', 'number'])
      .execute();

    let rollups = db.schema
      .createTable('rollups')
      .ifNotExists()
      .addColumn('bucket_sec', 'integer', (column) => column.notNull())
      .addColumn('start', 'bigint', (column) => column.notNull())
      .addColumn('blocks', 'integer', (column) => column.notNull())
      .addColumn('first_block', 'bigint', (column) => column.notNull())
      .addColumn('last_block', 'bigint', (column) => column.notNull())
      .addColumn('base_open', 'bigint', (column) => column.notNull())
      .addColumn('base_min', 'bigint', (column) => column.notNull())
      .addColumn('base_mean', 'double precision', (column) => column.notNull())
      .addColumn('base_max', 'bigint', (column) => column.notNull())
      .addColumn('base_close', 'bigint', (column) => column.notNull())
      .addColumn('tipped_blocks', 'integer', (column) => column.notNull());
    for (const tip of TIPS) rollups = rollups.addColumn(tip, 'double precision');
    await rollups
      .addColumn('ratio_mean', 'double precision', (column) => column.notNull())
      .addColumn('ratio_max', 'double precision', (column) => column.notNull())
      .addPrimaryKeyConstraint('rollups_key', ['bucket_sec', 'start'])
      .execute();

    await db.schema
      .createTable('meta')
      .ifNotExists()
      .addColumn('key', 'text', (column) => column.primaryKey())
      .addColumn('value', 'text', (column) => column.notNull())
      .execute();
  },
};
