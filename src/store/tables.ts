import { setImmediate } from 'node:timers/promises';
import { type Kysely, PostgresAdapter, type SelectQueryBuilder, sql } from 'kysely';
import type { AdviceRow } from './advice-rows.ts';
import type { AlertRow } from './alert-rows.ts';
import type { AutoTxRow, AutoTxTallyRow, SignedTransactionRow } from './auto-tx-rows.ts';
import type { AutoTxEventRow } from './auto-tx-writes.ts';
import type { BlockRow } from './blocks.ts';
import type { CoinPriceRow } from './coin-prices.ts';
import type { FiringTallyRow } from './firing-tallies.ts';
import type { AlertEventRow, DeliveryAttemptRow, DeliveryRow } from './outbox.ts';
import type { RollupRow } from './rollups.ts';

interface LeaseRow {
  name: string;
  holder: string;
  process: string;
  place: string | null;
  since: number;
  heartbeat_at: number;
  report: string | null;
}

interface SigningSecretRow {
  owner: string;
  secret: string;
  /** Time of the last rotation, ms since epoch. */
  rotated_at: number | null;
}

/** A secret that was rotated and signs as well until then, ms since epoch. */
interface PreviousSecretRow {
  owner: string;
  secret: string;
  signs_until: number;
}

export interface Tables {
  blocks: BlockRow;
  rollups: RollupRow;
  advice: AdviceRow;
  coin_prices: CoinPriceRow;
  meta: { key: string; value: string };
  alerts: AlertRow;
  alert_events: AlertEventRow;
  firing_tallies: FiringTallyRow;
  deliveries: DeliveryRow;
  delivery_attempts: DeliveryAttemptRow;
  signing_secrets: SigningSecretRow;
  previous_secrets: PreviousSecretRow;
  leases: LeaseRow;
  auto_txs: AutoTxRow;
  signed_transactions: SignedTransactionRow;
  auto_tx_events: AutoTxEventRow;
  auto_tx_tallies: AutoTxTallyRow;
}

export type Queries = Kysely<Tables>;

/** Whether it runs on PostgreSQL, for the few differences to SQLite. */
export const isPostgres = <Schema>(db: Kysely<Schema>): boolean =>
  db.getExecutor().adapter instanceof PostgresAdapter;

/** One API key. Times in Unix seconds, hashes as hexadecimal SHA-256; the key itself is not stored. */
export interface KeyRow {
  id: string;
  name: string;
  plan: string;
  hash: string;
  /** The hash before the last rotation, to recognise requests with the old key. */
  previous_hash: string | null;
  created_at: number;
  rotated_at: number | null;
  revoked_at: number | null;
}

export interface UsageRow {
  key_id: string;
  /** Days since 1970-01-01, UTC. */
  day: number;
  used: number;
  /** On a server: the second of its last use, Unix s, and the usage in that second. */
  second: number;
  in_second: number;
}

export interface KeyTables {
  keys: KeyRow;
  usage: UsageRow;
}

export async function readMeta(db: Queries, key: string): Promise<string | null> {
  const row = await db.selectFrom('meta').select('value').where('key', '=', key).executeTakeFirst();
  return row?.value ?? null;
}

export async function saveMeta(db: Queries, key: string, value: string): Promise<void> {
  const row = db.insertInto('meta').values({ key, value });
  await row.onConflict((conflict) => conflict.column('key').doUpdateSet({ value })).execute();
}

export async function dropMeta(db: Queries, key: string): Promise<void> {
  await db.deleteFrom('meta').where('key', '=', key).execute();
}

/** Rows per statement: far below the 32,766 values of SQLite and the 65,535 of PostgreSQL. */
export const ROWS_AT_ONCE = 256;

export function pagesOf<Row>(rows: readonly Row[]): Row[][] {
  return Array.from({ length: Math.ceil(rows.length / ROWS_AT_ONCE) }, (_, page) =>
    rows.slice(page * ROWS_AT_ONCE, (page + 1) * ROWS_AT_ONCE),
  );
}

/** Rows deleted per transaction: far below SQLite's parameter limit, within some ms. */
const DELETED_AT_ONCE = 500;

/** Calls `remove`, which returns the number of deleted rows, at most `limit`, page by page: other writes run in between. */
export async function inPages(remove: (limit: number) => Promise<number>): Promise<void> {
  while ((await remove(DELETED_AT_ONCE)) === DELETED_AT_ONCE) await setImmediate();
}

type OwnedTable = 'alerts' | 'alert_events' | 'firing_tallies' | 'auto_txs' | 'auto_tx_tallies';

/** The owner who has the rows of all owners, without limits: no API key. */
export const OPERATOR = '';

/** Limits a query to an owner's rows; the operator has all. */
export const ownedBy = <Table extends OwnedTable, Output>(
  query: SelectQueryBuilder<Tables, Table, Output>,
  owner: string,
) => (owner === OPERATOR ? query : query.where(sql<boolean>`owner = ${owner}`));

export type Page = Readonly<Record<'offset' | 'limit', number>>;
/** The newest `limit` from `from` to `to`, ms since epoch, inclusive. */
export type TimeSpan = Readonly<Record<'from' | 'to' | 'limit', number>>;

export const newestPage = <Output>(
  query: SelectQueryBuilder<Tables, 'alerts' | 'auto_txs', Output>,
  { offset, limit }: Page,
) => query.orderBy(sql`created_at`, 'desc').orderBy(sql`id`, 'desc').limit(limit).offset(offset);

/** The newest stored block, or the newest up to a number. */
export async function newestBlock(db: Queries, upTo = Number.MAX_SAFE_INTEGER) {
  const blocks = db.selectFrom('blocks').select(['number', 'timestamp']).where('number', '<=', upTo);
  return (await blocks.orderBy('number', 'desc').limit(1).executeTakeFirst()) ?? null;
}

export async function countRows<Table extends keyof Tables>(
  query: SelectQueryBuilder<Tables, Table, object>,
): Promise<number> {
  const { count } = await query.select((e) => e.fn.countAll<number>().as('count')).executeTakeFirstOrThrow();
  return Number(count);
}

const skipped = new Set<string>();

/** Parses rows. Skips a row that gastop did not write, as in a damaged file, and logs it once. */
export function readRows<Row extends { readonly id: string }, Item>(
  rows: readonly Row[],
  read: (row: Row) => Item,
): Item[] {
  return rows.flatMap((row) => {
    try {
      return [read(row)];
    } catch {
      if (!skipped.has(row.id))
        process.emitWarning(`${row.id} is left out: its row in the database cannot be read`);
      skipped.add(row.id);
      return [];
    }
  });
}
