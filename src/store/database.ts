import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { HandleEmptyInListsPlugin, Kysely, replaceWithNoncontingentExpression, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { sealUnsealed } from './auto-tx-rows.ts';
import { databaseName, hasNoFile, isServerUrl } from './database-url.ts';
import { damaged, StoreError, type StoreErrorCode, toStoreError } from './errors.ts';
import { readMeta, saveMeta } from './meta.ts';
import { HISTORY_MIGRATIONS, KEY_MIGRATIONS, type Migrations } from './migrations.ts';
import { createSealer, fileSealer, NO_SEALER, passingSealer, type Sealer } from './sealer.ts';
import { NodeSqliteDialect } from './sqlite.ts';
import { isPostgres, type KeyTables, type Queries, type Tables } from './tables.ts';

/** SQLite waits inside a call, and nothing else happens in the process meanwhile: so short is not felt. */
const BUSY_TIMEOUT_MS = 20;
const RETRY_AFTER_MS = 40;

/** For how long work that another process may be in the way of is tried again, ms. */
export type Patience = Readonly<Partial<Record<StoreErrorCode, number>>>;

/** A server that is started anew is back within it. */
const WHILE_BUSY: Patience = { busy: 5_000, unreachable: 5_000 };
/** Another process may be making the same file at this moment: switching to the log fails rather than waits. */
const WHILE_MADE: Patience = { busy: 5_000, failed: 1_000 };

/** An open database. One owner closes it. `run` and `transaction` reject with a `StoreError`. */
export interface Database<Schema = Tables> {
  readonly queries: Kysely<Schema>;
  /** For messages: the file's name without its folder, or the server's database and host. */
  readonly name: string;
  /** That a page could not be read since it was opened: what is answered from it may be wrong or missing. */
  readonly damage: StoreError | null;
  /** Encrypts what only its owner may send. */
  readonly sealer: Sealer;
  /**
   * Reads, or one statement that writes. Work is tried again while another process holds the database, so it leaves
   * nothing behind when it fails.
   */
  run<Result>(work: (db: Kysely<Schema>) => Promise<Result>, patience?: Patience): Promise<Result>;
  /**
   * One transaction, tried again likewise, and on PostgreSQL serializable: what it has read holds until its end. Once
   * this resolves, neither a kill nor a power cut takes it back.
   */
  transaction<Result>(work: (trx: Kysely<Schema>) => Promise<Result>, patience?: Patience): Promise<Result>;
  close(): Promise<void>;
}

/** Keys and what each has used: in a file of their own, or on PostgreSQL beside the rest. */
export type KeyDatabase = Database<KeyTables>;

/**
 * Opens (or makes) the history at `target`: a file, `':memory:'`, `TEMPORARY_DATABASE`, which ends with the
 * process, or the URL of a PostgreSQL database. Brings its schema up to date. A file's folder is made with mode 0700, the
 * files have mode 0600.
 * @param key encrypts signed bytes; without one a file has its own beside it, and a server keeps no auto-txs.
 * @throws {StoreError} when it is not ours, of another kind, newer than this program, not writable or cannot be made.
 */
export async function openDatabase(target: string, key: Buffer | null = null): Promise<Database> {
  const sealer = sealerOf(target, key);
  const database = await open<Tables>(target, HISTORY_MIGRATIONS, sealer);
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
  return hasNoFile(target) ? passingSealer() : fileSealer(target);
}

/** Once in the life of a file: seals signed bytes that an older program stored, and rewrites the pages that held them. */
async function sealOnce(db: Queries, sealer: Sealer): Promise<void> {
  if ((await readMeta(db, 'sealed')) === '1') return;
  await db.transaction().execute(async (trx) => {
    const sealed = await sealUnsealed(trx, sealer);
    if ((await readMeta(trx, 'sealed')) === null)
      await saveMeta(trx, 'sealed', sealed === 0 ? '1' : 'rewrite');
  });
  if ((await readMeta(db, 'sealed')) === '1') return;
  // Written over, a page keeps parts of what it held.
  await sql`vacuum`.execute(db);
  await sql`pragma wal_checkpoint(truncate)`.execute(db);
  await saveMeta(db, 'sealed', '1');
}

/** Opens (or makes) the keys' database as {@link openDatabase} does. */
export const openKeyDatabase = (target: string): Promise<KeyDatabase> =>
  open<KeyTables>(target, KEY_MIGRATIONS, NO_SEALER);

function open<Schema>(target: string, migrations: Migrations, sealer: Sealer): Promise<Database<Schema>> {
  const name = databaseName(target);
  const opening = isServerUrl(target)
    ? () => openServer<Schema>(target, { name, sealer })
    : () => openFile<Schema>(target, migrations, { name, sealer });
  return retryWhileBusy(name, opening, WHILE_MADE);
}

/** The migrator's own table. */
interface Migrated {
  kysely_migration: { name: string };
}

async function openFile<Schema>(
  path: string,
  migrations: Migrations,
  { name, sealer }: Known,
): Promise<Database<Schema>> {
  let file: DatabaseSync | null = null;
  try {
    if (!hasNoFile(path)) makePrivateFile(path);
    file = new DatabaseSync(path);
    file.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
    const dialect = new NodeSqliteDialect(file);
    const migrated = new Kysely<Migrated>({ dialect });
    // Before anything is changed: it may have been named by mistake.
    const applied = await refuseForeign(migrated, migrations, name);
    if (!hasNoFile(path)) makePrivate(path);
    configure(file);
    if (applied.size > 0) refuseDamaged(file, name);
    // Most starts find it up to date, and the migrator takes as long as all the rest.
    if (!Object.keys(migrations).every((each) => applied.has(each))) await migrate(migrated, migrations);
    const queries = new Kysely<Schema>({ dialect });
    return opened(queries, { name, sealer }, (work) => queries.transaction().execute(work));
  } catch (error) {
    closeQuietly(file);
    throw error;
  }
}

async function openServer<Schema>(url: string, { name, sealer }: Known): Promise<Database<Schema>> {
  // Who keeps a file needs none of it.
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
        // Tried again, it might be done twice.
        throw new StoreError('failed', `${name} was lost while it wrote; what became of that is not known`);
      }
    });
  } catch (error) {
    await queries.destroy().catch(() => {});
    const failure = toStoreError(error, name);
    // Whatever is wrong with a server that was named, nothing can be had of it.
    throw failure.code in WHILE_MADE
      ? failure
      : new StoreError('unreachable', failure.message, { cause: failure.cause });
  }
}

