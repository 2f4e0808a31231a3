import { prepared, type Slots } from './prepared.ts';
import type { Queries } from './schema.ts';

const select = prepared((db, slot: Slots<{ key: string }>) =>
  db.selectFrom('meta').select('value').where('key', '=', slot('key')),
);

const upsert = prepared((db, slot: Slots<{ key: string; value: string }>) =>
  db
    .insertInto('meta')
    .values({ key: slot('key'), value: slot('value') })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet((e) => ({ value: e.ref('excluded.value') })),
    ),
);

/** A single value that belongs to the database as a whole, or `null`. */
export async function readMeta(db: Queries, key: string): Promise<string | null> {
  const [row] = await select(db, { key });
  return row?.value ?? null;
}

export async function saveMeta(db: Queries, key: string, value: string): Promise<void> {
  await upsert(db, { key, value });
}

export async function dropMeta(db: Queries, key: string): Promise<void> {
  await db.deleteFrom('meta').where('key', '=', key).execute();
}
