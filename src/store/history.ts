import { sql } from 'kysely';
import type { Database } from './database.ts';
import { type ReferencePrices, referencePrices } from './reference-prices.ts';
import { blockRollup, bucketStart, foldRollups, ROLLUP_SEC, type Rollup } from './rollups.ts';
import { countRows, type Page, type Queries } from './tables.ts';

/** A stretch of time in Unix seconds, both ends inclusive. */
export interface Window {
  readonly from: number;
  readonly to: number;
  /** Only blocks and buckets with known tips. */
  readonly tipped?: boolean;
}

const EVERYTHING: Page = { offset: 0, limit: Number.MAX_SAFE_INTEGER };

/** Reads history for charts and metrics, always from the coarsest rows that suffice. Rejects with `StoreError`. */
export class HistoryStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Single blocks whose time lies in `window`, ascending, each as a bucket of one. */
  async blocks(window: Window, page: Page = EVERYTHING): Promise<Rollup[]> {
    const rows = await this.#database.run((db) => {
      const ordered = blocksIn(db, window).selectAll().orderBy('timestamp').orderBy('number');
      return ordered.limit(page.limit).offset(page.offset).execute();
    });
    return rows.map(blockRollup);
  }

  countBlocks(window: Window): Promise<number> {
    return this.#database.run((db) => countRows(blocksIn(db, window)));
  }

  /** Buckets of `bucketSec` (a multiple of a minute) that start in `window`, the one around `from` included. */
  async buckets(bucketSec: number, window: Window, page: Page = EVERYTHING): Promise<Rollup[]> {
    const { limit, offset } = page;
    const isStored = storedSec(bucketSec) === bucketSec;
    const rows = await this.#database.run((db) => {
      const all = bucketsIn(db, bucketSec, window).selectAll().orderBy('start');
      return all.$if(isStored, (query) => query.limit(limit).offset(offset)).execute();
    });
    return isStored ? rows : foldRollups(rows, bucketSec).slice(offset, offset + limit);
  }

  async countBuckets(bucketSec: number, window: Window): Promise<number> {
    if (storedSec(bucketSec) !== bucketSec) return (await this.buckets(bucketSec, window)).length;
    return this.#database.run((db) => countRows(bucketsIn(db, bucketSec, window)));
  }

  /** Time of the oldest block, or start of the oldest bucket of `bucketSec`; `null` while there is no history. */
  async reachesBackTo(bucketSec: number | null): Promise<number | null> {
    const oldest =
      bucketSec === null
        ? sql<{ at: number | null }>`select min(timestamp) as at from blocks`
        : sql<{
            at: number | null;
          }>`select min(start) as at from rollups where bucket_sec = ${storedSec(bucketSec)}`;
    return (await this.#database.run((db) => oldest.execute(db))).rows[0]?.at ?? null;
  }

  /** Mean prices of the 24 h before `timestamp` (Unix seconds); `null` when there are no blocks. */
  referencePrices(timestamp: number): Promise<ReferencePrices | null> {
    return this.#database.run((db) => referencePrices(db, timestamp));
  }
}

const blocksIn = (db: Queries, { from, to, tipped = false }: Window) =>
  db
    .selectFrom('blocks')
    .where('timestamp', '>=', from)
    .where('timestamp', '<=', to)
    .$if(tipped, (query) => query.where('tip_p50', 'is not', null));

/** The stored buckets that make up those of `bucketSec`. */
function bucketsIn(db: Queries, bucketSec: number, { from, to, tipped = false }: Window) {
  const stored = storedSec(bucketSec);
  return db
    .selectFrom('rollups')
    .where('bucket_sec', '=', stored)
    .where('start', '>=', bucketStart(from, bucketSec))
    .where('start', '<=', bucketStart(to, bucketSec) + bucketSec - stored)
    .$if(tipped, (query) => query.where('tipped_blocks', '>', 0));
}

/** The longest stored bucket length that divides `bucketSec`. */
function storedSec(bucketSec: number): number {
  const stored = ROLLUP_SEC.findLast((sec) => bucketSec % sec === 0);
  if (stored === undefined) throw new RangeError(`buckets of ${bucketSec} s are not stored`);
  return stored;
}
