import { type Kysely, type RawBuilder, sql } from 'kysely';
import { type RetryTimes, requireWritable, Store } from './database.ts';
import { KEY_TABLES } from './move-database.ts';
import { isPostgres, type KeyRow, type KeyTables, type UsageRow } from './tables.ts';

export interface UsageRequest {
  readonly keyId: string;
  readonly count: number;
  /** Daily limit; `null`: none. */
  readonly limit: number | null;
  /** Limit per second for all processes on a server; `null`: none. */
  readonly perSecond?: number | null;
}

/** The hash of a secret and its creation time (Unix s). */
type NewSecret = Readonly<{ hash: string; at: number }>;

type Queries = Kysely<KeyTables>;

/** Requests wait for this, so it is shorter than for commands. */
const WHILE_COUNTING: RetryTimes = { busy: 2_000, unreachable: 2_000 };

/** API keys and their usage. Every method rejects with a `StoreError`; each write is one transaction. */
export class KeyStore extends Store<KeyTables> {
  async find(ids: readonly string[]): Promise<Map<string, KeyRow>> {
    const rows = await this.database.run(
      (db) => db.selectFrom('keys').selectAll().where('id', 'in', ids).execute(),
      WHILE_COUNTING,
    );
    return new Map(rows.map((row) => [row.id, row]));
  }

  /**
   * Counts usage of `day` for distinct keys as far as their limits allow; returns the granted part of each. Committed
   * once it resolves. One statement unless a limit is reached: round trips to a server delay the requests.
   */
  async spend(day: number, wishes: readonly UsageRequest[]) {
    const granted = new Map(wishes.map(({ keyId, count }) => [keyId, { count, isTooFast: false }]));
    for (let left = wishes; left.length > 0; ) {
      const whole = await this.database.runOnce((db) => countWhole(db, day, left), WHILE_COUNTING);
      const rest = left.filter(({ keyId }) => !whole.has(keyId));
      if (rest.length === 0) break;
      const ids = rest.map(({ keyId }) => keyId);
      const usage = await this.usageOn(day, ids);
      // Then counts what there is left; less, if others counted meanwhile.
      left = rest.flatMap((wish) => {
        const limits = limitsOf(this.database.queries, wish);
        const { used: inDay = 0, in_second: inSecond = 0 } = usage.get(wish.keyId) ?? {};
        const [ofDay, ofSecond] = [limits.day - inDay, limits.second - inSecond];
        const count = Math.max(0, Math.min(wish.count, ofDay, ofSecond));
        granted.set(wish.keyId, { count, isTooFast: ofSecond < ofDay });
        return count > 0 ? [{ ...wish, count }] : [];
      });
    }
    return granted;
  }

  async usedOn(day: number, keyId: string): Promise<number> {
    return (await this.usageOn(day, [keyId])).get(keyId)?.used ?? 0;
  }

  /** Usage on `day`, and on a server in this second, of these keys or of every key. */
  async usageOn(day: number, keyIds?: readonly string[]) {
    const rows = await this.database.run((db) => {
      const columns = ['key_id', 'used', inThisSecond(db).as('in_second')] as const;
      const usage = db.selectFrom('usage').select(columns).where('day', '=', day);
      return (keyIds === undefined ? usage : usage.where('key_id', 'in', keyIds)).execute();
    }, WHILE_COUNTING);
    return new Map(rows.map((row) => [row.key_id, row]));
  }

  list(): Promise<KeyRow[]> {
    return this.database.run((db) =>
      db.selectFrom('keys').selectAll().orderBy('created_at').orderBy('id').execute(),
    );
  }

  async hasActive(): Promise<boolean> {
    const active = await this.database.run((db) =>
      db.selectFrom('keys').select('id').where('revoked_at', 'is', null).limit(1).execute(),
    );
    return active.length > 0;
  }

