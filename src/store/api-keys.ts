import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { KeyDatabase, RetryTimes } from './database.ts';
import { isPostgres, type KeyRow, type KeyTables, type UsageRow } from './tables.ts';

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

  /** Whether the keys are on a server, at the cost of a round trip each time. */
  get isOnServer(): boolean {
    return isPostgres(this.#database.queries);
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
   * Counts usage of `day` for distinct keys, each wish as a whole or not at all; returns the keys it was counted for.
   * One statement: round trips to a server delay the requests. Committed once it resolves.
   */
  async spendWhole(day: number, wishes: readonly UsageRequest[]): Promise<ReadonlySet<string>> {
    const count = (db: Queries) => countUsage(db, day, wishes, (wish) => limitsOf(db, wish));
    return new Set((await this.#database.run(count, WHILE_COUNTING)).keys());
  }

  /**
   * Counts usage of `day` for distinct keys as far as their limits allow, in one transaction; returns the granted part
   * of each. Committed once it resolves.
   */
  spend(day: number, wishes: readonly UsageRequest[]): Promise<Map<string, Granted>> {
    // The row locks are enough: serializable transactions on the same key would retry again and again.
    const count = async (trx: Queries) => {
      const granted = new Map<string, Granted>();
      // Writes before it reads: the locks keep the values until the transaction ends.
      const counted = await countUsage(trx, day, wishes, () => NO_LIMITS);
      for (const wish of wishes)
        granted.set(wish.keyId, await giveBack(trx, day, wish, counted.get(wish.keyId)));
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

interface Limits {
  readonly day: number;
  readonly second: number;
}

const NO_LIMITS: Limits = { day: Number.MAX_SAFE_INTEGER, second: Number.MAX_SAFE_INTEGER };

/** With SQLite each process enforces its own limit per second. */
const limitsOf = (db: Queries, { limit, perSecond = null }: UsageRequest): Limits => ({
  day: limit ?? NO_LIMITS.day,
  second: perSecond !== null && isPostgres(db) ? Math.max(1, Math.ceil(perSecond)) : NO_LIMITS.second,
});

/** The server's clock defines the second for all processes; read again once the row is locked. */
const THIS_SECOND = sql`floor(extract(epoch from clock_timestamp()))::bigint`;

type Counted = Pick<UsageRow, 'key_id' | 'used' | 'in_second'>;

/** Counts each wish whose key stays within the limits; returns the usage of these keys after it. */
async function countUsage(
  db: Queries,
  day: number,
  wishes: readonly UsageRequest[],
  limitsFor: (wish: UsageRequest) => Limits,
): Promise<ReadonlyMap<string, Counted>> {
  const values = wishes.map((wish) => {
    const limits = limitsFor(wish);
    return sql`(${wish.keyId}, ${bigint(wish.count)}, ${bigint(limits.day)}, ${bigint(limits.second)})`;
  });
  const second = isPostgres(db) ? THIS_SECOND : sql`0`;
  const inSecond = sql`case when usage.second = ${second} then usage.in_second else 0 end + excluded.in_second`;
  // In a fixed order, so that two services never deadlock.
  const { rows } = await sql<Counted>`
    with wishes (key_id, wanted, day_limit, second_limit) as (values ${sql.join(values)})
    insert into usage (key_id, day, used, second, in_second)
      select key_id, cast(${day} as integer), wanted, ${second}, wanted from wishes
      where wanted <= day_limit and wanted <= second_limit order by key_id
    on conflict (key_id, day) do update
      set used = usage.used + excluded.used, second = ${second}, in_second = ${inSecond}
      where exists (select 1 from wishes where wishes.key_id = excluded.key_id
        and usage.used + excluded.used <= day_limit and ${inSecond} <= second_limit)
    returning key_id, used, in_second`.execute(db);
  return new Map(rows.map((row) => [row.key_id, row]));
}

const bigint = (value: number) => sql`cast(${value} as bigint)`;

/** Gives back the part of a counted wish that exceeds the limits; returns the rest. */
async function giveBack(
  trx: Queries,
  day: number,
  wish: UsageRequest,
  counted: Counted | undefined,
): Promise<Granted> {
  const limits = limitsOf(trx, wish);
  const overDay = Math.max(0, (counted?.used ?? 0) - limits.day);
  const overSecond = Math.max(0, (counted?.in_second ?? 0) - limits.second);
  const over = Math.min(wish.count, Math.max(overDay, overSecond));
  if (over > 0) {
    await trx
      .updateTable('usage')
      .set((e) => ({ used: e('used', '-', over), in_second: e('in_second', '-', over) }))
      .where('key_id', '=', wish.keyId)
      .where('day', '=', day)
      .execute();
  }
  return { count: wish.count - over, isTooFast: overSecond > overDay };
}
