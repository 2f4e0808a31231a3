import { setImmediate } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type { Database, KeyDatabase } from './database.ts';
import { StoreError } from './errors.ts';
import { LEASE_LAPSES_MS } from './lease.ts';
import { ROWS_AT_ONCE } from './tables.ts';

/** Tables after those that they refer to. The lease is not copied. */
const HISTORY_TABLES = [
  'meta',
  'blocks',
  'rollups',
  'advice',
  'alerts',
  'alert_events',
  'firing_tallies',
  'deliveries',
  'delivery_attempts',
  'signing_secrets',
  'auto_txs',
  'signed_transactions',
  'auto_tx_events',
  'auto_tx_tallies',
] as const;
const KEY_TABLES = ['keys', 'usage'] as const;

type Row = Readonly<Record<string, unknown>>;

interface Move {
  readonly history: Database;
  readonly keys: KeyDatabase | null;
  readonly to: Database;
  readonly now: number;
}

/**
 * Copies SQLite files to a server, in one transaction: all or nothing. Signed bytes are encrypted again. Returns the
 * number of rows of each table.
 * @throws {StoreError} when the server is not empty, another process writes to the file, or rows are missing at the
 * end.
 */
export function moveDatabase({ history, keys, to, now }: Move): Promise<ReadonlyMap<string, number>> {
  return to.transaction(async (target) => {
    // Reading pages from disk in between takes time.
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(target);
    const counts = new Map<string, number>();
    for (const table of [...HISTORY_TABLES, ...KEY_TABLES]) {
      if ((await countOf(target, table)) > 0)
        throw refusal(`${to.name} is not empty (${table}); make another database for it`);
    }
    // One transaction reads a consistent state of the file.
    await history.transaction(async (source) => {
      await refuseLed(source, history.name, now);
      const reseal = (row: Row) => resealed(row, history, to);
      for (const table of HISTORY_TABLES)
        counts.set(table, await copy(source, target, table, table === 'signed_transactions' ? reseal : null));
    });
    await keys?.transaction(async (source) => {
      for (const table of KEY_TABLES) counts.set(table, await copy(source, target, table, null));
    });
    for (const [table, count] of counts) {
      const arrived = await countOf(target, table);
      if (arrived !== count)
        throw refusal(`${arrived} of ${count} rows of ${table} arrived; nothing was kept`);
    }
    return counts;
  });
}

const refusal = (message: string) => new StoreError('failed', message);

async function refuseLed<Schema>(db: Kysely<Schema>, name: string, now: number): Promise<void> {
  const leases = sql<{ process: string; heartbeat_at: number }>`select process, heartbeat_at from leases`;
  const leader = (await leases.execute(db)).rows.find((row) => now - row.heartbeat_at < LEASE_LAPSES_MS);
  if (leader !== undefined) throw refusal(`${leader.process} writes to ${name}; end it first`);
}

function resealed(row: Row, history: Database, to: Database): Row {
  const { auto_tx_id: id, key_id: keyId, bytes } = row;
  if (typeof id !== 'string' || typeof keyId !== 'string' || !(bytes instanceof Uint8Array))
    throw refusal(`signed bytes in ${history.name} cannot be read`);
  // The file may have used the server's key.
  const sealed = { keyId, bytes };
  const plain = history.sealer.open(id, sealed) ?? to.sealer.open(id, sealed);
  if (plain === null)
    throw refusal(
      `the signed bytes of ${id} are encrypted with another key; put the right one beside ${history.name}`,
    );
  const { keyId: key_id, ...anew } = to.sealer.seal(id, plain);
  return { ...row, ...anew, key_id };
}

async function copy<From, To>(
  source: Kysely<From>,
  target: Kysely<To>,
  table: string,
  change: ((row: Row) => Row) | null,
): Promise<number> {
  let copied = 0;
  for (let after = -1; ; ) {
    const page = sql<Row & { row_number: number }>`
      select rowid as row_number, * from ${sql.table(table)}
      where rowid > ${after} order by rowid limit ${ROWS_AT_ONCE}`;
    const { rows } = await page.execute(source);
    const last = rows.at(-1);
    if (last === undefined) return copied;
    after = last.row_number;
    copied += await insert(target, table, rows, change);
    await setImmediate();
  }
}

async function insert<To>(
  target: Kysely<To>,
  table: string,
  rows: readonly Row[],
  change: ((row: Row) => Row) | null,
): Promise<number> {
  const kept = rows.map(({ row_number: _, ...row }) => change?.(row) ?? row);
  // Only the file needs this entry.
  const wanted = table === 'meta' ? kept.filter(({ key }) => key !== 'sealed') : kept;
  const columns = Object.keys(wanted[0] ?? {});
  if (columns.length === 0) return 0;
  const values = wanted.map((row) => sql`(${sql.join(columns.map((column) => row[column]))})`);
  const names = sql.join(columns.map((column) => sql.ref(column)));
  await sql`insert into ${sql.table(table)} (${names}) values ${sql.join(values)}`.execute(target);
  return wanted.length;
}

async function countOf<Schema>(db: Kysely<Schema>, table: string): Promise<number> {
  const counting = sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`;
  return Number((await counting.execute(db)).rows[0]?.count ?? 0);
}
