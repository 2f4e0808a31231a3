import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { columnTypes } from './column-types.ts';

/** Auto-txs, what is signed of them, and what happened to them. */
export const autoTxs: Migration = {
  async up(db: Kysely<unknown>) {
    const { text, address, bytes } = columnTypes(db);
    await db.schema
      .createTable('auto_txs')
      .ifNotExists()
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('owner', text, (column) => column.notNull())
      .addColumn('chain_id', 'bigint', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .addColumn('target', 'bigint', (column) => column.notNull())
      .addColumn('lane', text, (column) => column.notNull())
      .addColumn('is_strict', 'integer', (column) => column.notNull())
      .addColumn('expires_at', 'bigint')
      .addColumn('note', text, (column) => column.notNull())
      .addColumn('to_address', text)
      .addColumn('value', text, (column) => column.notNull())
      .addColumn('type', 'integer')
      .addColumn('hash', text)
      .addColumn('signed_chain', 'bigint')
      .addColumn('from_address', address)
      .addColumn('nonce', 'bigint')
      .addColumn('gas_limit', 'bigint')
      .addColumn('gas_price', 'bigint')
      .addColumn('max_fee', 'bigint')
      .addColumn('max_priority_fee', 'bigint')
      .addColumn('max_blob_fee', 'bigint')
      .addColumn('blob_count', 'integer')
      .addColumn('intrinsic_gas', 'bigint')
      .addColumn('status', text, (column) => column.notNull())
      .addColumn('attempts', 'integer', (column) => column.notNull())
      .addColumn('submitted_at', 'bigint')
      .addColumn('sent_at', 'bigint')
      .addColumn('may_be_out', 'integer', (column) => column.notNull())
      .addColumn('block_number', 'bigint')
      .addColumn('block_hash', text)
      .addColumn('outcome', text)
      .addColumn('gas_used', 'bigint')
      .addColumn('effective_gas_price', 'bigint')
      .addColumn('other_fees', text)
      .addColumn('mined_at', 'bigint')
      .addColumn('returns_to', text)
      .addColumn('taken_since', 'bigint')
      .addColumn('unseen', 'integer', (column) => column.notNull())
      .addColumn('executed_at', 'bigint')
      .addColumn('failure_code', text)
      .addColumn('failure_message', text)
      .addColumn('hold_code', text)
      .addColumn('hold_message', text)
      .addColumn('hold_until', 'bigint')
      .addColumn('hold_times', 'integer')
      .addColumn('checked_at', 'bigint')
      .addColumn('price_at_creation', 'bigint')
      .addColumn('day_mean_price', 'bigint')
      .addColumn('native_usd', 'double precision')
      .addColumn('wake_lane', text)
      .addColumn('wake_price', 'bigint')
      .addColumn('wake_base', 'bigint')
      .addColumn('cap', 'bigint')
      .addColumn('chain_block', 'bigint')
      // Last: what stands before them is read without them, however long they are.
      .addColumn('checks', text, (column) => column.notNull())
      .addColumn('data', text, (column) => column.notNull())
      .execute();
    const index = (name: string, columns: string[], where: ReturnType<typeof sql<boolean>> | null = null) => {
      const made = db.schema.createIndex(`auto_txs_${name}`).ifNotExists().on('auto_txs').columns(columns);
      return (where === null ? made : made.where(where)).execute();
    };
    const waiting = ['cap', 'hold_until', 'from_address', 'nonce', 'id'];
    await index('wake_price', ['wake_lane', 'wake_price', ...waiting], sql<boolean>`wake_price is not null`);
    await index('wake_base', ['wake_base', ...waiting], sql<boolean>`wake_base is not null`);
    await index('expires', ['expires_at'], sql<boolean>`status in ('PENDING', 'DISABLED')`);
    const sender = ['from_address', 'nonce', 'id'];
    await index('followed', sender, sql<boolean>`status = 'SUBMITTED' or may_be_out = 1`);
    await index('live', sender, sql<boolean>`status in ('PENDING', 'DISABLED', 'SUBMITTED')`);
    await index('chain_block', ['chain_block'], sql<boolean>`chain_block is not null`);
    await index('owner_executed', ['owner', 'mined_at'], sql<boolean>`status = 'EXECUTED'`);
    await index('executed', ['mined_at'], sql<boolean>`status = 'EXECUTED'`);
    await index('owner', ['owner', 'created_at', 'id']);
    await index('created', ['created_at', 'id']);
    await index('status', ['owner', 'status']);

    await db.schema
      .createTable('signed_transactions')
      .ifNotExists()
      .addColumn('auto_tx_id', text, (column) => column.primaryKey())
      .addColumn('mined_block', 'bigint')
      .addColumn('bytes', bytes, (column) => column.notNull())
      .execute();
    await db.schema
      .createIndex('signed_transactions_mined')
      .ifNotExists()
      .on('signed_transactions')
      .column('mined_block')
      .where(sql<boolean>`mined_block is not null`)
      .execute();
    await db.schema
      .createTable('auto_tx_events')
      .ifNotExists()
      .addColumn('auto_tx_id', text, (column) => column.notNull())
      .addColumn('seq', 'integer', (column) => column.notNull())
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addColumn('kind', text, (column) => column.notNull())
      .addColumn('block_number', 'bigint')
      .addColumn('message', text, (column) => column.notNull())
      .addPrimaryKeyConstraint('auto_tx_events_pk', ['auto_tx_id', 'seq'])
      .execute();
    await db.schema
      .createTable('auto_tx_tallies')
      .ifNotExists()
      .addColumn('owner', text, (column) => column.primaryKey())
      .addColumn('executed', 'integer', (column) => column.notNull())
      .addColumn('saved_wei', text, (column) => column.notNull())
      .addColumn('usd', 'double precision', (column) => column.notNull())
      .addColumn('unpriced', 'integer', (column) => column.notNull())
      .execute();
  },
};

/** What has ended keeps its signed bytes for a day, by the time when it did. */
export const signedUntil: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('signed_transactions').renameColumn('mined_block', 'ended_at').execute();
    await sql`
      update signed_transactions set ended_at = (select case
        when status in ('EXECUTED', 'CANCELLED', 'EXPIRED', 'FAILED') then updated_at end
        from auto_txs where id = auto_tx_id)`.execute(db);
  },
};

