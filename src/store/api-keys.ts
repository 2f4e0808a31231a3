import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { KeyDatabase, RetryTimes } from './database.ts';
import { isPostgres, type KeyRow, type KeyTables, type UsageRow } from './tables.ts';

export interface UsageRequest {
  readonly keyId: string;
  readonly count: number;
  /** Daily limit; `null`: none. */
  readonly limit: number | null;
  /** Limit per second for all processes on a server (with SQLite each enforces its own); `null`: none. */
  readonly perSecond?: number | null;
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

  /** Whether the keys are on a server, at the cost of a round trip each time. */
  get isOnServer(): boolean {
    return isPostgres(this.#database.queries);
  }

  async find(ids: readonly string[]): Promise<Map<string, KeyRow>> {
    const rows = await this.#database.run(
      (db) => db.selectFrom('keys').selectAll().where('id', 'in', ids).execute(),
      WHILE_COUNTING,
    );
    return new Map(rows.map((row) => [row.id, row]));
  }

  /**
   * Counts usage of `day` for distinct keys as far as their limits allow, in one transaction; returns the granted part
   * of each. Committed once it resolves.
   */
  spend(day: number, wishes: readonly UsageRequest[]) {
    // The row locks are enough: serializable transactions on the same key would retry again and again.
    const count = async (trx: Queries) => {
      // Writes before it reads: the locks keep the values until the transaction ends.
      const counted = await countUsage(trx, day, wishes);
      /** Where it is less than wanted: by the limit per second, or by the daily one. */
      const granted = new Map<string, { readonly count: number; readonly isTooFast: boolean }>();
      for (const wish of wishes) {
        const { used = 0, in_second: inSecond = 0 } = counted.get(wish.keyId) ?? {};
        const overDay = used - (wish.limit ?? used);
        const { perSecond = null } = wish;
        const mostInSecond = perSecond === null ? inSecond : Math.max(1, Math.ceil(perSecond));
        const overSecond = isPostgres(trx) ? inSecond - mostInSecond : 0;
        const over = Math.min(wish.count, Math.max(0, overDay, overSecond));
        granted.set(wish.keyId, { count: wish.count - over, isTooFast: overSecond > Math.max(0, overDay) });
        if (over > 0) await giveBack(trx, day, wish.keyId, over);
      }
      return granted;
    };
    return this.#database.run((db) => db.transaction().execute(count), WHILE_COUNTING);
  }

  async usedOn(day: number, keyId: string): Promise<number> {
    return (await this.allUsedOn(day, keyId)).get(keyId) ?? 0;
  }

  /** Usage of every key on `day`, or of one. */
  async allUsedOn(day: number, keyId?: string): Promise<Map<string, number>> {
    const rows = await this.#database.run((db) => {
      const usage = db.selectFrom('usage').select(['key_id', 'used']).where('day', '=', day);
      return (keyId === undefined ? usage : usage.where('key_id', '=', keyId)).execute();
    });
    return new Map(rows.map((row) => [row.key_id, Number(row.used)]));
  }

  list(): Promise<KeyRow[]> {
    return this.#database.run((db) =>
      db.selectFrom('keys').selectAll().orderBy('created_at').orderBy('id').execute(),
    );
  }

  async hasActive(): Promise<boolean> {
    const active = await this.#database.run((db) =>
      db.selectFrom('keys').select('id').where('revoked_at', 'is', null).limit(1).execute(),
    );
    return active.length > 0;
  }

  /** Stores a new key; `false` when the id is taken. */
  async add(key: Pick<KeyRow, 'id' | 'name' | 'plan'>, { hash, at }: NewSecret): Promise<boolean> {
    const row = { ...key, hash, previous_hash: null, created_at: at, rotated_at: null, revoked_at: null };
    const { numInsertedOrUpdatedRows } = await this.#database.run((db) => {
      const added = db.insertInto('keys').values(row);
      return added.onConflict((conflict) => conflict.column('id').doNothing()).executeTakeFirstOrThrow();
    });
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

  async forgetUsageBefore(day: number): Promise<void> {
    await this.#database.run((db) => db.deleteFrom('usage').where('day', '<', day).execute(), WHILE_COUNTING);
  }

  close(): Promise<void> {
    return this.#database.close();
  }
}

/** Counts each wish, whatever its limits; returns the usage of each key after it. */
async function countUsage(db: Queries, day: number, wishes: readonly UsageRequest[]) {
  // The server's clock defines the second for all processes; read again once the row is locked.
  const second = isPostgres(db) ? sql`floor(extract(epoch from clock_timestamp()))::bigint` : sql`0`;
  const inSecond = sql`case when usage.second = ${second} then usage.in_second else 0 end + excluded.in_second`;
  // In a fixed order, so that two services never deadlock.
  const inOrder = wishes.toSorted((a, b) => (a.keyId < b.keyId ? -1 : 1));
  const values = inOrder.map(({ keyId, count }) => sql`(${keyId}, ${day}, ${count}, ${second}, ${count})`);
  const { rows } = await sql<Pick<UsageRow, 'key_id' | 'used' | 'in_second'>>`
    insert into usage (key_id, day, used, second, in_second) values ${sql.join(values)}
    on conflict (key_id, day) do update
      set used = usage.used + excluded.used, second = ${second}, in_second = ${inSecond}
    returning key_id, used, in_second`.execute(db);
  return new Map(rows.map((row) => [row.key_id, row]));
}

async function giveBack(trx: Queries, day: number, keyId: string, over: number): Promise<void> {
  const usage = trx
    .updateTable('usage')
    .set((e) => ({ used: e('used', '-', over), in_second: e('in_second', '-', over) }));
  await usage.where('key_id', '=', keyId).where('day', '=', day).execute();
}
