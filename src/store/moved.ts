import { sql } from 'kysely';
import { z } from 'zod';
import { type MovedWords, movedWords, StoreError } from './errors.ts';
import { FILE_TABLES } from './sqlite.ts';
import { isPostgres, type Queries, readMeta } from './tables.ts';

/** Its row in `meta`. */
export const MOVED = 'moved';

/** Where a database file was moved to, or was about to be when the move was cut off. */
const Moved = z.object({
  /** Display name of the server's database. */
  to: z.string(),
  /** Identifies it, so that a move that was cut off may be repeated. */
  place: z.string(),
});
type Moved = z.infer<typeof Moved>;

/** `null`: the file was not moved. */
export async function readMoved(db: Queries): Promise<Moved | null> {
  const json = await readMeta(db, MOVED);
  return json === null ? null : Moved.parse(JSON.parse(json));
}

/** @throws {StoreError} `moved` */
export async function refuseMoved(db: Queries, name: string): Promise<void> {
  if (isPostgres(db)) return;
  const moved = await readMoved(db);
  if (moved !== null) throw new StoreError('moved', movedWords(name, moved.to));
}

/**
 * Nothing can be written to a moved file any more, whatever has it open: a process that was suspended meanwhile would
 * otherwise lead it again, and everything would be sent twice. Triggers bind programs of every version.
 */
export async function markMoved(trx: Queries, moved: Moved): Promise<void> {
  await trx
    .insertInto('meta')
    .values({ key: MOVED, value: JSON.stringify(moved) })
    .execute();
  const words: MovedWords = `moved to ${moved.to}`;
  for (const { trigger, change, table } of await triggersOf(trx))
    await sql`create trigger ${trigger} before ${change} on ${table}
      begin select raise(abort, ${sql.lit(words)}); end`.execute(trx);
}

/** The file is written to again. */
export async function takeBack(trx: Queries): Promise<void> {
  for (const { trigger } of await triggersOf(trx)) await sql`drop trigger if exists ${trigger}`.execute(trx);
  await trx.deleteFrom('meta').where('key', '=', MOVED).execute();
}

async function triggersOf(db: Queries) {
  return (await FILE_TABLES.execute(db)).rows.flatMap(({ name }) =>
    ['insert', 'update', 'delete'].map((change) => ({
      trigger: sql.table(`moved_${name}_${change}`),
      change: sql.raw(change),
      table: sql.table(name),
    })),
  );
}
