import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { alertCooldowns, alerts, firingTallies, leader, signingSecretRotation } from './alerts.ts';
import { autoTxs, sealedBytes, signedUntil } from './auto-txs.ts';
import { columnTypes } from './column-types.ts';

const TIPS = ['tip_p10', 'tip_p25', 'tip_p50', 'tip_p75', 'tip_p90', 'tip_p95', 'tip_p99'] as const;

/** Blocks, what they are folded into, and whose chain this is. */
const blocks: Migration = {
  async up(db: Kysely<unknown>) {
    const { height, text } = columnTypes(db);
    let table = db.schema
      .createTable('blocks')
      .ifNotExists()
      .addColumn('number', height, (column) => column.primaryKey())
      .addColumn('hash', text)
      .addColumn('parent_hash', text)
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
      .addColumn('key', text, (column) => column.primaryKey())
      .addColumn('value', text, (column) => column.notNull())
      .execute();
  },
};

/** What was advised after each block, and what came of it. */
const advice: Migration = {
  async up(db: Kysely<unknown>) {
    const { height, text } = columnTypes(db);
    await db.schema
      .createTable('advice')
      .ifNotExists()
      .addColumn('block_number', height, (column) => column.primaryKey())
      .addColumn('block_hash', text)
      .addColumn('timestamp', 'bigint', (column) => column.notNull())
      .addColumn('version', 'integer', (column) => column.notNull())
      .addColumn('action', text, (column) => column.notNull())
      .addColumn('target_price', 'bigint', (column) => column.notNull())
      .addColumn('max_fee', 'bigint')
      .addColumn('max_priority_fee', 'bigint')
      .addColumn('due_block', 'bigint')
      .addColumn('due_at', 'bigint')
      .addColumn('probability', 'double precision')
      .addColumn('verdict', text)
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
const adviceWaits: Migration = {
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

/** Keys, and what each has used day by day. */
const keys: Migration = {
  async up(db: Kysely<unknown>) {
    const { text } = columnTypes(db);
    await db.schema
      .createTable('keys')
      .ifNotExists()
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('name', text, (column) => column.notNull())
      .addColumn('plan', text, (column) => column.notNull())
      .addColumn('hash', text, (column) => column.notNull())
      .addColumn('previous_hash', text)
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('rotated_at', 'bigint')
      .addColumn('revoked_at', 'bigint')
      .execute();
    await db.schema
      .createTable('usage')
      .ifNotExists()
      .addColumn('key_id', text, (column) => column.notNull().references('keys.id'))
      .addColumn('day', 'integer', (column) => column.notNull())
      .addColumn('used', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('usage_key', ['key_id', 'day'])
      .execute();
  },
};

/** How much a key has used of one second, over all processes. */
const keySeconds: Migration = {
  async up(db: Kysely<unknown>) {
    for (const [column, type] of [
      ['second', 'bigint'],
      ['in_second', 'integer'],
    ] as const) {
      await db.schema
        .alterTable('usage')
        .addColumn(column, type, (made) => made.notNull().defaultTo(0))
        .execute();
    }
  },
};

// A released change is never edited; the next one is added below.

export type Migrations = Readonly<Record<string, Migration>>;

/** Every change of the history's schema in order. */
export const HISTORY_MIGRATIONS: Migrations = {
  '0001-blocks': blocks,
  '0002-advice': advice,
  '0003-alerts': alerts,
  '0004-firing-tallies': firingTallies,
  '0005-auto-txs': autoTxs,
  '0006-advice-waits': adviceWaits,
  '0007-alert-cooldowns': alertCooldowns,
  '0008-signing-secret-rotation': signingSecretRotation,
  '0009-leader': leader,
  '0010-sealed-bytes': sealedBytes,
  '0011-signed-until': signedUntil,
};

/** Every change of the keys' schema in order. The names tell the two kinds of files apart; PostgreSQL has both in one. */
export const KEY_MIGRATIONS: Migrations = {
  '0001-keys': keys,
  '0002-key-seconds': keySeconds,
};
