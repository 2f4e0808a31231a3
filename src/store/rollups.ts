import { sql } from 'kysely';
import { TIP_PERCENTILES, type TipPercentile } from '../core/block.ts';
import type { BlockRow } from './blocks.ts';
import { pagesOf, type Queries } from './tables.ts';

/** Of a block or a bucket: one for each of `TIP_PERCENTILES`; `null`: unknown. */
type TipColumns = Record<`tip_p${TipPercentile}`, number | null>;

export const TIPS = TIP_PERCENTILES.map((percentile) => `tip_p${percentile}` as const);

export const tipColumns = (read: (column: keyof TipColumns, place: number) => number | null): TipColumns =>
  Object.fromEntries(TIPS.map((column, place) => [column, read(column, place)])) as TipColumns;

/** The blocks of one time bucket. Base fee and mean tips in wei per gas, not whole; `start` in Unix seconds. */
export type Rollup = Readonly<ReturnType<typeof blockRollup>>;
export type RollupRow = Rollup & { readonly bucket_sec: number };

/** Its prices alone. */
export type PricedBlocks = Readonly<ReturnType<typeof pricedBlock>>;

type PriceColumns = Pick<BlockRow, 'number' | 'timestamp' | 'base_fee' | 'tip_p50'>;

export const pricedBlock = ({ number, timestamp, base_fee: fee, tip_p50 }: PriceColumns) => ({
  start: timestamp,
  blocks: 1,
  first_block: number,
  last_block: number,
  base_min: fee,
  base_mean: fee,
  base_max: fee,
  tipped_blocks: tip_p50 === null ? 0 : 1,
  tip_p50,
});

export function blockRollup(row: BlockRow) {
  const { base_fee: fee, gas_used_ratio: ratio } = row;
  return {
    ...pricedBlock(row),
    base_open: fee,
    base_close: fee,
    ...tipColumns((column) => row[column]),
    ratio_mean: ratio,
    ratio_max: ratio,
  };
}

export const bucketStart = (timestamp: number, bucketSec: number) => timestamp - (timestamp % bucketSec);

/** Folds parts (blocks, or smaller buckets), ascending by block, into buckets of `bucketSec`. */
export function foldRollups(parts: readonly Rollup[], bucketSec: number): Rollup[] {
  const buckets = Map.groupBy(parts, ({ start }) => bucketStart(start, bucketSec));
  return [...buckets].map(([start, members]) => merge(start, members)).sort((a, b) => a.start - b.start);
}

function merge(start: number, parts: readonly Rollup[]): Rollup {
  const [first, last] = [parts[0], parts.at(-1)];
  if (first === undefined || last === undefined) throw new RangeError('a bucket needs a block');
  const sum = (of: (part: Rollup) => number) => parts.reduce((total, part) => total + of(part), 0);
  const blocks = sum((part) => part.blocks);
  const tipped = sum((part) => part.tipped_blocks);
  return {
    start,
    blocks,
    first_block: first.first_block,
    last_block: last.last_block,
    base_open: first.base_open,
    base_min: Math.min(...parts.map((part) => part.base_min)),
    base_mean: sum((part) => part.base_mean * part.blocks) / blocks,
    base_max: Math.max(...parts.map((part) => part.base_max)),
    base_close: last.base_close,
    tipped_blocks: tipped,
    ...tipColumns((column) => {
      // A block may lack single ones.
      const withTip = sum((part) => (part[column] === null ? 0 : part.tipped_blocks));
      return withTip === 0 ? null : sum((part) => (part[column] ?? 0) * part.tipped_blocks) / withTip;
    }),
    // A sum of ratios may exceed 1 by the last bit.
    ratio_mean: Math.min(1, sum((part) => part.ratio_mean * part.blocks) / blocks),
    ratio_max: Math.max(...parts.map((part) => part.ratio_max)),
  };
}

/** Stored bucket lengths, each folded from the one before: minutes from blocks, hours from five minutes. */
export const ROLLUP_SEC = [60, 300, 3_600] as const;

/** Folds the buckets from the first to the last of `timestamps` again from stored rows, in the transaction that changed them. */
export async function refoldRollups(trx: Queries, timestamps: Iterable<number>): Promise<void> {
  let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const timestamp of timestamps) [from, to] = [Math.min(from, timestamp), Math.max(to, timestamp + 1)];
  if (from > to) return;
  let finer: number | null = null;
  for (const bucketSec of ROLLUP_SEC) {
    [from, to] = [bucketStart(from, bucketSec), bucketStart(to + bucketSec - 1, bucketSec)];
    const isWithin = (sec: number) =>
      sql<boolean>`bucket_sec = ${sec} and start >= ${from} and start < ${to}`;
    const blocks = trx.selectFrom('blocks').selectAll().where('timestamp', '>=', from);
    const rollups = trx.selectFrom('rollups').selectAll().orderBy('start');
    const parts =
      finer === null
        ? (await blocks.where('timestamp', '<', to).orderBy('number').execute()).map(blockRollup)
        : await rollups.where(isWithin(finer)).execute();
    await trx.deleteFrom('rollups').where(isWithin(bucketSec)).execute();
    const rows = foldRollups(parts, bucketSec).map((rollup) => ({ bucket_sec: bucketSec, ...rollup }));
    for (const page of pagesOf(rows)) await trx.insertInto('rollups').values(page).execute();
    finer = bucketSec;
  }
}
