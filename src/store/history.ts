import type { Database } from './database.ts';
import { type ReferencePrices, referencePrices } from './reference-prices.ts';
import { blockRollup, bucketStart, foldRollups, ROLLUP_SEC, type Rollup, toRollup } from './rollups.ts';
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
    const stored = storedSec(bucketSec);
    const from = bucketStart(window.from, bucketSec);
    const rows = await this.#database.run((db) => {
      const all = db
        .selectFrom('rollups')
        .selectAll()
        .where('bucket_sec', '=', stored)
        .where('start', '>=', from)
        .where('start', '<=', bucketStart(window.to, bucketSec) + bucketSec - stored)
        .$if(window.tipped === true, (query) => query.where('tipped_blocks', '>', 0))
        .orderBy('start');
      return (stored === bucketSec ? all.limit(page.limit).offset(page.offset) : all).execute();
    });
    const rollups = rows.map(toRollup);
    if (stored === bucketSec) return rollups;
    return foldRollups(rollups, bucketSec).slice(page.offset, page.offset + page.limit);
  }

  async countBuckets(bucketSec: number, window: Window): Promise<number> {
    if (storedSec(bucketSec) !== bucketSec) return (await this.buckets(bucketSec, window)).length;
    return this.#database.run((db) =>
      countRows(
        db
          .selectFrom('rollups')
          .where('bucket_sec', '=', bucketSec)
          .where('start', '>=', bucketStart(window.from, bucketSec))
          .where('start', '<=', window.to)
          .$if(window.tipped === true, (query) => query.where('tipped_blocks', '>', 0)),
      ),
    );
  }

  /** Time of the oldest block, or start of the oldest bucket of `bucketSec`; `null` while there is no history. */
  async reachesBackTo(bucketSec: number | null): Promise<number | null> {
    const row = await this.#database.run((db) =>
      (bucketSec === null
        ? db.selectFrom('blocks').select((e) => e.fn.min('timestamp').as('oldest'))
        : db
            .selectFrom('rollups')
            .select((e) => e.fn.min('start').as('oldest'))
            .where('bucket_sec', '=', storedSec(bucketSec))
      ).executeTakeFirst(),
    );
    return row?.oldest === null || row?.oldest === undefined ? null : Number(row.oldest);
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

/** The longest stored bucket length that divides `bucketSec`. */
function storedSec(bucketSec: number): number {
  const stored = ROLLUP_SEC.findLast((sec) => bucketSec % sec === 0);
  if (stored === undefined) throw new RangeError(`buckets of ${bucketSec} s are not stored`);
  return stored;
}
