import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { HandleEmptyInListsPlugin, Kysely, replaceWithNoncontingentExpression, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { databaseName, hasNoFile, isServerUrl } from './database-url.ts';
import { damaged, StoreError, type StoreErrorCode, toStoreError } from './errors.ts';
import { HISTORY_MIGRATIONS, KEY_MIGRATIONS, type Migrations } from './migrations.ts';
import { refuseMoved } from './moved.ts';
import { ephemeralSealer, fileSealer, givenSealer, NO_SEALER, type Sealer } from './sealer.ts';
import { FILE_TABLES, sqliteDialect } from './sqlite.ts';
import { isPostgres, type KeyTables, type Queries, readMeta, saveMeta, type Tables } from './tables.ts';

/** SQLite blocks the whole process while it waits. */
const BUSY_TIMEOUT_MS = 20;
const RETRY_AFTER_MS = 40;
/** PostgreSQL 13 is out of support. */
const OLDEST_POSTGRES = 14;

/** How long work is retried after each error code, ms. */
export type RetryTimes = Readonly<Partial<Record<StoreErrorCode, number>>>;

/** A restarted server is back within this time. */
const WHILE_BUSY: RetryTimes = { busy: 5_000, unreachable: 5_000 };
/** While another process creates the same file, switching to the write-ahead log fails instead of waiting. */
const WHILE_MADE: RetryTimes = { busy: 5_000, failed: 1_000 };

/** An open database. Its one owner closes it. `run` and `transaction` reject with a `StoreError`. */
export interface Database<Schema = Tables> extends AsyncDisposable {
  readonly queries: Kysely<Schema>;
  /** For messages: the file name without its folder, or the server's database and host. */
  readonly name: string;
  /** Set once a page could not be read: later results may be wrong or incomplete. */
  readonly damage: StoreError | null;
  readonly sealer: Sealer;
  /**
   * Runs reads, or one writing statement, with retries while the database is busy or away: failed work must leave no
   * trace, and work that is done twice must leave what it leaves once.
   */
  run<Result>(work: (db: Kysely<Schema>) => Promise<Result>, retryTimes?: RetryTimes): Promise<Result>;
  /** Runs one writing statement that must not be repeated: not retried where it may have been done, its result lost. */
  runOnce<Result>(work: (db: Kysely<Schema>) => Promise<Result>, retryTimes?: RetryTimes): Promise<Result>;
  /**
   * Runs one transaction, with retries, serializable on PostgreSQL. Durable once it resolves. Writes nothing once a newer
   * program has changed the schema (`newer-schema`).
   */
  transaction<Result>(
    work: (trx: Kysely<Schema>) => Promise<Result>,
    retryTimes?: RetryTimes,
  ): Promise<Result>;
  /** The same for work that locks the rows it reads, and that leaves what it leaves once where its result was lost. */
  lockingTransaction<Result>(work: (trx: Kysely<Schema>) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

/** A part of what an open database holds. Every method rejects with a `StoreError`. */
export class Store<Schema = Tables> {
  protected readonly database: Database<Schema>;

  constructor(database: Database<Schema>) {
    this.database = database;
  }

  /** For messages. */
  get name(): string {
    return this.database.name;
  }

  /** Whether it is on a server, where other machines may write to it. */
  get isOnServer(): boolean {
    return isPostgres(this.database.queries);
  }
}

type ConnectFile = (path: string) => DatabaseSync;

/** API keys and their usage: in a separate file, or on PostgreSQL beside the rest. */
export type KeyDatabase = Database<KeyTables>;

/**
 * Opens (or creates) the history at `target`: a file, `':memory:'`, `TEMPORARY_DATABASE`, or the URL of a PostgreSQL
 * database. Migrates its schema. A new folder gets mode 0700, files 0600.
 * @param key encrypts signed bytes; by default a file has its own key beside it, and a server stores no auto-txs.
 * @param connect opens the file; it may bring an image that is migrated already.
 * @throws {StoreError} for another database, one of a newer program, or one that cannot be written or created.
 */
export async function openDatabase(
  target: string,
  key: Buffer | null = null,
  connect?: ConnectFile,
): Promise<Database> {
  const sealer = sealerOf(target, key);
  const database = await open<Tables>(target, HISTORY_MIGRATIONS, sealer, { connect });
  try {
    if (!isServerUrl(target)) await database.run((db) => sealOnce(db, sealer));
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}

function sealerOf(target: string, key: Buffer | null): Sealer {
  if (key !== null) return givenSealer(key);
  if (isServerUrl(target)) return NO_SEALER;
  return hasNoFile(target) ? ephemeralSealer() : fileSealer(target);
}

/** Once per file: encrypts signed bytes of an older version, and rewrites the pages that held them. */
async function sealOnce(db: Queries, sealer: Sealer): Promise<void> {
  if ((await readMeta(db, 'sealed')) === '1') return;
  await db.transaction().execute(async (trx) => {
    const signed = trx.selectFrom('signed_transactions').select(['auto_tx_id as id', 'bytes']);
    const plain = await signed.where('key_id', 'is', null).execute();
    if (plain.length > 0) sealer.makeKey();
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

/** Every statement on keys is small: who makes one, and each request that is counted, waits for no lost answer. */
const KEY_ANSWER_MS = 10_000;

export const openKeyDatabase = (target: string, answerMs = KEY_ANSWER_MS): Promise<KeyDatabase> =>
  open<KeyTables>(target, KEY_MIGRATIONS, NO_SEALER, { answerMs });

/**
 * Opens files to copy them, also one that was moved, and leaves them as they are. @throws {StoreError} for a file without
 * anything in it, of something else, or of another version.
 */
export const openHistoryToMove = (path: string): Promise<Database> =>
  openAsIs<Tables>(path, HISTORY_MIGRATIONS, fileSealer(path), 'copy');
export const openKeysToRead = (path: string): Promise<KeyDatabase> =>
  openAsIs<KeyTables>(path, KEY_MIGRATIONS, NO_SEALER, 'copy', true);

/** Opens a file that was moved, of any version up to this one's. @throws {StoreError} */
export const openMoved = (path: string): Promise<Database> =>
  openAsIs<Tables>(path, HISTORY_MIGRATIONS, NO_SEALER, 'take-back');

async function openAsIs<Schema>(
  path: string,
  migrations: Migrations,
  sealer: Sealer,
  purpose: Purpose,
  readOnly = false,
): Promise<Database<Schema>> {
  const name = databaseName(path);
  if (statSync(path).size === 0)
    throw new StoreError('not-a-database', `${name} has nothing in it; check the path`);
  const connect = (file: string) => new DatabaseSync(file, { readOnly });
  return open<Schema>(path, migrations, sealer, { connect, purpose });
}

/** For counting requests: safe from a kill, but in a file not from a power cut, which costs a busy service a seventh. */
export async function openUsageDatabase(target: string): Promise<KeyDatabase> {
  const database = await openKeyDatabase(target);
  if (!isServerUrl(target)) await database.run((db) => sql`pragma synchronous = normal`.execute(db));
  return database;
}

const [FIRST_OF_HISTORY = ''] = Object.keys(HISTORY_MIGRATIONS);

interface Opening {
  readonly connect?: ConnectFile | undefined;
  readonly purpose?: Purpose;
  /** How long an answer of a server may take once its schema is there. */
  readonly answerMs?: number;
}

type Migrated = Record<'kysely_migration', { name: string }>;

/** `copy`: the file stays as it is. `take-back`: of it that it was moved is read, and changed. */
type Purpose = 'use' | 'copy' | 'take-back';

const SERVER_MIGRATIONS: Migrations = { ...HISTORY_MIGRATIONS, ...KEY_MIGRATIONS };

async function open<Schema>(
  target: string,
  migrations: Migrations,
  sealer: Sealer,
  { connect = (path) => new DatabaseSync(path), purpose = 'use', answerMs }: Opening = {},
): Promise<Database<Schema>> {
  const name = databaseName(target);
  const opening = () =>
    isServerUrl(target)
      ? openServer<Schema>(target, name, answerMs)
      : openFile<Schema>(target, migrations, name, connect, purpose);
  const { queries, once, transact } = await retryWhileBusy(name, opening, WHILE_MADE);
  // At the end, where a file is locked if anything was written.
  const unlessNewer =
    <Result>(work: (trx: Kysely<Schema>) => Promise<Result>) =>
    async (trx: Kysely<Schema>) => {
      const result = await work(trx);
      await refuseNewer(trx);
      return result;
    };
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
    runOnce: (work, retryTimes) => attempt(() => once(work), retryTimes),
    transaction: (work, retryTimes) => attempt(() => transact(unlessNewer(work)), retryTimes),
    lockingTransaction: (work) => attempt(() => queries.transaction().execute(unlessNewer(work))),
    close: () => queries.destroy(),
    [Symbol.asyncDispose]: () => queries.destroy(),
  };
}

interface Opened<Schema> {
  readonly queries: Kysely<Schema>;
  readonly once: Database<Schema>['runOnce'];
  readonly transact: Database<Schema>['transaction'];
}

async function openFile<Schema>(
  path: string,
  migrations: Migrations,
  name: string,
  connect: ConnectFile,
  purpose: Purpose,
): Promise<Opened<Schema>> {
  let file: DatabaseSync | null = null;
  try {
    if (!hasNoFile(path) && purpose === 'use') {
      makePrivateFolder(dirname(path));
      closeSync(openSync(path, 'a', 0o600));
    }
    file = connect(path);
    file.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
    const dialect = sqliteDialect(file);
    const migrated = new Kysely<Migrated>({ dialect });
    // Before any change: it may be the wrong database.
    const applied = await refuseForeign(migrated, migrations, name);
    const queries = new Kysely<Schema>({ dialect });
    const opened: Opened<Schema> = {
      queries,
      once: (work) => work(queries),
      transact: (work) => queries.transaction().execute(work),
    };
    if (purpose === 'take-back') return opened;
    if (purpose === 'copy') {
      if (Object.keys(migrations).every((each) => applied.has(each))) return opened;
      const words = 'is of an older gastop; start this one on it once, so that it is brought up to date';
      throw new StoreError('not-a-database', `${name} ${words}`);
    }
    if (applied.has(FIRST_OF_HISTORY)) await refuseMoved(new Kysely<Tables>({ dialect }), name);
    if (!hasNoFile(path)) makePrivate(path);
    // Write-ahead log: readers continue while a block is written, and a kill loses at most the open transaction.
    file.exec('pragma journal_mode = wal');
    // Each commit is synced to disk: an alert must not fire again after a power cut.
    file.exec('pragma synchronous = full');
    // Overwrites deleted data, as signed bytes require; does not slow down block writes.
    file.exec('pragma secure_delete = on');
    if (applied.size > 0) refuseDamaged(file, name);
    await migrate(migrated, migrations, applied);
    return opened;
  } catch (error) {
    try {
      file?.close();
    } catch {}
    throw error;
  }
}

async function openServer<Schema>(url: string, name: string, answerMs?: number): Promise<Opened<Schema>> {
  const { ANSWER_WITHIN_MS, postgresDialect } = await import('./postgres.ts');
  const limit = { withinMs: ANSWER_WITHIN_MS };
  const dialect = postgresDialect(url, limit);
  const plugins = [new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression })];
  const queries = new Kysely<Schema>({ dialect, plugins });
  try {
    const about = sql<{ schema: string | null; version: number }>`
      select current_schema() as schema, current_setting('server_version_num')::int / 10000 as version`;
    const [{ schema = null, version = 0 } = {}] = (await about.execute(queries)).rows;
    const tooOld = `${name} is PostgreSQL ${version}, which is too old; gastop needs ${OLDEST_POSTGRES} or newer`;
    if (version < OLDEST_POSTGRES) throw new StoreError('unreachable', tooOld);
    const noSchema = `${name} has none of the schemas in the search_path; make it with create schema, or correct the URL`;
    if (schema === null) throw new StoreError('not-permitted', noSchema);
    const migrated = new Kysely<Migrated>({ dialect });
    const applied = await refuseForeign(migrated, SERVER_MIGRATIONS, name);
    await migrate(migrated, SERVER_MIGRATIONS, applied, schema);
    // Fails on a standby server, and where the role may only read.
    await sql`update leases set holder = holder where false`.execute(queries);
    limit.withinMs = answerMs ?? ANSWER_WITHIN_MS;
    return {
      queries,
      once: (work) =>
        unlessLost(name, (mayBeDone) =>
          queries.connection().execute((db) => {
            mayBeDone();
            return work(db);
          }),
        ),
      transact: (work) =>
        unlessLost(name, (mayBeDone) =>
          queries
            .transaction()
            .setIsolationLevel('serializable')
            .execute(async (trx) => {
              const result = await work(trx);
              mayBeDone();
              return result;
            }),
        ),
    };
  } catch (error) {
    await queries.destroy().catch(() => {});
    const failure = toStoreError(error, name);
    // No retry helps with a server that refuses the connection.
    throw failure.code in WHILE_MADE
      ? failure
      : new StoreError('unreachable', failure.message, { cause: failure.cause });
  }
}

/** Rejects with `failed` once `work` may be done although its answer was lost: a retry might repeat it. */
function unlessLost<Result>(name: string, work: (mayBeDone: () => void) => Promise<Result>): Promise<Result> {
  let isPerhapsDone = false;
  const mayBeDone = () => {
    isPerhapsDone = true;
  };
  return work(mayBeDone).catch((error: unknown) => {
    if (!isPerhapsDone || toStoreError(error, name).code !== 'unreachable') throw error;
    throw new StoreError('failed', `${name} was lost while it wrote; what became of that is not known`);
  });
}

/** Readiness must not flap while another process writes a page. */
const WHILE_PROBED: RetryTimes = { busy: 1_000, unreachable: 1_000 };

/** Resolves when each table can be written now; changes nothing. @throws {StoreError} */
export async function requireWritable<Schema>(
  { run }: Pick<Database<Schema>, 'run'>,
  tables: readonly (keyof Schema & string)[],
): Promise<void> {
  const named = tables.map((table) => sql.table(table));
  const probe = async (trx: Kysely<Schema>) => {
    // Without waiting for a lock, which would hold a connection.
    if (isPostgres(trx)) await sql`lock table ${sql.join(named)} in row exclusive mode nowait`.execute(trx);
    else for (const table of named) await sql`delete from ${table} where false`.execute(trx);
  };
  await run((db) => db.transaction().execute(probe), WHILE_PROBED);
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
      const withinMs = retryTimes[failure.code];
      if (withinMs === undefined || performance.now() - startedAt > withinMs) throw failure;
      // With jitter, so that waiting processes do not retry at the same moment.
      await setTimeout(RETRY_AFTER_MS * (0.5 + Math.random()));
    }
  }
}

/** Node's own recursive form loops for ever when an existing folder cannot have children, as in /proc. */
function makePrivateFolder(path: string): void {
  if (existsSync(path)) return;
  if (dirname(path) !== path) makePrivateFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (!existsSync(path)) throw error;
  }
}

/** SQLite creates -wal and -shm with the mode of the file at that moment. */
function makePrivate(path: string): void {
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    // Others have the database open, and these may disappear with them.
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats !== undefined && (stats.mode & 0o077) !== 0) chmodSync(file, 0o600);
  }
}

