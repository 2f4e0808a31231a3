import { prepared, type Slots } from './prepared.ts';
import type { RollupSec } from './rollup-tables.ts';
import type { Queries } from './schema.ts';

/**
 * What a block, or the blocks of one bucket of time, cost: wei per gas, `start` in Unix seconds. Of a `Rollup` what
 * prices are judged by, as a day of whole ones takes four times as long to read.
 */
export interface PricePart {
  readonly start: number;
  readonly blocks: number;
  readonly base: { readonly min: number; readonly mean: number; readonly max: number };
  readonly tippedBlocks: number;
  /** The mean of the median tips; `null` where no block had known tips. */
  readonly tip: number | null;
}

/** Unix seconds, both ends inclusive. */
interface Range {
  readonly from: number;
  readonly to: number;
}

const selectBlocks = prepared((db, slot: Slots<Range>) =>
  db
    .selectFrom('blocks')
    .select(['timestamp', 'base_fee', 'tip_p50'])
    .where('timestamp', '>=', slot('from'))
    .where('timestamp', '<=', slot('to'))
    .orderBy('timestamp')
    .orderBy('number'),
);

const selectBuckets = prepared((db, slot: Slots<Range & { readonly bucketSec: RollupSec }>) =>
  db
    .selectFrom('rollups')
    .select(['start', 'blocks', 'base_min', 'base_mean', 'base_max', 'tipped_blocks', 'tip_p50'])
    .where('bucket_sec', '=', slot('bucketSec'))
    .where('start', '>=', slot('from'))
    .where('start', '<=', slot('to'))
    .orderBy('start'),
);

/** The blocks whose time lies in `range`, ascending. */
export async function blockPrices(db: Queries, range: Range): Promise<PricePart[]> {
  const rows = await selectBlocks(db, range);
  return rows.map(({ timestamp, base_fee, tip_p50 }) => ({
    start: timestamp,
    blocks: 1,
    base: { min: base_fee, mean: base_fee, max: base_fee },
    tippedBlocks: tip_p50 === null ? 0 : 1,
    tip: tip_p50,
  }));
}

/** The stored buckets that start in `range`, ascending. */
export async function bucketPrices(db: Queries, bucketSec: RollupSec, range: Range): Promise<PricePart[]> {
  const rows = await selectBuckets(db, { ...range, bucketSec });
  return rows.map((row) => ({
    start: row.start,
    blocks: row.blocks,
    base: { min: row.base_min, mean: row.base_mean, max: row.base_max },
    tippedBlocks: row.tipped_blocks,
    tip: row.tip_p50,
  }));
}
