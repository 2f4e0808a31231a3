import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import { ALL_MIGRATIONS } from './migrations/all-migrations.ts';
import { NodeSqliteDialect } from './node-sqlite-dialect.ts';
import type { Tables } from './schema.ts';
import { StoreError } from './store-error.ts';
import { BUSY_TIMEOUT_MS, type Patience, whileBusy } from './while-busy.ts';

/** Another process may be making the same file at this moment: switching to the log fails rather than waits. */
const WHILE_MADE: Patience = { busy: 5_000, failed: 1_000 };

/** A database that nobody needs tomorrow: SQLite keeps it in an unlinked file, so it costs disk and not memory. */
export const TEMPORARY_DATABASE = '';

/** An open history. One owner closes it. */
export interface Database {
  readonly queries: Kysely<Tables>;
  /** The file's name for messages; the folder is nobody's business. */
  readonly name: string;
  close(): Promise<void>;
}

/**
 * Opens (or makes) the history at `path`, one that lives in memory for `':memory:'`, or one that ends with the
 * process for {@link TEMPORARY_DATABASE}, and brings its schema up to date. The folder is made with mode 0700, the files have mode 0600.
 * @throws {StoreError} when it is not ours, newer than this program, not writable or cannot be made.
 */
export function openDatabase(path: string): Promise<Database> {
  return whileBusy(nameOf(path), () => openOnce(path), WHILE_MADE);
}

const hasNoFile = (path: string) => path === ':memory:' || path === TEMPORARY_DATABASE;

const nameOf = (path: string) => (hasNoFile(path) ? 'the temporary database' : basename(path));

async function openOnce(path: string): Promise<Database> {
  const name = nameOf(path);
  let database: DatabaseSync | null = null;
  try {
    if (!hasNoFile(path)) makePrivateFile(path);
    database = new DatabaseSync(path);
    configure(database);
    const queries = new Kysely<Tables>({ dialect: new NodeSqliteDialect(database) });
    await refuseForeign(queries, name);
    await migrate(queries);
    return { queries, name, close: () => queries.destroy() };
  } catch (error) {
    closeQuietly(database);
    throw error;
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
  // SQLite gives -wal and -shm the mode of the file itself, so that one must be right before it opens.
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
}

function configure(database: DatabaseSync): void {
  database.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
  // Write-ahead log: readers go on while a block is written, and a kill loses at most the open transaction.
  database.exec('pragma journal_mode = wal');
  database.exec('pragma synchronous = normal');
}

async function refuseForeign(queries: Kysely<Tables>, name: string): Promise<void> {
  const tables = (await queries.introspection.getTables({ withInternalKyselyTables: true })).map(
    (table) => table.name,
  );
  // A kill during the very first opening may leave the migrator's tables alone.
  if (tables.every((table) => table.startsWith('kysely_migration')) && !tables.includes('kysely_migration'))
    return;
  if (!tables.includes('kysely_migration')) {
    throw new StoreError(
      'foreign-database',
      `${name} belongs to another program; choose another database file`,
    );
  }
  const applied = await queries
    .withTables<{ kysely_migration: { name: string } }>()
    .selectFrom('kysely_migration')
    .select('name')
    .execute();
  if (applied.some((migration) => !(migration.name in ALL_MIGRATIONS))) {
    throw new StoreError(
      'newer-schema',
      `${name} was written by a newer gastop; update gastop or choose another database file`,
    );
  }
}

async function migrate(queries: Kysely<Tables>): Promise<void> {
  const migrator = new Migrator({
    db: queries,
    provider: { getMigrations: async () => ({ ...ALL_MIGRATIONS }) },
  });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}