const CHECK_MS = 250;
const CHECKED_ROWS = 50_000;

/** Checks all tables but the largest for damaged pages, within the time limit. @throws {StoreError} `damaged` */
function refuseDamaged(file: DatabaseSync, name: string): void {
  const startedAt = performance.now();
  for (const { name: table } of file.prepare("select name from sqlite_schema where type = 'table'").all()) {
    if (performance.now() - startedAt > CHECK_MS) return;
    if (Number(file.prepare(`select max(rowid) as rows from "${table}"`).get()?.rows) > CHECKED_ROWS)
      continue;
    if (file.prepare(`pragma quick_check("${table}")`).get()?.quick_check !== 'ok') throw damaged(name);
  }
}

/** The names of the migrations that it has. */
async function refuseForeign(
  queries: Kysely<Migrated>,
  migrations: Migrations,
  name: string,
): Promise<ReadonlySet<string>> {
  const choose = isPostgres(queries) ? 'choose another database' : 'choose another database file';
  const { rows } = await (isPostgres(queries) ? SERVER_TABLES : FILE_TABLES).execute(queries);
  const tables = rows.map((row) => row.name);
  if (!tables.includes('kysely_migration')) {
    // A kill during the very first opening may leave only the migrator's tables.
    if (tables.every((table) => table.startsWith('kysely_migration'))) return new Set();
    throw new StoreError('foreign-database', `${name} belongs to another program; ${choose}`);
  }
  const rowsApplied = await queries.selectFrom('kysely_migration').select('name').execute();
  const applied = rowsApplied.map((row) => row.name);
  if (applied.length > 0 && !applied.some((each) => each in migrations))
    throw new StoreError('foreign-database', `${name} is a database of gastop for something else; ${choose}`);
  if (applied.some((each) => !(each in migrations)))
    throw new StoreError('newer-schema', `${name} was written by a newer gastop; update gastop or ${choose}`);
  return new Set(applied);
}

