import { CompiledQuery, type Kysely } from 'kysely';
import type { KeyRow, KeyTables } from './key-schema.ts';
import type { KeyDatabase } from './open-key-database.ts';
import { type Patience, whileBusy } from './while-busy.ts';

/** What one key wants to use of one day. */
export interface Wish {
  readonly keyId: string;
  readonly count: number;
  /** Of the day; `null`: without limit. */
  readonly limit: number | null;
}

/** A secret's hash and when it was made (Unix s). */
export interface NewSecret {
  readonly hash: string;
  readonly at: number;
}

type Queries = Kysely<KeyTables>;

/** A request waits for this; a command may wait longer. */
const WHILE_COUNTING: Patience = { busy: 2_000 };

/** Keys and what they have used. Every method rejects with a `StoreError`; each write is one transaction. */
export class KeyStore {
  readonly #database: KeyDatabase;
  readonly #find: CompiledQuery<KeyRow>;
  readonly #used: CompiledQuery<{ used: number }>;
  readonly #take: CompiledQuery<{ used: number }>;
  readonly #takeLimited: CompiledQuery<{ used: number }>;

  constructor(database: KeyDatabase) {
    this.#database = database;
    const db = database.queries;
    // These run for every request: building a statement costs several times as much as running it.
    this.#find = db.selectFrom('keys').selectAll().where('id', '=', '').compile();
    this.#used = db
      .selectFrom('usage')
      .select('used')
      .where('key_id', '=', '')
      .where('day', '=', 0)
      .compile();
    const take = db
      .insertInto('usage')
      .values({ key_id: '', day: 0, used: 0 })
      .onConflict((conflict) =>
        conflict
          .columns(['key_id', 'day'])
          .doUpdateSet((e) => ({ used: e('usage.used', '+', e.ref('excluded.used')) })),
      )
      .returning('used');
    this.#take = take.compile();
    this.#takeLimited = db
      .insertInto('usage')
      .values({ key_id: '', day: 0, used: 0 })
      .onConflict((conflict) =>
        conflict
          .columns(['key_id', 'day'])
          .doUpdateSet((e) => ({ used: e('usage.used', '+', e.ref('excluded.used')) }))
          .where((e) => e(e('usage.used', '+', e.ref('excluded.used')), '<=', 0)),
      )
      .returning('used')
      .compile();
  }

  get name(): string {
    return this.#database.name;
  }

  /** The keys of these ids that there are. */
  async find(ids: readonly string[]): Promise<Map<string, KeyRow>> {
    const found = new Map<string, KeyRow>();
    await this.#attempt(async (db) => {
      for (const id of ids) {
        const row = (await db.executeQuery(withValues(this.#find, [id]))).rows[0];
        if (row !== undefined) found.set(id, row);
      }
    }, WHILE_COUNTING);
    return found;
  }

  /**
   * Counts what the keys want to use of `day` as far as their limits allow, all in one transaction; answers how much
   * of each wish was granted. No key stands there twice. When this resolves, the count outlives the process.
   */
  spend(day: number, wishes: readonly Wish[]): Promise<Map<string, number>> {
    return this.#attempt(async (db) => {
      const [only, ...others] = wishes;
      if (only === undefined) return new Map();
      if (others.length === 0) {
        // The usual case: one statement is a transaction by itself.
        const granted = await this.#grantAll(db, day, only);
        if (granted !== null) return new Map([[only.keyId, granted]]);
      }
      return db.transaction().execute(async (trx) => {
        const granted = new Map<string, number>();
        // Always in the same order, so that two services never wait for each other.
        for (const wish of wishes.toSorted((a, b) => (a.keyId < b.keyId ? -1 : 1))) {
          const all = await this.#grantAll(trx, day, wish);
          granted.set(wish.keyId, all ?? (await this.#grantRest(trx, day, wish)));
        }
        return granted;
      });
    }, WHILE_COUNTING);
  }

  /** What the key has used of `day`. */
  usedOn(day: number, keyId: string): Promise<number> {
    return this.#attempt(
      async (db) => used(await db.executeQuery(withValues(this.#used, [keyId, day]))) ?? 0,
    );
  }

  /** What each key that was used on `day` has used. */
  async allUsedOn(day: number): Promise<Map<string, number>> {
    const rows = await this.#attempt((db) =>
      db.selectFrom('usage').select(['key_id', 'used']).where('day', '=', day).execute(),
    );
    return new Map(rows.map((row) => [row.key_id, Number(row.used)]));
  }

  /** Every key, the oldest first. */
  list(): Promise<KeyRow[]> {
    return this.#attempt((db) =>
      db.selectFrom('keys').selectAll().orderBy('created_at').orderBy('id').execute(),
    );
  }

  /** Whether any key has not been revoked. */
  async hasActive(): Promise<boolean> {
    const row = await this.#attempt((db) =>
      db.selectFrom('keys').select('id').where('revoked_at', 'is', null).limit(1).executeTakeFirst(),
    );
    return row !== undefined;
  }