const LIVE = "status in ('PENDING', 'DISABLED', 'SUBMITTED')";

/**
 * Signed bytes say which key they are sealed with (`null`: not yet), and no owner has two live ones for one nonce. One that a
 * block turned out to have although it had ended does not count: it is not decided on any more.
 */
export const sealedBytes: Migration = {
  async up(db: Kysely<unknown>) {
    const { text } = columnTypes(db);
    await db.schema.alterTable('signed_transactions').addColumn('key_id', text).execute();
    // What should never have been: the one that is furthest stays.
    await sql`
      update auto_txs set status = 'CANCELLED', wake_lane = null, wake_price = null, wake_base = null, cap = null
      where ${sql.raw(LIVE)} and returns_to is null and exists (
        select 1 from auto_txs as other where other.${sql.raw(LIVE)} and other.returns_to is null and other.owner = auto_txs.owner
          and other.from_address = auto_txs.from_address and other.nonce = auto_txs.nonce
          and (other.status = 'SUBMITTED', auto_txs.id) > (auto_txs.status = 'SUBMITTED', other.id))`.execute(
      db,
    );
    await db.schema
      .createIndex('auto_txs_one_nonce')
      .unique()
      .ifNotExists()
      .on('auto_txs')
      .columns(['owner', 'from_address', 'nonce'])
      .where(sql<boolean>`${sql.raw(LIVE)} and returns_to is null`)
      .execute();
  },
};
