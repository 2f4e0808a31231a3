import { sql } from 'kysely';
import type { Database, RetryTimes } from './database.ts';
import { isPostgres } from './tables.ts';

/** Readiness must not flap while another process writes a page. */
const RETRY_TIMES: RetryTimes = { busy: 1_000, unreachable: 1_000 };

/** Resolves when each table can be written now; changes nothing. @throws {StoreError} */
export async function requireWritable<Schema>(
  { transaction }: Pick<Database<Schema>, 'transaction'>,
  tables: readonly (keyof Schema & string)[],
): Promise<void> {
  const named = tables.map((table) => sql.table(table));
  await transaction(async (trx) => {
    // Without waiting for a lock, which would hold a connection.
    if (isPostgres(trx)) await sql`lock table ${sql.join(named)} in row exclusive mode nowait`.execute(trx);
    else for (const table of named) await sql`delete from ${table} where false`.execute(trx);
  }, RETRY_TIMES);
}
