import { type BlockRow, joined, type NumberRange, tipColumns, tipsOf } from './block-rows.ts';
import { pagesOf, type Queries } from './tables.ts';

/**
 * The blocks of one time bucket, folded: base fee and mean tips in wei per gas, `start` in Unix seconds. Means are
 * exact, so not whole wei.
 */
export interface Rollup {
  readonly start: number;
  readonly blocks: number;
  readonly firstBlock: number;
  readonly lastBlock: number;
  readonly base: {
    readonly open: number;
    readonly min: number;
    readonly mean: number;
    readonly max: number;
    readonly close: number;
  };
  readonly tippedBlocks: number;
  /** In the order of `TIP_PERCENTILES`; `null` when no block had known tips. */
  readonly tips: readonly number[] | null;
  readonly ratio: { readonly mean: number; readonly max: number };
}

/** A single block as the smallest bucket; `start` is its own time. */
export function blockRollup(row: Omit<BlockRow, 'hash' | 'parent_hash'>): Rollup {
  const tips = tipsOf(row);
  const fee = row.base_fee;
  return {
    start: row.timestamp,
    blocks: 1,
    firstBlock: row.number,
    lastBlock: row.number,
    base: { open: fee, min: fee, mean: fee, max: fee, close: fee },
    tippedBlocks: tips === null ? 0 : 1,
    tips,
    ratio: { mean: row.gas_used_ratio, max: row.gas_used_ratio },
  };
}

export function toRollup(row: RollupRow): Rollup {
  return {
    start: row.start,
    blocks: row.blocks,
    firstBlock: row.first_block,
    lastBlock: row.last_block,
    base: {
      open: row.base_open,
      min: row.base_min,
      mean: row.base_mean,
      max: row.base_max,
      close: row.base_close,
    },
    tippedBlocks: row.tipped_blocks,
    tips: tipsOf(row),
    ratio: { mean: row.ratio_mean, max: row.ratio_max },
  };
}

/** The blocks of one time bucket, folded. Means are exact over the blocks, so they are not whole wei. */
export type RollupRow = ReturnType<typeof toRollupRow>;

function toRollupRow(rollup: Rollup, bucketSec: number) {
  return {
    bucket_sec: bucketSec,
    start: rollup.start,
    blocks: rollup.blocks,
    first_block: rollup.firstBlock,
    last_block: rollup.lastBlock,
    base_open: rollup.base.open,
    base_min: rollup.base.min,
    base_mean: rollup.base.mean,
    base_max: rollup.base.max,
    base_close: rollup.base.close,
    tipped_blocks: rollup.tippedBlocks,
    ...tipColumns(rollup.tips),
    ratio_mean: rollup.ratio.mean,
    ratio_max: rollup.ratio.max,
  };
}

export const bucketStart = (timestamp: number, bucketSec: number) => timestamp - (timestamp % bucketSec);

/** Folds parts (blocks, or smaller buckets), ascending by block, into buckets of `bucketSec`. */
export function foldRollups(parts: readonly Rollup[], bucketSec: number): Rollup[] {
  const buckets = new Map<number, Rollup[]>();
  for (const part of parts) {
    const start = bucketStart(part.start, bucketSec);
    const bucket = buckets.get(start);
    if (bucket === undefined) buckets.set(start, [part]);
    else bucket.push(part);
  }
  return [...buckets].map(([start, members]) => merge(start, members)).sort((a, b) => a.start - b.start);
}

