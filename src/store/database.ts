import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { Kysely } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { damaged, StoreError, type StoreErrorCode, toStoreError } from './errors.ts';
import { HISTORY_MIGRATIONS, KEY_MIGRATIONS } from './migrations/migrations.ts';
import { NodeSqliteDialect } from './sqlite.ts';
import type { KeyTables, Tables } from './tables.ts';

/** SQLite waits inside a call, and nothing else happens in the process meanwhile: so short is not felt. */
const BUSY_TIMEOUT_MS = 20;
const RETRY_AFTER_MS = 40;

/** For how long work that another process may be in the way of is tried again, ms. */
export type Patience = Readonly<Partial<Record<StoreErrorCode, number>>>;

const WHILE_BUSY: Patience = { busy: 5_000 };
/** Another process may be making the same file at this moment: switching to the log fails rather than waits. */
const WHILE_MADE: Patience = { busy: 5_000, failed: 1_000 };

/** A database that nobody needs tomorrow: SQLite keeps it in an unlinked file, so it costs disk and not memory. */
export const TEMPORARY_DATABASE = '';

type Migrations = Readonly<Record<string, Migration>>;

/** An open database. One owner closes it. `run` and `transaction` reject with a `StoreError`. */
export interface Database<Schema = Tables> {
  readonly queries: Kysely<Schema>;
  /** The file's name for messages; the folder is nobody's business. */
  readonly name: string;
  /** That a page could not be read since it was opened: what is answered from it may be wrong or missing. */
  readonly damage: StoreError | null;
  /**
   * Reads, or one statement that writes. Work is tried again while another process holds the database, so it leaves
   * nothing behind when it fails.
   */
  run<Result>(work: (db: Kysely<Schema>) => Promise<Result>, patience?: Patience): Promise<Result>;
  /** One transaction, tried again likewise. Once this resolves, neither a kill nor a power cut takes it back. */
  transaction<Result>(work: (trx: Kysely<Schema>) => Promise<Result>, patience?: Patience): Promise<Result>;
  close(): Promise<void>;
}

/** Keys and what each has used lie in a file of their own. */
export type KeyDatabase = Database<KeyTables>;

/**
 * Opens (or makes) the history at `path`, one that lives in memory for `':memory:'`, or one that ends with the process
 * for {@link TEMPORARY_DATABASE}, and brings its schema up to date. The folder is made with mode 0700, the files have
 * mode 0600.
 * @throws {StoreError} when it is not ours, of another kind, newer than this program, not writable or cannot be made.
 */
export const openDatabase = (path: string): Promise<Database> => open<Tables>(path, HISTORY_MIGRATIONS);

/** Opens (or makes) the keys' file as {@link openDatabase} does. */
export const openKeyDatabase = (path: string): Promise<KeyDatabase> => open<KeyTables>(path, KEY_MIGRATIONS);

function open<Schema>(path: string, migrations: Migrations): Promise<Database<Schema>> {
  return retryWhileBusy(nameOf(path), () => openOnce<Schema>(path, migrations), WHILE_MADE);
}

/** The migrator's own table. */
interface Migrated {
  kysely_migration: { name: string };
}

const hasNoFile = (path: string) => path === ':memory:' || path === TEMPORARY_DATABASE;

const nameOf = (path: string) => (hasNoFile(path) ? 'the temporary database' : basename(path));

async function openOnce<Schema>(path: string, migrations: Migrations): Promise<Database<Schema>> {
  const name = nameOf(path);
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
    let damage: StoreError | null = null;
    const attempt = <Result>(work: () => Promise<Result>, patience?: Patience) =>
      retryWhileBusy(name, work, patience).catch((error: unknown) => {
        if (error instanceof StoreError && error.code === 'damaged') damage = error;
        throw error;
      });
    return {
      queries,
      name,
      get damage() {
        return damage;
      },
      run: (work, patience) => attempt(() => work(queries), patience),
      transaction: (work, patience) => attempt(() => queries.transaction().execute(work), patience),
      close: () => queries.destroy(),
    };
  } catch (error) {
    closeQuietly(file);
    throw error;
  }
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
      await setTimeout(RETRY_AFTER_MS);
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
  const tables = (await queries.introspection.getTables({ withInternalKyselyTables: true })).map(
    (table) => table.name,
  );
  // A kill during the very first opening may leave the migrator's tables alone.
  if (tables.every((table) => table.startsWith('kysely_migration')) && !tables.includes('kysely_migration'))
    return new Set();
  if (!tables.includes('kysely_migration')) {
    throw new StoreError(
      'foreign-database',
      `${name} belongs to another program; choose another database file`,
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
      `${name} was written by a newer gastop; update gastop or choose another database file`,
    );
  }
  return new Set(applied.map((migration) => migration.name));
}

async function migrate(queries: Kysely<Migrated>, migrations: Migrations): Promise<void> {
  const migrator = new Migrator({
    db: queries,
    provider: { getMigrations: async () => ({ ...migrations }) },
  });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}
