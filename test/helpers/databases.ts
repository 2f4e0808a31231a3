import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Kysely, sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { isServerUrl } from '../../src/store/database-url.ts';
import { postgresDialect } from '../../src/store/postgres.ts';
import { isPostgres } from '../../src/store/tables.ts';
import { openDatabase as openCopied } from './open-database.ts';
import { postgresServer } from './postgres-server.ts';
import { isSlowRun } from './rounds.ts';
import { temporaryFolder } from './service.ts';
import { waitFor } from './wait-for.ts';

/** What signed bytes are encrypted with: a server has no key of its own. */
export const TEST_KEY = Buffer.alloc(32, 7);

export type Engine = 'SQLite' | 'PostgreSQL';

const server = await postgresServer();

/** For `describe.each`: what a store runs on. PostgreSQL is left out where it cannot run. */
export const ENGINES: readonly Engine[] = server === null ? ['SQLite'] : ['SQLite', 'PostgreSQL'];

/** For suites of many processes or stories: on a server they take their time. */
export const SLOW_ENGINES = ENGINES.filter((engine) => engine === 'SQLite' || isSlowRun);

/** A test that PostgreSQL is left out of in `npm test`. */
export const testOn = (engine: Engine) => test.runIf(SLOW_ENGINES.includes(engine));

/** For suites that kill hundreds of processes: on a server each life takes seconds, and fewer show as much. */
export const killsOn = (kills: number, mostOnServer = 100) =>
  SLOW_ENGINES.map((engine) => ({
    engine,
    kills: engine === 'SQLite' ? kills : Math.min(kills, mostOnServer),
  }));

export async function emptyDatabase(engine: Engine, kind: 'memory' | 'shared' = 'memory'): Promise<string> {
  if (engine === 'PostgreSQL') return emptyServerDatabase();
  return kind === 'memory' ? ':memory:' : join(await temporaryFolder(), 'chain-1.db');
}

export async function openOn(engine: Engine): Promise<Database> {
  const database = await openCopied(await emptyDatabase(engine), TEST_KEY);
  onTestFinished(() => database.close().catch(() => {}));
  return database;
}

const free: string[] = [];

async function emptyServerDatabase(): Promise<string> {
  const url = free.pop() ?? (await makeDatabase());
  onTestFinished(async () => {
    await wipe(url);
    free.push(url);
  });
  return url;
}

async function makeDatabase(): Promise<string> {
  // A worker reads this module again for another file.
  const name = `test_${randomBytes(8).toString('hex')}`;
  await asked(`${server}/postgres`, `create database ${name}`);
  const url = `${server}/${name}`;
  await (await openDatabase(url)).close();
  return url;
}

/** Faster than to truncate, as little as tests leave behind. */
const WIPE = `do $$ declare one text; begin
  for one in select tablename from pg_tables where schemaname = 'public' and tablename not like 'kysely%'
    order by tablename = 'keys' loop execute format('delete from %I', one); end loop; end $$`;

export const wipe = (url: string) => asked(url, WIPE);

/** Waits until a server has done with processes that were killed: what they had asked for may still be written. */
export async function afterKills(target: string): Promise<void> {
  if (!isServerUrl(target)) return;
  const others = `select pid from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`;
  await waitFor(async () => (await asked(target, others)).length === 0, { what: 'no other connection' });
}

/** Of a file that processes were killed over: its pages hold together. */
export async function expectWhole<Schema>({ queries }: Pick<Database<Schema>, 'queries'>): Promise<void> {
  if (isPostgres(queries)) return;
  const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(queries);
  expect(rows).toEqual([{ integrity_check: 'ok' }]);
}

const connected = new Map<string, Kysely<object>>();

export async function asked(url: string, statement: string): Promise<unknown[]> {
  const db = connected.get(url) ?? new Kysely<object>({ dialect: postgresDialect(url) });
  connected.set(url, db);
  return (await sql.raw(statement).execute(db)).rows;
}