  /** Keeps a new key; `false`: the id is taken. */
  async add(key: Pick<KeyRow, 'id' | 'name' | 'plan'>, secret: NewSecret): Promise<boolean> {
    const row = { ...key, hash: secret.hash, previous_hash: null, created_at: secret.at };
    const { numInsertedOrUpdatedRows } = await this.#attempt((db) =>
      db
        .insertInto('keys')
        .values({ ...row, rotated_at: null, revoked_at: null })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .executeTakeFirstOrThrow(),
    );
    return numInsertedOrUpdatedRows === 1n;
  }

  /** Gives a key another secret; `null`: there is no such key, or it is revoked. */
  async rotate(id: string, secret: NewSecret): Promise<KeyRow | null> {
    const row = await this.#attempt((db) =>
      db
        .updateTable('keys')
        .set((e) => ({ previous_hash: e.ref('hash'), hash: secret.hash, rotated_at: secret.at }))
        .where('id', '=', id)
        .where('revoked_at', 'is', null)
        .returningAll()
        .executeTakeFirst(),
    );
    return row ?? null;
  }

  /** Ends a key at `at` (Unix s); `null`: there is no such key, or it has been revoked before. */
  async revoke(id: string, at: number): Promise<KeyRow | null> {
    const row = await this.#attempt((db) =>
      db
        .updateTable('keys')
        .set({ revoked_at: at })
        .where('id', '=', id)
        .where('revoked_at', 'is', null)
        .returningAll()
        .executeTakeFirst(),
    );
    return row ?? null;
  }

  /** Forgets what was used before `day`. */
  async forgetUsageBefore(day: number): Promise<void> {
    await this.#attempt((db) => db.deleteFrom('usage').where('day', '<', day).execute(), WHILE_COUNTING);
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  /** `null`: not all of it; nothing was counted, but the row is held until the transaction ends. */
  async #grantAll(db: Queries, day: number, { keyId, count, limit }: Wish): Promise<number | null> {
    const granted = limit === null ? count : Math.min(count, limit);
    const query =
      limit === null
        ? withValues(this.#take, [keyId, day, granted])
        : withValues(this.#takeLimited, [keyId, day, granted, limit]);
    return used(await db.executeQuery(query)) === null ? null : granted;
  }

  async #grantRest(trx: Queries, day: number, { keyId, limit }: Wish): Promise<number> {
    const before = used(await trx.executeQuery(withValues(this.#used, [keyId, day])));
    if (limit === null || before === null || before >= limit) return 0;
    await trx
      .updateTable('usage')
      .set({ used: limit })
      .where('key_id', '=', keyId)
      .where('day', '=', day)
      .execute();
    return limit - before;
  }

  #attempt<Result>(work: (db: Queries) => Promise<Result>, patience?: Patience): Promise<Result> {
    return whileBusy(this.name, () => work(this.#database.queries), patience);
  }
}

function withValues<Row>(query: CompiledQuery<Row>, values: readonly unknown[]): CompiledQuery<Row> {
  return CompiledQuery.raw(query.sql, [...values]) as CompiledQuery<Row>;
}

function used({ rows }: { readonly rows: readonly { used: number }[] }): number | null {
  const row = rows[0];
  return row === undefined ? null : Number(row.used);
}
