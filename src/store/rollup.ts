import type { BlockRow, RollupRow } from './schema.ts';

/**
 * The blocks of one bucket of time, folded: base fee and mean tips in wei per gas, `start` in Unix seconds.
 * Means are exact, so not whole wei.
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
  /** In the order of `TIP_PERCENTILES`; `null` where no block had known tips. */
  readonly tips: readonly number[] | null;
  readonly ratio: { readonly mean: number; readonly max: number };
}

type TipColumns = Pick<
  RollupRow,
  'tip_p10' | 'tip_p25' | 'tip_p50' | 'tip_p75' | 'tip_p90' | 'tip_p95' | 'tip_p99'
>;

function tipsOf(row: TipColumns): readonly number[] | null {
  const { tip_p10, tip_p25, tip_p50, tip_p75, tip_p90, tip_p95, tip_p99 } = row;
  const tips = [tip_p10, tip_p25, tip_p50, tip_p75, tip_p90, tip_p95, tip_p99];
  return tips.every((tip) => tip !== null) ? tips : null;
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

export function toRollupRow(rollup: Rollup, bucketSec: number): RollupRow {
  const [p10, p25, p50, p75, p90, p95, p99] = rollup.tips ?? [];
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
    tip_p10: p10 ?? null,
    tip_p25: p25 ?? null,
    tip_p50: p50 ?? null,
    tip_p75: p75 ?? null,
    tip_p90: p90 ?? null,
    tip_p95: p95 ?? null,
    tip_p99: p99 ?? null,
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
