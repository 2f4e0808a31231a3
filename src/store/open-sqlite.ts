import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { NodeSqliteDialect } from './node-sqlite-dialect.ts';
import { StoreError } from './store-error.ts';
import { BUSY_TIMEOUT_MS, type Patience, whileBusy } from './while-busy.ts';

/** Another process may be making the same file at this moment: switching to the log fails rather than waits. */
const WHILE_MADE: Patience = { busy: 5_000, failed: 1_000 };

/** A database that nobody needs tomorrow: SQLite keeps it in an unlinked file, so it costs disk and not memory. */
export const TEMPORARY_DATABASE = '';

/** What lies in one kind of file, and how hard it is held on to. */
export interface DatabaseKind {
  /** Every schema change in order; the names tell the kinds apart. */
  readonly migrations: Readonly<Record<string, Migration>>;
  /** SQL that makes in an empty file what all of them come to. */
  readonly ready?: string;
  /** What `process` has written survives its kill; `power` waits for the disk, so that a power cut takes nothing. */
  readonly survives: 'process' | 'power';
}

/** An open database. One owner closes it. */
export interface SqliteFile<Tables> {
  readonly queries: Kysely<Tables>;
  /** The file's name for messages; the folder is nobody's business. */
  readonly name: string;
  /** One transaction that a power cut does not take once this resolves, whatever the file is held to otherwise. */
  durably<Result>(work: (trx: Kysely<Tables>) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

/**
 * Opens (or makes) the file at `path`, one that lives in memory for `':memory:'`, or one that ends with the
 * process for {@link TEMPORARY_DATABASE}, and brings its schema up to date. The folder is made with mode 0700, the files have mode 0600.
 * @throws {StoreError} when it is not ours, of another kind, newer than this program, not writable or cannot be made.
 */
export function openSqlite<Tables>(path: string, kind: DatabaseKind): Promise<SqliteFile<Tables>> {
  return whileBusy(nameOf(path), () => openOnce<Tables>(path, kind), WHILE_MADE);
}

/** The migrator's own table. */
interface Migrated {
  kysely_migration: { name: string };
}

const hasNoFile = (path: string) => path === ':memory:' || path === TEMPORARY_DATABASE;

const nameOf = (path: string) => (hasNoFile(path) ? 'the temporary database' : basename(path));

async function openOnce<Tables>(path: string, kind: DatabaseKind): Promise<SqliteFile<Tables>> {
  const name = nameOf(path);
  let database: DatabaseSync | null = null;
  try {
    if (!hasNoFile(path)) makePrivateFile(path);
    database = new DatabaseSync(path);
    database.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
    const dialect = new NodeSqliteDialect(database);
    const migrated = new Kysely<Migrated>({ dialect });
    // Before anything is changed: it may have been named by mistake.
    const applied = await refuseForeign(migrated, kind, name);
    if (!hasNoFile(path)) makePrivate(path);
    configure(database, kind);
    // Most starts find it up to date, and the migrator takes as long as all the rest.
    const isCurrent = Object.keys(kind.migrations).every((each) => applied.has(each));
    if (!isCurrent && !makeReady(database, kind)) await migrate(migrated, kind);
    const queries = new Kysely<Tables>({ dialect });
    return {
      queries,
      name,
      durably: durably(database, queries, kind),
      close: () => queries.destroy(),
    };
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

function configure(database: DatabaseSync, kind: DatabaseKind): void {
  // Write-ahead log: readers go on while a block is written, and a kill loses at most the open transaction.
  database.exec('pragma journal_mode = wal');
  // What is deleted is gone from the file, as signed bytes must be; a block takes no longer to write for it.
  database.exec('pragma secure_delete = on');
  holdTo(database, kind.survives);
}

/** `full` waits for the disk at each commit. Said to the database itself: a kept statement would say it only once. */
function holdTo(database: DatabaseSync, survives: DatabaseKind['survives']): void {
  database.exec(`pragma synchronous = ${survives === 'power' ? 'full' : 'normal'}`);
}

function durably<Tables>(
  database: DatabaseSync,
  queries: Kysely<Tables>,
  { survives }: DatabaseKind,
): SqliteFile<Tables>['durably'] {
  return (work) =>
    // The file's only connection is ours until the end.
    queries.connection().execute(async (connection) => {
      holdTo(database, 'power');
      try {
        return await connection.transaction().execute(work);
      } finally {
        holdTo(database, survives);
      }
    });
}

/** Answers the schema changes that it has. */
async function refuseForeign(
  queries: Kysely<Migrated>,
  { migrations }: DatabaseKind,
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

/** Makes all of it in one transaction where there is nothing yet; answers whether that was so. */
function makeReady(database: DatabaseSync, { ready, migrations }: DatabaseKind): boolean {
  if (ready === undefined) return false;
  // What fails in here is taken back when the database is closed for it.
  database.exec('begin immediate');
  // Another process may be making the same file.
  const isEmpty = database.prepare('select 1 from sqlite_schema').get() === undefined;
  if (isEmpty) {
    database.exec(ready);
    const note = database.prepare('insert into kysely_migration (name, timestamp) values (?, ?)');
    for (const name of Object.keys(migrations)) note.run(name, new Date().toISOString());
  }
  database.exec('commit');
  return isEmpty;
}

async function migrate(queries: Kysely<Migrated>, { migrations }: DatabaseKind): Promise<void> {
  const migrator = new Migrator({
    db: queries,
    provider: { getMigrations: async () => ({ ...migrations }) },
  });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}