  /** Stores a new key; `false` when another has the id. Repeated with the same secret it changes nothing. */
  async add(key: Pick<KeyRow, 'id' | 'name' | 'plan'>, { hash, at }: NewSecret): Promise<boolean> {
    const row = { ...key, hash, previous_hash: null, created_at: at, rotated_at: null, revoked_at: null };
    const { numInsertedOrUpdatedRows } = await this.database.run((db) => {
      const added = db.insertInto('keys').values(row);
      const isOwn = sql<boolean>`keys.hash = ${hash}`;
      return added
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ hash }).where(isOwn))
        .executeTakeFirstOrThrow();
    });
    return numInsertedOrUpdatedRows === 1n;
  }

  /** Replaces the secret of a key; `null` when there is no such key, or it is revoked. Repeated it changes nothing. */
  rotate(id: string, { hash, at }: NewSecret): Promise<KeyRow | null> {
    const previous = sql`case when hash = ${hash} then previous_hash else hash end`;
    return this.#change(id, sql`previous_hash = ${previous}, hash = ${hash}, rotated_at = ${at}`);
  }

  /** Revokes a key at `at` (Unix s); `null` when there is no such key, or it is already revoked. */
  revoke(id: string, at: number): Promise<KeyRow | null> {
    return this.#change(id, sql`revoked_at = ${at}`);
  }

  async #change(id: string, values: RawBuilder<unknown>): Promise<KeyRow | null> {
    const changed = sql<KeyRow>`update keys set ${values} where id = ${id} and revoked_at is null returning *`;
    return (await this.database.run((db) => changed.execute(db))).rows[0] ?? null;
  }

  async forgetUsageBefore(day: number): Promise<void> {
    await this.database.run((db) => db.deleteFrom('usage').where('day', '<', day).execute(), WHILE_COUNTING);
  }

  /** Resolves when keys can be read and requests counted. */
  check(): Promise<void> {
    return requireWritable(this.database, KEY_TABLES);
  }

  close(): Promise<void> {
    return this.database.close();
  }
}

const NO_LIMIT = Number.MAX_SAFE_INTEGER;

/** With SQLite each process enforces its own limit per second. */
const limitsOf = (db: Queries, { limit, perSecond = null }: UsageRequest) => ({
  day: limit ?? NO_LIMIT,
  second: perSecond !== null && isPostgres(db) ? Math.max(1, Math.ceil(perSecond)) : NO_LIMIT,
});

/** The server's clock defines the second for all processes; read again once the row is locked. */
const thisSecond = (db: Queries) =>
  isPostgres(db) ? sql`floor(extract(epoch from clock_timestamp()))::bigint` : sql`0`;
const inThisSecond = (db: Queries) =>
  sql<number>`case when usage.second = ${thisSecond(db)} then usage.in_second else 0 end`;

/** Counts each wish whose key stays within its limits; returns these keys. */
async function countWhole(db: Queries, day: number, wishes: readonly UsageRequest[]) {
  const bigint = (value: number) => sql`cast(${value} as bigint)`;
  const values = wishes.map((wish) => {
    const limits = limitsOf(db, wish);
    return sql`(${wish.keyId}, ${bigint(wish.count)}, ${bigint(limits.day)}, ${bigint(limits.second)})`;
  });
  const inSecond = sql`${inThisSecond(db)} + excluded.in_second`;
  // In a fixed order, so that two services never deadlock.
  const { rows } = await sql<Pick<UsageRow, 'key_id'>>`
    with wishes (key_id, wanted, day_limit, second_limit) as (values ${sql.join(values)})
    insert into usage (key_id, day, used, second, in_second)
      select key_id, cast(${day} as integer), wanted, ${thisSecond(db)}, wanted from wishes
      where wanted <= day_limit and wanted <= second_limit order by key_id
    on conflict (key_id, day) do update
      set used = usage.used + excluded.used, second = ${thisSecond(db)}, in_second = ${inSecond}
      where exists (select 1 from wishes where wishes.key_id = excluded.key_id
        and usage.used + excluded.used <= day_limit and ${inSecond} <= second_limit)
    returning key_id`.execute(db);
  return new Set(rows.map((row) => row.key_id));
}