/** @throws {StoreError} `newer-schema`: a newer program has changed the schema since this one opened the database. */
export async function refuseNewer<Schema>(db: Kysely<Schema>): Promise<void> {
  const names = sql.join(Object.keys(SERVER_MIGRATIONS));
  const { rows } = await sql`select 1 from kysely_migration where name not in (${names})`.execute(db);
  const words = 'a newer gastop has updated the database; restart this one updated, too';
  if (rows.length > 0) throw new StoreError('newer-schema', words);
}

/** Of this schema alone, without extensions. */
const SERVER_TABLES = sql<{ name: string }>`
  select relname as name from pg_class
  where relkind in ('r', 'p') and relnamespace = (select oid from pg_namespace where nspname = current_schema())
    and not exists (select 1 from pg_depend where objid = pg_class.oid and deptype = 'e')`;

async function migrate(
  db: Kysely<Migrated>,
  migrations: Migrations,
  applied: ReadonlySet<string>,
  schema?: string,
): Promise<void> {
  // Most starts need no migration, and loading the migrator takes as long as all the rest.
  if (Object.keys(migrations).every((each) => applied.has(each))) return;
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => ({ ...migrations }) },
    // The migrations of the keys have their own order.
    allowUnorderedMigrations: true,
    ...(schema === undefined ? {} : { migrationTableSchema: schema }),
  });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}
