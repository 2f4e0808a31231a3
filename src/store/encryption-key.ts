import { type Database, Store } from './database.ts';
import { StoreError } from './errors.ts';
import { noKey } from './sealer.ts';
import { type Queries, readMeta, saveMeta } from './tables.ts';

/** Id of the key that signed bytes of this database are encrypted with, since the first process that had one. */
export const KEY_ID = 'encryption_key';

type Keyed = Pick<Database, 'sealer' | 'name'>;

/** The one key of a database: which process has it may lead, and takes auto-txs. */
export class EncryptionKey extends Store {
  /**
   * One line: why signed bytes cannot be read here; `null`: they can, or there are none. The first key that is here
   * becomes that of the database.
   */
  problem(): Promise<string | null> {
    return this.database.run((db) => keyProblem(db, this.database));
  }

  /** The key that is here, made where there is none, becomes that of the database. @throws {StoreError} `no-key` */
  async replace(): Promise<void> {
    const { sealer } = this.database;
    const id = sealer.makeKey();
    await this.database.run((db) => saveMeta(db, KEY_ID, id));
  }
}

/** Called before signed bytes are encrypted; makes the first key of a file. @throws {StoreError} `no-key` */
export async function requireKey(trx: Queries, keyed: Keyed): Promise<void> {
  const { sealer } = keyed;
  if ((await boundKey(trx, sealer.keyId())) === null) await boundKey(trx, sealer.makeKey());
  const problem = await keyProblem(trx, keyed);
  if (problem !== null) throw noKey(problem);
}

const UNTIL_THEN = 'until then auto-txs wait, and this process does not lead';

async function keyProblem(db: Queries, { sealer, name }: Keyed): Promise<string | null> {
  let here: string | null;
  try {
    here = sealer.keyId();
  } catch (error) {
    if (error instanceof StoreError) return `${error.message}; ${UNTIL_THEN}`;
    throw error;
  }
  const bound = await boundKey(db, here);
  if (bound === here || bound === null) return null;
  // The right one may be put back meanwhile.
  sealer.forget();
  const what =
    here === null
      ? `the encryption key of ${name} is missing`
      : `the encryption key here is not that of ${name}`;
  const lost = 'or, if it is lost, begin with another by gastop migrate --new-key';
  return `${what}: ${sealer.remedy}, ${lost}; ${UNTIL_THEN}`;
}

/** The id of the database's key, which `here` becomes if there was none; `null`: there is none. */
async function boundKey(db: Queries, here: string | null): Promise<string | null> {
  const bound = await readMeta(db, KEY_ID);
  if (bound !== null) return bound;
  // An older version stored none: what it encrypted says which one.
  const waiting = db.selectFrom('signed_transactions').select('key_id').where('ended_at', 'is', null);
  const counted = waiting.where('key_id', 'is not', null).groupBy('key_id');
  const rows = await counted
    .orderBy((e) => e.fn.countAll(), 'desc')
    .orderBy('key_id')
    .execute();
  const used = rows.map(({ key_id }) => key_id);
  const first = used.includes(here) ? here : (used[0] ?? here);
  if (first === null) return null;
  // Another process may be as early.
  const row = db.insertInto('meta').values({ key: KEY_ID, value: first });
  await row.onConflict((conflict) => conflict.column('key').doNothing()).execute();
  return readMeta(db, KEY_ID);
}
