import type { Database } from './database.ts';
import { StoreError } from './errors.ts';
import type { Queries } from './tables.ts';

/** Who follows the chain, fires alerts and sends. */
const FOLLOWER = 'follower';
/** Without a heartbeat for so long a lease is anybody's, ms. */
export const LEASE_LAPSES_MS = 10_000;

/** A lease as it stands in the database. Times in ms since epoch, by the clock of who wrote them. */
export interface HeldLease {
  /** Chance made it up; another one each time a process takes the lease. */
  readonly holder: string;
  /** For people: `gastop serve, process 4711`. */
  readonly process: string;
  readonly since: number;
  readonly heartbeatAt: number;
}

/**
 * By what right a process writes what only one may write: as the holder of the lease; as a visitor, who may while
 * nobody holds it (`now` in ms since epoch); by none; or because nobody else has the database.
 */
export type WriteRight =
  | { readonly kind: 'holder'; readonly holder: string }
  | { readonly kind: 'visitor'; readonly now: number }
  | { readonly kind: 'none' }
  | { readonly kind: 'alone' };

/**
 * Refuses a transaction whose process has no right to write (any more). Call it before anything else: it takes the
 * write lock, so that what it finds holds until the transaction ends.
 * @throws {StoreError} `not-holder`
 */
export async function requireRight(trx: Queries, right: WriteRight): Promise<void> {
  if (right.kind === 'alone') return;
  if (right.kind === 'none') throw notHolder('another process');
  const row = await trx
    .updateTable('leases')
    .set((e) => ({ heartbeat_at: e.ref('heartbeat_at') }))
    .where('name', '=', FOLLOWER)
    .returning(['holder', 'process', 'heartbeat_at'])
    .executeTakeFirst();
  const isOurs =
    right.kind === 'holder'
      ? row?.holder === right.holder
      : row === undefined || right.now - row.heartbeat_at >= LEASE_LAPSES_MS;
  if (!isOurs) throw notHolder(row?.process ?? 'nobody');
}

const notHolder = (process: string) =>
  new StoreError('not-holder', `${process} follows the chain on this database now; this process stands by`);

/** The lease's one row. Every method is one statement, and rejects with a `StoreError`. */
export class LeaseStore {
  readonly #database: Pick<Database, 'run'>;

  constructor(database: Pick<Database, 'run'>) {
    this.#database = database;
  }

  /** `null`: it is free. */
  async read(): Promise<HeldLease | null> {
    const row = await this.#database.run((db) =>
      db.selectFrom('leases').selectAll().where('name', '=', FOLLOWER).executeTakeFirst(),
    );
    if (row === undefined) return null;
    return {
      holder: row.holder,
      process: row.process,
      since: row.since,
      heartbeatAt: row.heartbeat_at,
    };
  }

  /** Takes it, if it still is as it was seen. Answers whether it did; of several who try one does. */
  async take(next: HeldLease, seen: HeldLease | null): Promise<boolean> {
    const values = {
      holder: next.holder,
      process: next.process,
      since: next.since,
      heartbeat_at: next.heartbeatAt,
    };
    if (seen === null) {
      const { numInsertedOrUpdatedRows } = await this.#database.run((db) =>
        db
          .insertInto('leases')
          .values({ name: FOLLOWER, ...values })
          .onConflict((conflict) => conflict.column('name').doNothing())
          .executeTakeFirstOrThrow(),
      );
      return (numInsertedOrUpdatedRows ?? 0n) > 0n;
    }
    const { numUpdatedRows } = await this.#database.run((db) =>
      db
        .updateTable('leases')
        .set(values)
        .where('name', '=', FOLLOWER)
        .where('holder', '=', seen.holder)
        .where('heartbeat_at', '=', seen.heartbeatAt)
        .executeTakeFirstOrThrow(),
    );
    return numUpdatedRows > 0n;
  }

  /** Says that `holder` is still there. Answers whether it still holds it. */
  async beat(holder: string, at: number): Promise<boolean> {
    const { numUpdatedRows } = await this.#database.run((db) =>
      db
        .updateTable('leases')
        .set({ heartbeat_at: at })
        .where('name', '=', FOLLOWER)
        .where('holder', '=', holder)
        .executeTakeFirstOrThrow(),
    );
    return numUpdatedRows > 0n;
  }

  /** Gives it up, if `holder` has it. */
  async release(holder: string): Promise<void> {
    await this.#database.run((db) =>
      db.deleteFrom('leases').where('name', '=', FOLLOWER).where('holder', '=', holder).execute(),
    );
  }
}