function merge(start: number, parts: readonly Rollup[]): Rollup {
  const first = parts[0];
  const last = parts.at(-1);
  if (first === undefined || last === undefined) throw new RangeError('a bucket needs a block');
  let blocks = 0;
  let tippedBlocks = 0;
  let min = Number.POSITIVE_INFINITY;
  let max = 0;
  let baseSum = 0;
  let ratioSum = 0;
  let ratioMax = 0;
  const tipSums: number[] = [];
  for (const part of parts) {
    blocks += part.blocks;
    min = Math.min(min, part.base.min);
    max = Math.max(max, part.base.max);
    baseSum += part.base.mean * part.blocks;
    ratioSum += part.ratio.mean * part.blocks;
    ratioMax = Math.max(ratioMax, part.ratio.max);
    if (part.tips === null) continue;
    tippedBlocks += part.tippedBlocks;
    for (const [index, tip] of part.tips.entries()) {
      tipSums[index] = (tipSums[index] ?? 0) + tip * part.tippedBlocks;
    }
  }
  return {
    start,
    blocks,
    firstBlock: first.firstBlock,
    lastBlock: last.lastBlock,
    base: { open: first.base.open, min, mean: baseSum / blocks, max, close: last.base.close },
    tippedBlocks,
    tips: tippedBlocks === 0 ? null : tipSums.map((sum) => sum / tippedBlocks),
    // A sum of ratios may exceed 1 by the last bit.
    ratio: { mean: Math.min(1, ratioSum / blocks), max: ratioMax },
  };
}

/** Stored bucket lengths, each folded from the one before: minutes from blocks, hours from five minutes. */
export const ROLLUP_SEC = [60, 300, 3_600] as const;
type RollupSec = (typeof ROLLUP_SEC)[number];

/**
 * Folds every bucket that contains one of `timestamps` again from stored rows. Blocks may have been written,
 * replaced, deleted or moved in time. Call it in the transaction that changed the blocks.
 */
export async function refoldRollups(trx: Queries, timestamps: Iterable<number>): Promise<void> {
  let touched = stretches(timestamps, ROLLUP_SEC[0]);
  let finer: RollupSec | null = null;
  for (const bucketSec of ROLLUP_SEC) {
    touched = widen(touched, bucketSec);
    for (const stretch of touched) {
      const parts: Rollup[] =
        finer === null ? await readBlocks(trx, stretch) : await readFiner(trx, stretch, finer);
      await replace(trx, stretch, bucketSec, foldRollups(parts, bucketSec));
    }
    finer = bucketSec;
  }
}

/** `from` inclusive, `to` exclusive, both on bucket boundaries. */
type Stretch = NumberRange;

function stretches(timestamps: Iterable<number>, bucketSec: number): Stretch[] {
  const starts = new Set<number>();
  for (const timestamp of timestamps) starts.add(bucketStart(timestamp, bucketSec));
  return joined([...starts].map((from) => ({ from, to: from + bucketSec })));
}

const widen = (touched: readonly Stretch[], bucketSec: number): Stretch[] =>
  joined(
    touched.map(({ from, to }) => ({
      from: bucketStart(from, bucketSec),
      to: bucketStart(to + bucketSec - 1, bucketSec),
    })),
  );

async function readBlocks(trx: Queries, { from, to }: Stretch): Promise<Rollup[]> {
  const rows = await trx
    .selectFrom('blocks')
    .selectAll()
    .where('timestamp', '>=', from)
    .where('timestamp', '<', to)
    .orderBy('number')
    .execute();
  return rows.map(blockRollup);
}

async function readFiner(trx: Queries, { from, to }: Stretch, finer: RollupSec): Promise<Rollup[]> {
  const rows = await trx
    .selectFrom('rollups')
    .selectAll()
    .where('bucket_sec', '=', finer)
    .where('start', '>=', from)
    .where('start', '<', to)
    .orderBy('start')
    .execute();
  return rows.map(toRollup);
}

async function replace(
  trx: Queries,
  { from, to }: Stretch,
  bucketSec: RollupSec,
  rollups: readonly Rollup[],
): Promise<void> {
  await trx
    .deleteFrom('rollups')
    .where('bucket_sec', '=', bucketSec)
    .where('start', '>=', from)
    .where('start', '<', to)
    .execute();
  const rows = rollups.map((rollup) => toRollupRow(rollup, bucketSec));
  for (const page of pagesOf(rows)) await trx.insertInto('rollups').values(page).execute();
}
