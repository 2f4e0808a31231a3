import type { Database } from './database.ts';
import { StoreError } from './errors.ts';
import type { Queries } from './tables.ts';

/** Name of the lease of the leader, which follows the chain, fires alerts and sends. */
const FOLLOWER = 'follower';
/** A lease without a heartbeat for this long may be taken, ms. */
export const LEASE_LAPSES_MS = 10_000;

/** A lease as it stands in the database. Times in ms since epoch, by the clock of the process that wrote them. */
export interface HeldLease {
  /** Random; a new one each time a process takes the lease. */
  readonly holder: string;
  /** For people: `gastop serve, process 4711`. */
  readonly process: string;
  readonly since: number;
  readonly heartbeatAt: number;
}

/**
 * The right to write what only the leader writes: `holder` of the lease; `visitor`, a command that may write while there
 * is no leader (`now` in ms since epoch); `none`; `alone`, no other process has the database open.
 */
export type WriteRight =
  | { readonly kind: 'holder'; readonly holder: string }
  | { readonly kind: 'visitor'; readonly now: number }
  | { readonly kind: 'none' }
  | { readonly kind: 'alone' };

/**
 * Refuses a transaction of a process without the right to write. Call it first: it takes the write lock, so the lease
 * cannot change until the transaction ends.
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

  /** Takes it, if it still is as it was seen. Returns whether it did; of several processes one succeeds. */
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

  /** Writes a heartbeat. Returns whether `holder` still holds the lease. */
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
