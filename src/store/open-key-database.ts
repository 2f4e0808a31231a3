import type { KeyTables } from './key-schema.ts';
import { KEY_MIGRATIONS } from './migrations/key-migrations.ts';
import { type DatabaseKind, openSqlite, type SqliteFile } from './open-sqlite.ts';

/** Open keys and their usage. One owner closes it. */
export type KeyDatabase = SqliteFile<KeyTables>;

/**
 * Opens (or makes) the keys' file. Who makes or ends keys asks that they survive `power`; counting requests needs
 * no more than to survive the `process`: waiting for the disk each time would be most of a request.
 * @throws {StoreError} when it is not ours, newer than this program, not writable or cannot be made.
 */
export function openKeyDatabase(path: string, survives: DatabaseKind['survives']): Promise<KeyDatabase> {
  return openSqlite<KeyTables>(path, { migrations: KEY_MIGRATIONS, survives });
}
