import { statSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { type Database, openDatabase as openMigrating } from '../../src/store/database.ts';

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
