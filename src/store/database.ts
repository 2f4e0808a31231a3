import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { HandleEmptyInListsPlugin, Kysely, replaceWithNoncontingentExpression, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { databaseName, hasNoFile, isServerUrl } from './database-url.ts';
import { damaged, StoreError, type StoreErrorCode, toStoreError } from './errors.ts';
import { readMeta, saveMeta } from './meta.ts';
import { HISTORY_MIGRATIONS, KEY_MIGRATIONS, type Migrations } from './migrations.ts';
import { createSealer, ephemeralSealer, fileSealer, NO_SEALER, type Sealer } from './sealer.ts';
import { NodeSqliteDialect } from './sqlite.ts';
import { isPostgres, type KeyTables, type Queries, type Tables } from './tables.ts';

/** SQLite blocks the whole process while it waits, so the wait is short. */
const BUSY_TIMEOUT_MS = 20;
const RETRY_AFTER_MS = 40;

/** How long work is retried after each error code, ms. */
export type RetryTimes = Readonly<Partial<Record<StoreErrorCode, number>>>;

/** A restarted server is back within this time. */
const WHILE_BUSY: RetryTimes = { busy: 5_000, unreachable: 5_000 };
/** While another process creates the same file, switching to the write-ahead log fails instead of waiting. */
const WHILE_MADE: RetryTimes = { busy: 5_000, failed: 1_000 };

/** An open database. Its one owner closes it. `run` and `transaction` reject with a `StoreError`. */
export interface Database<Schema = Tables> {
  readonly queries: Kysely<Schema>;
  /** For messages: the file name without its folder, or the server's database and host. */
  readonly name: string;
  /** Set once a page could not be read: later results may be wrong or incomplete. */
  readonly damage: StoreError | null;
  readonly sealer: Sealer;
  /** Runs reads, or one writing statement, with retries while the database is busy: failed work must leave no trace. */
  run<Result>(work: (db: Kysely<Schema>) => Promise<Result>, retryTimes?: RetryTimes): Promise<Result>;
  /** Runs one transaction, with retries, serializable on PostgreSQL. Durable once it resolves. */
  transaction<Result>(
    work: (trx: Kysely<Schema>) => Promise<Result>,
    retryTimes?: RetryTimes,
  ): Promise<Result>;
  close(): Promise<void>;
}

type ConnectFile = (path: string) => DatabaseSync;

/** API keys and their usage: in a separate file, or on PostgreSQL beside the rest. */
export type KeyDatabase = Database<KeyTables>;

/**
 * Opens (or creates) the history at `target`: a file, `':memory:'`, `TEMPORARY_DATABASE`, or the URL of a PostgreSQL
 * database. Migrates its schema. A new folder gets mode 0700, files 0600.
 * @param key encrypts signed bytes; by default a file has its own key beside it, and a server stores no auto-txs.
 * @param connect opens the file; it may bring an image that is migrated already.
 * @throws {StoreError} when it is no gastop database, of another kind, newer than this program, not writable or
 * cannot be created.
 */
export async function openDatabase(
  target: string,
  key: Buffer | null = null,
  connect?: ConnectFile,
): Promise<Database> {
  const sealer = sealerOf(target, key);
  const database = await open<Tables>(target, HISTORY_MIGRATIONS, sealer, connect);
  try {
    if (!isServerUrl(target)) await database.run((db) => sealOnce(db, sealer));
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}

function sealerOf(target: string, key: Buffer | null): Sealer {
  if (key !== null) return createSealer(() => key);
  if (isServerUrl(target)) return NO_SEALER;
  return hasNoFile(target) ? ephemeralSealer() : fileSealer(target);
}

/** Once per file: encrypts signed bytes of an older version, and rewrites the pages that held them. */
async function sealOnce(db: Queries, sealer: Sealer): Promise<void> {
  if ((await readMeta(db, 'sealed')) === '1') return;
  await db.transaction().execute(async (trx) => {
    const signed = trx.selectFrom('signed_transactions').select(['auto_tx_id as id', 'bytes']);
    const plain = await signed.where('key_id', 'is', null).execute();
    for (const { id, bytes } of plain) {
      const { keyId, bytes: sealed } = sealer.seal(id, bytes);
      const row = trx.updateTable('signed_transactions').set({ bytes: sealed, key_id: keyId });
      await row.where('auto_tx_id', '=', id).execute();
    }
    if ((await readMeta(trx, 'sealed')) === null)
      await saveMeta(trx, 'sealed', plain.length === 0 ? '1' : 'rewrite');
  });
  if ((await readMeta(db, 'sealed')) === '1') return;
  // An overwritten page keeps parts of its old content.
  await sql`vacuum`.execute(db);
  await sql`pragma wal_checkpoint(truncate)`.execute(db);
  await saveMeta(db, 'sealed', '1');
}

export const openKeyDatabase = (target: string): Promise<KeyDatabase> =>
  open<KeyTables>(target, KEY_MIGRATIONS, NO_SEALER);

/**
 * Opens the keys' database for counting requests. With a file, a count is safe from a kill but not from a power cut:
 * waiting for the disk with each batch costs a busy service a seventh of its time.
 */
export async function openUsageDatabase(target: string): Promise<KeyDatabase> {
  const database = await openKeyDatabase(target);
  if (!isServerUrl(target)) await database.run((db) => sql`pragma synchronous = normal`.execute(db));
  return database;
}

function open<Schema>(
  target: string,
  migrations: Migrations,
  sealer: Sealer,
  connect: ConnectFile = (path) => new DatabaseSync(path),
): Promise<Database<Schema>> {
  const name = databaseName(target);
  const opening = isServerUrl(target)
    ? () => openServer<Schema>(target, { name, sealer })
    : () => openFile<Schema>(target, migrations, { name, sealer }, connect);
  return retryWhileBusy(name, opening, WHILE_MADE);
}

interface Migrated {
  kysely_migration: { name: string };
}

async function openFile<Schema>(
  path: string,
  migrations: Migrations,
  { name, sealer }: Known,
  connect: ConnectFile,
): Promise<Database<Schema>> {
  let file: DatabaseSync | null = null;
  try {
    if (!hasNoFile(path)) {
      makePrivateFolder(dirname(path));
      closeSync(openSync(path, 'a', 0o600));
    }
    file = connect(path);
    file.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
    const dialect = new NodeSqliteDialect(file);
    const migrated = new Kysely<Migrated>({ dialect });
    // Before any change: it may be the wrong database.
    const applied = await refuseForeign(migrated, migrations, name);
    if (!hasNoFile(path)) makePrivate(path);
    configure(file);
    if (applied.size > 0) refuseDamaged(file, name);
    // Most starts need no migration, and loading the migrator takes as long as all the rest.
    if (!Object.keys(migrations).every((each) => applied.has(each))) await migrate(migrated, migrations);
    const queries = new Kysely<Schema>({ dialect });
    return opened(queries, { name, sealer }, (work) => queries.transaction().execute(work));
  } catch (error) {
    closeQuietly(file);
    throw error;
  }
}

async function openServer<Schema>(url: string, { name, sealer }: Known): Promise<Database<Schema>> {
  // Loaded lazily: a file does not need it.
  const { postgresDialect, OLDEST_POSTGRES } = await import('./postgres.ts');
  const dialect = postgresDialect(url);
  const queries = new Kysely<Schema>({
    dialect,
    plugins: [new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression })],
  });
  try {
    const { version, schema, isReadOnly } = await describeServer(queries);
    if (version < OLDEST_POSTGRES) {
      throw new StoreError(
        'unreachable',
        `${name} is PostgreSQL ${version}, which is too old; gastop needs ${OLDEST_POSTGRES} or newer`,
      );
    }
    const migrated = new Kysely<Migrated>({ dialect });
    const applied = await refuseForeign(migrated, SERVER_MIGRATIONS, name);
    if (isReadOnly) throw takesNoWriting(name);
    if (!Object.keys(SERVER_MIGRATIONS).every((each) => applied.has(each)))
      await migrate(migrated, SERVER_MIGRATIONS, schema);
    if (!(await mayWrite(queries))) throw takesNoWriting(name);
    return opened(queries, { name, sealer }, async (work) => {
      let isCommitting = false;
      try {
        return await queries
          .transaction()
          .setIsolationLevel('serializable')
          .execute(async (trx) => {
            const result = await work(trx);
            isCommitting = true;
            return result;
          });
      } catch (error) {
        const failure = toStoreError(error, name);
        if (!isCommitting || failure.code !== 'unreachable') throw failure;
        // A retry might repeat it.
        throw new StoreError('failed', `${name} was lost while it wrote; what became of that is not known`);
      }
    });
  } catch (error) {
    await queries.destroy().catch(() => {});
    const failure = toStoreError(error, name);
    // No retry helps with a server that refuses the connection.
    throw failure.code in WHILE_MADE
      ? failure
      : new StoreError('unreachable', failure.message, { cause: failure.cause });
  }
}

