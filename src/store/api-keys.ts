import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { KeyDatabase, RetryTimes } from './database.ts';
import { isPostgres, type KeyRow, type KeyTables } from './tables.ts';

/** A request for usage of one key on one day. */
export interface UsageRequest {
  readonly keyId: string;
  readonly count: number;
  /** Daily limit; `null`: none. */
  readonly limit: number | null;
  /** Limit per second for all processes on a server; `null`: none. */
  readonly perSecond?: number | null;
}

/** The granted part of a request. */
interface Granted {
  readonly count: number;
  /** The rest exceeds the limit per second, not the daily one. */
  readonly isTooFast: boolean;
}

/** The hash of a secret and its creation time (Unix s). */
interface NewSecret {
  readonly hash: string;
  readonly at: number;
}

type Queries = Kysely<KeyTables>;

/** Requests wait for this, so it is shorter than for commands. */
const WHILE_COUNTING: RetryTimes = { busy: 2_000, unreachable: 2_000 };

/** API keys and their usage. Every method rejects with a `StoreError`; each write is one transaction. */
export class KeyStore {
  readonly #database: KeyDatabase;

  constructor(database: KeyDatabase) {
    this.#database = database;
  }

  get name(): string {
    return this.#database.name;
  }

  /** The existing keys among these ids. */
  async find(ids: readonly string[]): Promise<Map<string, KeyRow>> {
    const rows = await this.#database.run(
      (db) => db.selectFrom('keys').selectAll().where('id', 'in', ids).execute(),
      WHILE_COUNTING,
    );
    return new Map(rows.map((row) => [row.id, row]));
  }

  /**
   * Counts usage of `day` for several distinct keys within their limits, in one transaction; returns the granted part
   * of each. Durable once it resolves.
   */
  spend(day: number, wishes: readonly UsageRequest[]): Promise<Map<string, Granted>> {
    // The row lock is enough: serializable transactions on the same key would retry again and again.
    const count = async (trx: Queries) => {
      const granted = new Map<string, Granted>();
      // In a fixed order, so that two services never deadlock.
      for (const wish of wishes.toSorted((a, b) => (a.keyId < b.keyId ? -1 : 1))) {
        granted.set(wish.keyId, await grant(trx, day, wish));
      }
      return granted;
    };
    return this.#database.run((db) => db.transaction().execute(count), WHILE_COUNTING);
  }

  /** Usage of the key on `day`. */
  usedOn(day: number, keyId: string): Promise<number> {
    return this.#database.run((db) => usedOn(db, day, keyId));
  }

  /** Usage of every key on `day`. */
  async allUsedOn(day: number): Promise<Map<string, number>> {
    const rows = await this.#database.run((db) =>
      db.selectFrom('usage').select(['key_id', 'used']).where('day', '=', day).execute(),
    );
    return new Map(rows.map((row) => [row.key_id, Number(row.used)]));
  }

  /** All keys, oldest first. */
  list(): Promise<KeyRow[]> {
    return this.#database.run((db) =>
      db.selectFrom('keys').selectAll().orderBy('created_at').orderBy('id').execute(),
    );
  }

  /** Whether any key is not revoked. */
  async hasActive(): Promise<boolean> {
    const row = await this.#database.run((db) =>
      db.selectFrom('keys').select('id').where('revoked_at', 'is', null).limit(1).executeTakeFirst(),
    );
    return row !== undefined;
  }

  /** Stores a new key; `false` when the id is taken. */
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

  /** Replaces the secret of a key; `null` when there is no such key, or it is revoked. */
  rotate(id: string, { hash, at }: NewSecret): Promise<KeyRow | null> {
    return this.#change(id, sql`previous_hash = hash, hash = ${hash}, rotated_at = ${at}`);
  }

  /** Revokes a key at `at` (Unix s); `null` when there is no such key, or it is already revoked. */
  revoke(id: string, at: number): Promise<KeyRow | null> {
    return this.#change(id, sql`revoked_at = ${at}`);
  }

  async #change(id: string, values: RawBuilder<unknown>): Promise<KeyRow | null> {
    const changed = sql<KeyRow>`update keys set ${values} where id = ${id} and revoked_at is null returning *`;
    return (await this.#database.run((db) => changed.execute(db))).rows[0] ?? null;
  }

  /** Deletes usage before `day`. */
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

/** The server's clock defines the second for all processes. */
const THIS_SECOND = sql<number>`floor(extract(epoch from clock_timestamp()))::bigint`;

/** Counts usage of one key within its limits, and returns the granted part. */
async function grant(
  trx: Queries,
  day: number,
  { keyId, count, limit, perSecond = null }: UsageRequest,
): Promise<Granted> {
  const second = isPostgres(trx) ? THIS_SECOND : sql<number>`0`;
  const isSame = sql`usage.second = excluded.second`;
  // Writes before it reads: the lock keeps the values until the transaction ends.
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
  // With SQLite each process enforces its own limit per second.
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
