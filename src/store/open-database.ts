import { ALL_MIGRATIONS } from './migrations/all-migrations.ts';
import { READY_SCHEMA } from './migrations/ready-schema.ts';
import { openSqlite, type SqliteFile } from './open-sqlite.ts';
import type { Tables } from './schema.ts';

export { TEMPORARY_DATABASE } from './open-sqlite.ts';

/** An open history. One owner closes it. */
export type Database = SqliteFile<Tables>;

/**
 * Opens (or makes) the history at `path` as {@link openSqlite} does. What a power cut takes of it is read from the chain
 * again; what people made, and what fired, is written with `durably`.
 * @throws {StoreError} when it is not ours, newer than this program, not writable or cannot be made.
 */
export function openDatabase(path: string): Promise<Database> {
  return openSqlite<Tables>(path, { migrations: ALL_MIGRATIONS, ready: READY_SCHEMA, survives: 'process' });
}