type Known = Pick<Database, 'name' | 'sealer'>;

function opened<Schema>(
  queries: Kysely<Schema>,
  { name, sealer }: Known,
  transact: <Result>(work: (trx: Kysely<Schema>) => Promise<Result>) => Promise<Result>,
): Database<Schema> {
  let damage: StoreError | null = null;
  const attempt = <Result>(work: () => Promise<Result>, retryTimes?: RetryTimes) =>
    retryWhileBusy(name, work, retryTimes).catch((error: unknown) => {
      if (error instanceof StoreError && error.code === 'damaged') damage = error;
      throw error;
    });
  return {
    queries,
    name,
    sealer,
    get damage() {
      return damage;
    },
    run: (work, retryTimes) => attempt(() => work(queries), retryTimes),
    transaction: (work, retryTimes) => attempt(() => transact(work), retryTimes),
    close: () => queries.destroy(),
  };
}

const SERVER_MIGRATIONS: Migrations = { ...HISTORY_MIGRATIONS, ...KEY_MIGRATIONS };

const takesNoWriting = (name: string) =>
  new StoreError(
    'read-only',
    `${name} takes no writing (a standby server, or a role that may only read); name the primary and a role that owns it`,
  );

async function describeServer<Schema>(db: Kysely<Schema>) {
  const { rows } = await sql<{ version: string; schema: string; is_read_only: boolean }>`
    select current_setting('server_version_num') as version, coalesce(current_schema(), 'public') as schema,
      pg_is_in_recovery() or current_setting('default_transaction_read_only') = 'on' as is_read_only`.execute(
    db,
  );
  const { version = '', schema = 'public', is_read_only: isReadOnly = true } = rows[0] ?? {};
  return { version: Math.floor(Number(version) / 10_000), schema, isReadOnly };
}

