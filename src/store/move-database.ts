import { setImmediate } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type { Database, KeyDatabase } from './database.ts';
import { KEY_ID } from './encryption-key.ts';
import { movedWords, StoreError } from './errors.ts';
import { LEADER, LEASE_LAPSES_MS } from './lease.ts';
import { MOVED, markMoved, readMoved } from './moved.ts';
import { type KeyTables, type Queries, ROWS_AT_ONCE, type Tables } from './tables.ts';

/** Tables after those that they refer to. The lease is not copied. */
export const HISTORY_TABLES = [
  'meta',
  'blocks',
  'rollups',
  'advice',
  'coin_prices',
  'alerts',
  'alert_events',
  'firing_tallies',
  'deliveries',
  'delivery_attempts',
  'signing_secrets',
  'previous_secrets',
  'auto_txs',
  'signed_transactions',
  'auto_tx_events',
  'auto_tx_tallies',
] as const;
export const KEY_TABLES = ['keys', 'usage'] as const;

type Row = Readonly<Record<string, unknown>>;
type Untyped = Kysely<Record<string, Record<string, unknown>>>;
const untyped = (db: Kysely<Tables> | Kysely<KeyTables>) => db as unknown as Untyped;

interface MoveOptions {
  /** Ms since epoch. */
  readonly now: number;
  /** Whether the process at a lease's `place` runs on this machine, suspended or not. */
  readonly isRunning: (place: string | null) => boolean;
}

/**
 * Copies SQLite files to an empty server, in one transaction; signed bytes are encrypted again. Before that is committed,
 * the history is marked as moved. @throws {StoreError} for a server that is not empty, a file that is written to or was
 * moved elsewhere, or rows that do not arrive.
 */
export async function moveDatabase(
  history: Database,
  keys: KeyDatabase | null,
  to: Database,
  { now, isRunning }: MoveOptions,
) {
  let isMarked = false;
  const copyAll = (target: Untyped, place: string) =>
    // Retried with all of it.
    history.transaction(async (source) => {
      // From here on nothing else writes to the file.
      await sql`update leases set holder = holder where false`.execute(source);
      const before = await readMoved(source);
      await refuseOccupied(target, to.name, before !== null && before.place === place);
      if (before !== null && before.place !== place)
        throw new StoreError('moved', movedWords(history.name, before.to));
      await refuseLed(source, history.name, now, isRunning);
      const counts = new Map<string, number>();
      const reseal = (row: Row) => ('key_id' in row ? resealed(row, history, to) : row);
      for (const table of HISTORY_TABLES)
        counts.set(table, await copy(untyped(source), target, table, reseal));
      await keys?.transaction(async (ofKeys) => {
        for (const table of KEY_TABLES)
          counts.set(table, await copy(untyped(ofKeys), target, table, (row) => row));
      });
      for (const [table, count] of counts) {
        const arrived = await countOf(target, table);
        if (arrived !== count)
          throw refusal(`${arrived} of ${count} rows of ${table} arrived; nothing was kept`);
      }
      if (before === null) await markMoved(source, { to: to.name, place });
      return counts;
    }, {});
  const moving = to.transaction(async (trx) => {
    const target = untyped(trx);
    const { rows } = await sql<{ free: boolean; place: string }>`
      select pg_try_advisory_xact_lock(hashtext('gastop migrate'), 0) as free,
        concat_ws(' ', current_setting('port'), oid, current_schema()) as place
      from pg_database where datname = current_database()`.execute(target);
    const { free = false, place = '' } = rows[0] ?? {};
    if (!free) throw refusal(`another gastop migrate fills ${to.name} just now; wait for it to end`);
    // Reading pages from disk in between takes time.
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(target);
    const counts = await copyAll(target, place);
    // Whatever becomes of the commit: better that none of the two is written to than both.
    isMarked = true;
    return counts;
  });
  return moving.catch((error: unknown) => {
    if (!isMarked || !(error instanceof StoreError)) throw error;
    const again = `${history.name} is marked as moved there; run the same command again, and it says or does what is missing`;
    throw new StoreError(error.code, `${error.message}; ${again}`, { cause: error });
  });
}

async function refuseOccupied(target: Untyped, name: string, wasMovedThere: boolean): Promise<void> {
  for (const table of [...HISTORY_TABLES, ...KEY_TABLES]) {
    if ((await countOf(target, table)) === 0) continue;
    throw refusal(
      wasMovedThere
        ? `all of it is in ${name} already; start gastop on that`
        : `${name} is not empty (${table}); make another database for it`,
    );
  }
}

async function refuseLed(
  source: Queries,
  name: string,
  now: number,
  isRunning: MoveOptions['isRunning'],
): Promise<void> {
  const leader = await source.selectFrom('leases').selectAll().where('name', '=', LEADER).executeTakeFirst();
  if (leader === undefined) return;
  if (leader.heartbeat_at > now - LEASE_LAPSES_MS)
    throw refusal(`${leader.process} writes to ${name}; end it first`);
  // It has deliveries in its hands.
  if (isRunning(leader.place))
    throw refusal(`${leader.process} still has ${name}, though suspended; let it go on, and end it first`);
}

/** Of `meta`, what only the file needs: its note of being sealed, its key, and that it was moved. */
const OF_THE_FILE: readonly unknown[] = ['sealed', KEY_ID, MOVED];

const refusal = (message: string) => new StoreError('failed', message);

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
  const anew = to.sealer.seal(id, plain);
  return { ...row, bytes: anew.bytes, key_id: anew.keyId };
}

async function countOf(db: Untyped, table: string): Promise<number> {
  const counted = db.selectFrom(table).select((e) => e.fn.countAll().as('count'));
  return Number((await counted.executeTakeFirstOrThrow()).count);
}

async function copy(source: Untyped, target: Untyped, table: string, change: (row: Row) => Row) {
  let copied = 0;
  for (let after = -1; ; await setImmediate()) {
    const page = sql<Row & { row_number: number }>`
      select rowid as row_number, * from ${sql.table(table)}
      where rowid > ${after} order by rowid limit ${ROWS_AT_ONCE}`;
    const { rows } = await page.execute(source);
    const last = rows.at(-1);
    if (last === undefined) return copied;
    after = last.row_number;
    const wanted = rows.filter(({ key }) => !OF_THE_FILE.includes(key));
    const values = wanted.map(({ row_number: _, ...row }) => change(row));
    if (values.length > 0) await target.insertInto(table).values(values).execute();
    copied += values.length;
  }
}
