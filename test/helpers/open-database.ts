import { statSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import { type Database, openDatabase as openMigrating } from '../../src/store/database.ts';
import { HISTORY_MIGRATIONS } from '../../src/store/migrations.ts';
import { sqliteDialect } from '../../src/store/sqlite.ts';

/** It is global because a worker reads this module again for each test file. */
const worker = globalThis as { migratedHistory?: Uint8Array };

/** The product's `openDatabase`, but a new SQLite database begins as a copy of a migrated one: migrations take 13 ms. */
export async function openDatabase(target: string, key: Buffer | null = null): Promise<Database> {
  worker.migratedHistory ??= await migratedHistory();
  const image = worker.migratedHistory;
  return openMigrating(target, key, (path) => {
    const isFile = path !== ':memory:' && path !== '';
    if (isFile && statSync(path).size === 0) writeFileSync(path, image);
    const file = new DatabaseSync(path);
    if (!isFile) file.deserialize(image);
    return file;
  });
}

async function migratedHistory(): Promise<Uint8Array> {
  const file = new DatabaseSync(':memory:');
  const database = await openMigrating(':memory:', null, () => file);
  const image = file.serialize();
  await database.close();
  return image;
}

/** A file as it was after so many migrations. */
export async function migrated<Schema>(path: string, count: number): Promise<Kysely<Schema>> {
  const before = Object.fromEntries(Object.entries(HISTORY_MIGRATIONS).slice(0, count));
  const db = new Kysely<Schema>({ dialect: sqliteDialect(new DatabaseSync(path)) });
  await new Migrator({ db, provider: { getMigrations: async () => before } }).migrateToLatest();
  return db;
}