async function mayWrite<Schema>(db: Kysely<Schema>): Promise<boolean> {
  const { rows } = await sql<{ may_write: boolean }>`
    select has_table_privilege('blocks', 'insert') and has_table_privilege('leases', 'update')
      and has_table_privilege('usage', 'delete') as may_write`.execute(db);
  return rows[0]?.may_write === true;
}

async function retryWhileBusy<Result>(
  name: string,
  work: () => Promise<Result>,
  retryTimes: RetryTimes = WHILE_BUSY,
): Promise<Result> {
  const startedAt = performance.now();
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const failure = toStoreError(error, name);
      if (performance.now() - startedAt > (retryTimes[failure.code] ?? Number.NEGATIVE_INFINITY))
        throw failure;
      // With jitter, so that waiting processes do not retry at the same moment.
      await setTimeout(RETRY_AFTER_MS * (0.5 + Math.random()));
    }
  }
}

function closeQuietly(database: DatabaseSync | null): void {
  try {
    database?.close();
  } catch {}
}

/** Node's own recursive form loops for ever when an existing folder cannot have children, as in /proc. */
function makePrivateFolder(path: string): void {
  if (existsSync(path)) return;
  if (dirname(path) !== path) makePrivateFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process created it first.
    if (!existsSync(path)) throw error;
  }
}

