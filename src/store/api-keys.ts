import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { KeyDatabase, Patience } from './database.ts';
import { isPostgres, type KeyRow, type KeyTables } from './tables.ts';

/** What one key wants to use of one day. */
export interface Wish {
  readonly keyId: string;
  readonly count: number;
  /** Of the day; `null`: without limit. */
  readonly limit: number | null;
  /** Of all processes together on a server; `null`: without limit. */
  readonly perSecond?: number | null;
}

/** How much of a wish was granted. */
interface Granted {
  readonly count: number;
  /** What was not is too much for this second, not for the day. */
  readonly isTooFast: boolean;
}

/** A secret's hash and when it was made (Unix s). */
interface NewSecret {
  readonly hash: string;
  readonly at: number;
}

type Queries = Kysely<KeyTables>;

/** A request waits for this; a command may wait longer. */
const WHILE_COUNTING: Patience = { busy: 2_000, unreachable: 2_000 };

/** Keys and what they have used. Every method rejects with a `StoreError`; each write is one transaction. */
export class KeyStore {
  readonly #database: KeyDatabase;

  constructor(database: KeyDatabase) {
    this.#database = database;
  }

  get name(): string {
    return this.#database.name;
  }

  /** The keys of these ids that there are. */
  async find(ids: readonly string[]): Promise<Map<string, KeyRow>> {
    const rows = await this.#database.run(
      (db) => db.selectFrom('keys').selectAll().where('id', 'in', ids).execute(),
      WHILE_COUNTING,
    );
    return new Map(rows.map((row) => [row.id, row]));
  }

  /**
   * Counts what the keys want to use of `day` as far as their limits allow, all in one transaction; answers how much
   * of each wish was granted. No key stands there twice. When this resolves, the count outlives the process.
   */
  spend(day: number, wishes: readonly Wish[]): Promise<Map<string, Granted>> {
    // The row's own lock is enough: serializable, those that count the same key would try again and again.
    const count = async (trx: Queries) => {
      const granted = new Map<string, Granted>();
      // Always in the same order, so that two services never wait for each other.
      for (const wish of wishes.toSorted((a, b) => (a.keyId < b.keyId ? -1 : 1))) {
        granted.set(wish.keyId, await grant(trx, day, wish));
      }
      return granted;
    };
    return this.#database.run((db) => db.transaction().execute(count), WHILE_COUNTING);
  }

  /** What the key has used of `day`. */
  usedOn(day: number, keyId: string): Promise<number> {
    return this.#database.run((db) => usedOn(db, day, keyId));
  }

  /** What each key that was used on `day` has used. */
  async allUsedOn(day: number): Promise<Map<string, number>> {
    const rows = await this.#database.run((db) =>
      db.selectFrom('usage').select(['key_id', 'used']).where('day', '=', day).execute(),
    );
    return new Map(rows.map((row) => [row.key_id, Number(row.used)]));
  }

  /** Every key, the oldest first. */
  list(): Promise<KeyRow[]> {
    return this.#database.run((db) =>
      db.selectFrom('keys').selectAll().orderBy('created_at').orderBy('id').execute(),
    );
  }

  /** Whether any key has not been revoked. */
  async hasActive(): Promise<boolean> {
    const row = await this.#database.run((db) =>
      db.selectFrom('keys').select('id').where('revoked_at', 'is', null).limit(1).executeTakeFirst(),
    );
    return row !== undefined;
  }

  /** Keeps a new key; `false`: the id is taken. */
  async add(key: Pick<KeyRow, 'id' | 'name' | 'plan'>, secret: NewSecret): Promise<boolean> {
    const row = { ...key, hash: secret.hash, previous_hash: null, created_at: secret.at };
    const { numInsertedOrUpdatedRows } = await this.#database.run((db) =>
      db
        .insertInto('keys')
        .values({ ...row, rotated_at: null, revoked_at: null })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .executeTakeFirstOrThrow(),
    );
    return numInsertedOrUpdatedRows === 1n;
  }

  /** Gives a key another secret; `null`: there is no such key, or it is revoked. */
  rotate(id: string, { hash, at }: NewSecret): Promise<KeyRow | null> {
    return this.#change(id, sql`previous_hash = hash, hash = ${hash}, rotated_at = ${at}`);
  }

  /** Ends a key at `at` (Unix s); `null`: there is no such key, or it has been revoked before. */
  revoke(id: string, at: number): Promise<KeyRow | null> {
    return this.#change(id, sql`revoked_at = ${at}`);
  }

  async #change(id: string, values: RawBuilder<unknown>): Promise<KeyRow | null> {
    const changed = sql<KeyRow>`update keys set ${values} where id = ${id} and revoked_at is null returning *`;
    return (await this.#database.run((db) => changed.execute(db))).rows[0] ?? null;
  }

  /** Forgets what was used before `day`. */
  async forgetUsageBefore(day: number): Promise<void> {
    await this.#database.run((db) => db.deleteFrom('usage').where('day', '<', day).execute(), WHILE_COUNTING);
  }

  close(): Promise<void> {
    return this.#database.close();
  }
}

async function usedOn(db: Queries, day: number, keyId: string): Promise<number> {
  const row = await db
    .selectFrom('usage')
    .select('used')
    .where('key_id', '=', keyId)
    .where('day', '=', day)
    .executeTakeFirst();
  return Number(row?.used ?? 0);
}

/** The server's own clock tells which second it is for all processes. */
const THIS_SECOND = sql<number>`floor(extract(epoch from clock_timestamp()))::bigint`;

/** Counts what a key wants to use as far as its limits allow, and answers how much that is. */
async function grant(
  trx: Queries,
  day: number,
  { keyId, count, limit, perSecond = null }: Wish,
): Promise<Granted> {
  const second = isPostgres(trx) ? THIS_SECOND : sql<number>`0`;
  const isSame = sql`usage.second = excluded.second`;
  // Written before it is read: what is found holds until the transaction ends.
  const { used, in_second: inSecond } = await trx
    .insertInto('usage')
    .values({ key_id: keyId, day, used: count, second, in_second: count })
    .onConflict((conflict) =>
      conflict.columns(['key_id', 'day']).doUpdateSet((e) => ({
        used: e('usage.used', '+', count),
        in_second: sql<number>`case when ${isSame} then usage.in_second else 0 end + excluded.in_second`,
        second: e.ref('excluded.second'),
      })),
    )
    .returning(['used', 'in_second'])
    .executeTakeFirstOrThrow();
  const overDay = limit === null ? 0 : Math.max(0, Number(used) - limit);
  // In a file each process has its own limit per second.
  const isLimited = perSecond !== null && isPostgres(trx);
  const overSecond = isLimited ? Math.max(0, Number(inSecond) - Math.max(1, Math.ceil(perSecond))) : 0;
  const over = Math.min(count, Math.max(overDay, overSecond));
  if (over > 0) {
    await trx
      .updateTable('usage')
      .set((e) => ({ used: e('used', '-', over), in_second: e('in_second', '-', over) }))
      .where('key_id', '=', keyId)
      .where('day', '=', day)
      .execute();
  }
  return { count: count - over, isTooFast: overSecond > overDay };
}
