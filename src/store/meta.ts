import type { Queries } from './schema.ts';

/** A single value that belongs to the database as a whole, or `null`. */
export async function readMeta(db: Queries, key: string): Promise<string | null> {
  const row = await db.selectFrom('meta').select('value').where('key', '=', key).executeTakeFirst();
  return row?.value ?? null;
}

export async function saveMeta(db: Queries, key: string, value: string): Promise<void> {
  await db
    .insertInto('meta')
    .values({ key, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute();
}

export async function dropMeta(db: Queries, key: string): Promise<void> {
  await db.deleteFrom('meta').where('key', '=', key).execute();
}