/** SQLite creates -wal and -shm with the mode of the file at that moment. */
function makePrivate(path: string): void {
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    try {
      if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600);
    } catch (error) {
      // These files may disappear with the processes that have the database open.
      if (file === path || !isMissing(error)) throw error;
    }
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

function configure(file: DatabaseSync): void {
  // Write-ahead log: readers continue while a block is written, and a kill loses at most the open transaction.
  file.exec('pragma journal_mode = wal');
  // Each commit is synced to disk: an alert must not fire again after a power cut.
  file.exec('pragma synchronous = full');
  // Overwrites deleted data, as signed bytes require; does not slow down block writes.
  file.exec('pragma secure_delete = on');
}

const CHECK_MS = 250;
const CHECKED_ROWS = 50_000;

/** Checks all tables but the largest for damaged pages, within the time limit. @throws {StoreError} `damaged` */
function refuseDamaged(file: DatabaseSync, name: string): void {
  const startedAt = performance.now();
  const tables = file.prepare("select name from sqlite_schema where type = 'table'").all();
  for (const table of tables.map((row) => `"${row.name}"`)) {
    if (performance.now() - startedAt > CHECK_MS) return;
    if (Number(file.prepare(`select max(rowid) as rows from ${table}`).get()?.rows) > CHECKED_ROWS) continue;
    const [found] = file.prepare(`pragma quick_check(${table})`).all();
    if (found?.quick_check !== 'ok') throw damaged(name);
  }
}

async function refuseForeign(
  queries: Kysely<Migrated>,
  migrations: Migrations,
  name: string,
): Promise<ReadonlySet<string>> {
  const { rows } = await (isPostgres(queries) ? SERVER_TABLES : FILE_TABLES).execute(queries);
  const tables = rows.map((row) => row.name);
  // A kill during the very first opening may leave only the migrator's tables.
  if (tables.every((table) => table.startsWith('kysely_migration')) && !tables.includes('kysely_migration'))
    return new Set();
  if (!tables.includes('kysely_migration')) {
    throw new StoreError(
      'foreign-database',
      `${name} belongs to another program; choose another ${isPostgres(queries) ? 'database' : 'database file'}`,
    );
  }
  const applied = await queries.selectFrom('kysely_migration').select('name').execute();
  if (applied.length === 0) return new Set();
  if (!applied.some((migration) => migration.name in migrations)) {
    throw new StoreError(
      'foreign-database',
      `${name} is a database of gastop for something else; choose another database file`,
    );
  }
  if (applied.some((migration) => !(migration.name in migrations))) {
    throw new StoreError(
      'newer-schema',
      `${name} was written by a newer gastop; update gastop or choose another ${isPostgres(queries) ? 'database' : 'database file'}`,
    );
  }
  return new Set(applied.map((migration) => migration.name));
}

/** Of this schema alone, without extensions. */
const SERVER_TABLES = sql<{ name: string }>`
  select relname as name from pg_class
  where relkind in ('r', 'p') and relnamespace = (select oid from pg_namespace where nspname = current_schema())
    and not exists (select 1 from pg_depend where objid = pg_class.oid and deptype = 'e')`;
const FILE_TABLES = sql<{ name: string }>`
  select name from sqlite_schema where type = 'table' and name not like 'sqlite%'`;

async function migrate(queries: Kysely<Migrated>, migrations: Migrations, schema?: string): Promise<void> {
  const migrator = new Migrator({
    db: queries,
    provider: { getMigrations: async () => ({ ...migrations }) },
    // The migrations of the keys have their own order.
    allowUnorderedMigrations: true,
    ...(schema === undefined ? {} : { migrationTableSchema: schema }),
  });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}
