import { sql } from 'kysely';
import { LANES, type LaneName } from '../core/advice.ts';
import type { Queries } from './tables.ts';

const DAY_SEC = 86_400;
/**
 * Small enough that few single blocks remain at the ends of the day, large enough that the day is a few hundred rows.
 */
const BUCKET_SEC = 300;

/** Reference prices for comparisons: the mean base fee, and lane by lane. Whole wei per gas. */
export type ReferencePrices = Readonly<Record<LaneName | 'base', number>>;

const TIPS = { slow: 'tip_p25', average: 'tip_p50', fast: 'tip_p75' } as const;

type Sums = Readonly<Record<LaneName | 'blocks' | 'base' | 'tipped', number | null>>;

/**
 * Mean prices of the 24 h before `timestamp` (Unix seconds): the base fee and, for Slow, Average and Fast, the 25th,
 * 50th and 75th percentile of tips. `null` without blocks in that time.
 */
export async function referencePrices(trx: Queries, timestamp: number): Promise<ReferencePrices | null> {
  const from = timestamp - DAY_SEC;
  const wholeFrom = Math.ceil(from / BUCKET_SEC) * BUCKET_SEC;
  const wholeTo = Math.floor(timestamp / BUCKET_SEC) * BUCKET_SEC;
  const buckets = trx
    .selectFrom('rollups')
    .select([
      'blocks',
      sql<number>`base_mean * blocks`.as('base'),
      'tipped_blocks as tipped',
      ...LANES.map((lane) => sql<number | null>`${sql.ref(TIPS[lane])} * tipped_blocks`.as(lane)),
    ])
    .where('bucket_sec', '=', BUCKET_SEC)
    .where('start', '>=', wholeFrom)
    .where('start', '<', wholeTo);
  const blocksWithin = (start: number, end: number) =>
    trx
      .selectFrom('blocks')
      .select([
        sql<number>`1`.as('blocks'),
        // As doubles: their sum may exceed an integer column.
        sql<number>`base_fee * 1.0`.as('base'),
        sql<number>`case when tip_p50 is null then 0 else 1 end`.as('tipped'),
        ...LANES.map((lane) => sql<number | null>`${sql.ref(TIPS[lane])} * 1.0`.as(lane)),
      ])
      .where('timestamp', '>=', start)
      .where('timestamp', '<', end);
  const ends = blocksWithin(from, wholeFrom).unionAll(blocksWithin(Math.max(wholeTo, wholeFrom), timestamp));
  const parts = buckets.unionAll(ends);
  const sums: Sums = await trx
    .selectFrom(parts.as('parts'))
    .select((e) => [
      e.fn.sum<number | null>('blocks').as('blocks'),
      e.fn.sum<number | null>('base').as('base'),
      e.fn.sum<number | null>('tipped').as('tipped'),
      ...LANES.map((lane) => e.fn.sum<number | null>(lane).as(lane)),
    ])
    .executeTakeFirstOrThrow();
  return meansOf(sums);
}

function meansOf(sums: Sums): ReferencePrices | null {
  const { blocks, base, tipped } = sums;
  if (blocks === null || base === null || blocks === 0) return null;
  const withTips = (tips: number | null) => {
    const tip = tipped === null || tipped === 0 ? 0 : (tips ?? 0) / tipped;
    return Math.min(Math.round(base / blocks + tip), Number.MAX_SAFE_INTEGER);
  };
  return {
    base: withTips(0),
    slow: withTips(sums.slow),
    average: withTips(sums.average),
    fast: withTips(sums.fast),
  };
}