/** What is known of a database before it is open. */
type Known = Pick<Database, 'name' | 'sealer'>;

function opened<Schema>(
  queries: Kysely<Schema>,
  { name, sealer }: Known,
  transact: <Result>(work: (trx: Kysely<Schema>) => Promise<Result>) => Promise<Result>,
): Database<Schema> {
  let damage: StoreError | null = null;
  const attempt = <Result>(work: () => Promise<Result>, patience?: Patience) =>
    retryWhileBusy(name, work, patience).catch((error: unknown) => {
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
    run: (work, patience) => attempt(() => work(queries), patience),
    transaction: (work, patience) => attempt(() => transact(work), patience),
    close: () => queries.destroy(),
  };
}

/** One database of a server holds all. */
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

/** @throws {StoreError} whatever `work` threw last; `name` is the file, for people. */
async function retryWhileBusy<Result>(
  name: string,
  work: () => Promise<Result>,
  patience: Patience = WHILE_BUSY,
): Promise<Result> {
  const startedAt = performance.now();
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const failure = toStoreError(error, name);
      if (performance.now() - startedAt > (patience[failure.code] ?? Number.NEGATIVE_INFINITY)) throw failure;
      // Not at one moment for all that wait for the same.
      await setTimeout(RETRY_AFTER_MS * (0.5 + Math.random()));
    }
  }
}

/** What went wrong before is what is told. */
function closeQuietly(database: DatabaseSync | null): void {
  try {
    database?.close();
  } catch {}
}

/** Node's own recursive form goes round for ever where a folder is there but takes no children, as in /proc. */
function makePrivateFolder(path: string): void {
  if (existsSync(path)) return;
  if (dirname(path) !== path) makePrivateFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process was quicker.
    if (!existsSync(path)) throw error;
  }
}

function makePrivateFile(path: string): void {
  makePrivateFolder(dirname(path));
  closeSync(openSync(path, 'a', 0o600));
}

/** SQLite gives -wal and -shm the mode that the file itself had when they were made. */
function makePrivate(path: string): void {
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    try {
      if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600);
    } catch (error) {
      // They come and go with the processes that have it open.
      if (file === path || !isMissing(error)) throw error;
    }
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

function configure(file: DatabaseSync): void {
  // Write-ahead log: readers go on while a block is written, and a kill loses at most the open transaction.
  file.exec('pragma journal_mode = wal');
  // Each commit waits for the disk: what fired must not fire again after a power cut.
  file.exec('pragma synchronous = full');
  // What is deleted is gone from the file, as signed bytes must be; a block takes no longer to write for it.
  file.exec('pragma secure_delete = on');
}

/** No start waits longer than about twice this for the check of its database. */
const CHECK_MS = 250;
/** Rows of a table that are checked within a fraction of that. */
const CHECKED_ROWS = 50_000;

/**
 * Looks for pages that are damaged, in all tables but the largest, until the time is over. What is found only later makes
 * the service not ready.
 * @throws {StoreError} `damaged`
 */
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

/** Answers the schema changes that it has. */
async function refuseForeign(
  queries: Kysely<Migrated>,
  migrations: Migrations,
  name: string,
): Promise<ReadonlySet<string>> {
  const tables = await tableNames(queries);
  // A kill during the very first opening may leave the migrator's tables alone.
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

/** Of this schema alone, and not of an extension. */
const serverTables = sql<{ name: string }>`
  select relname as name from pg_class
  where relkind in ('r', 'p') and relnamespace = (select oid from pg_namespace where nspname = current_schema())
    and not exists (select 1 from pg_depend where objid = pg_class.oid and deptype = 'e')`;

async function tableNames(queries: Kysely<Migrated>): Promise<string[]> {
  const tables = isPostgres(queries)
    ? (await serverTables.execute(queries)).rows
    : await queries.introspection.getTables({ withInternalKyselyTables: true });
  return tables.map(({ name }) => name);
}

async function migrate(queries: Kysely<Migrated>, migrations: Migrations, schema?: string): Promise<void> {
  const migrator = new Migrator({
    db: queries,
    provider: { getMigrations: async () => ({ ...migrations }) },
    // Those of the keys count for themselves.
    allowUnorderedMigrations: true,
    ...(schema === undefined ? {} : { migrationTableSchema: schema }),
  });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}
