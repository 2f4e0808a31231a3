import { sql } from 'kysely';
import { z } from 'zod';
import { ChainRules } from '../contract/chain.ts';
import { maybeCell } from './columns.ts';
import { type RetryTimes, refuseNewer, Store } from './database.ts';
import { StoreError } from './errors.ts';
import { isPostgres, type Queries } from './tables.ts';

export const LEADER = 'leader';
/** Another process may take a lease without a heartbeat for this long, ms. */
export const LEASE_LAPSES_MS = 6_000;

/** The leader's state as of each block and heartbeat; standbys serve the same. Times in ms since epoch. */
const LeaderReport = z.object({
  /** The newest ingested block, and when it was ingested or its figures last changed. */
  block: z.number().nullable(),
  updatedAt: z.number().nullable(),
  isFilled: z.boolean(),
  nativeUsd: z.number().nullable(),
  /** Display name of its nodes; absent in leases of older programs. */
  sourceName: z.string().optional(),
  /** Of the newest block; absent in leases of older programs. */
  rules: ChainRules.omit({ usualWork: true }).optional().catch(undefined),
  /** Why no new blocks arrive. */
  problem: z.object({ message: z.string(), retryAt: z.number().nullable() }).nullable(),
});
export type LeaderReport = z.infer<typeof LeaderReport>;

/** A lease in the database. Times in ms since epoch, by the clock of the writing process, or of the server. */
export interface StoredLease {
  /** The fencing token: random, new each time a process takes the lease. */
  readonly holder: string;
  /** Display name: `gastop serve, process 4711`. */
  readonly process: string;
  /** Identifies the process to others on its machine; `null` when unknown. */
  readonly place: string | null;
  readonly since: number;
  readonly heartbeatAt: number;
  /** Ms since the heartbeat by the server's clock, which all machines share; `null` for files. */
  readonly ageMs: number | null;
  readonly report: LeaderReport | null;
}

/**
 * The right to write chain data: `holder` of the lease; `one-shot`, a command that may write while there is no leader
 * (`now` in ms since epoch); `none`; `alone`, no other process has the database open.
 */
export type WriteRight =
  | { readonly kind: 'holder'; readonly holder: string; readonly report?: LeaderReport | undefined }
  | { readonly kind: 'one-shot'; readonly now: number }
  | { readonly kind: 'none' }
  | { readonly kind: 'alone' };

/**
 * Called first in a transaction: takes the write lock, so the lease cannot change until it ends, and writes the report.
 * @throws {StoreError} `not-holder`: this process may not write.
 */
export async function requireLease(trx: Queries, right: WriteRight): Promise<void> {
  if (right.kind === 'alone') return;
  if (right.kind === 'none') throw notHolder('another process');
  const report = right.kind === 'holder' && right.report !== undefined ? JSON.stringify(right.report) : null;
  const row = await trx
    .updateTable('leases')
    .set((e) => ({ report: report ?? e.ref('report') }))
    .where('name', '=', LEADER)
    .returning(['holder', 'process', 'heartbeat_at'])
    .returning(ageOf(trx).as('age'))
    .executeTakeFirst();
  const isOurs =
    right.kind === 'holder'
      ? row?.holder === right.holder
      : row === undefined || (row.age ?? right.now - row.heartbeat_at) >= LEASE_LAPSES_MS;
  if (!isOurs) throw notHolder(row?.process ?? 'no process');
}

const SERVER_NOW = sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`;

/** Time of a heartbeat: by the server's clock if there is one, else as given. */
const timeOf = (db: Queries, at: number) => (isPostgres(db) ? SERVER_NOW : at);

const ageOf = (db: Queries) =>
  isPostgres(db) ? sql<number | null>`${SERVER_NOW} - heartbeat_at` : sql<number | null>`null`;

const notHolder = (process: string) =>
  new StoreError('not-holder', `${process} follows the chain on this database now; this process stands by`);

type NextLease = Omit<StoredLease, 'ageMs' | 'place' | 'report'> & { readonly place?: string | null };

const RETRY_TIMES: RetryTimes = { busy: 1_000 };

export class LeaseStore extends Store {
  async read(): Promise<StoredLease | null> {
    const row = await this.database.run((db) => {
      const held = db.selectFrom('leases').select(['holder', 'process', 'place', 'since', 'report']);
      const dated = held.select(['heartbeat_at as heartbeatAt', ageOf(db).as('ageMs')]);
      return dated.where('name', '=', LEADER).executeTakeFirst();
    }, RETRY_TIMES);
    if (row === undefined) return null;
    const report = maybeCell(row.report, (json) => LeaderReport.safeParse(JSON.parse(json)).data ?? null);
    return { ...row, report };
  }

  /** Takes the lease if it is free, or unchanged since it was read. One of several processes succeeds. */
  async take(next: NextLease, seen: Pick<StoredLease, 'holder' | 'heartbeatAt'> | null): Promise<boolean> {
    const { holder, process, place = null, since, heartbeatAt } = next;
    const { numInsertedOrUpdatedRows } = await this.#write((db) => {
      const row = { holder, process, place, since, heartbeat_at: timeOf(db, heartbeatAt), report: null };
      const taken = db.insertInto('leases').values({ name: LEADER, ...row });
      const unchanged = sql<boolean>`leases.holder = ${seen?.holder ?? ''}
        and leases.heartbeat_at = ${seen?.heartbeatAt ?? 0}`;
      return taken
        .onConflict((conflict) => conflict.column('name').doUpdateSet(row).where(unchanged))
        .executeTakeFirstOrThrow();
    });
    return (numInsertedOrUpdatedRows ?? 0n) > 0n;
  }

  async beat(holder: string, at: number, report: LeaderReport | null = null): Promise<boolean> {
    const { numUpdatedRows } = await this.#write((db) => {
      const columns = { heartbeat_at: timeOf(db, at), report: report && JSON.stringify(report) };
      const lease = db.updateTable('leases').set(columns).where('name', '=', LEADER);
      return lease.where('holder', '=', holder).executeTakeFirstOrThrow();
    });
    return numUpdatedRows > 0n;
  }

  async release(holder: string): Promise<void> {
    const lease = sql`delete from leases where name = ${LEADER} and holder = ${holder}`;
    await this.database.run((db) => lease.execute(db), RETRY_TIMES);
  }

  #write<Result>(work: (db: Queries) => Promise<Result>): Promise<Result> {
    return this.database.run(async (db) => {
      await refuseNewer(db);
      return work(db);
    }, RETRY_TIMES);
  }
}
