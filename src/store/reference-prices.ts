import { sql } from 'kysely';
import type { LaneName } from '../core/advice.ts';
import type { Queries } from './tables.ts';

const DAY_SEC = 86_400;
/** Few single blocks remain at the ends of the day, and the day is a few hundred rows. */
const BUCKET_SEC = 300;

/** Reference prices for comparisons: the mean base fee, and lane by lane. Whole wei per gas. */
export type ReferencePrices = Readonly<Record<LaneName | 'base', number>>;

type Sums = Readonly<Record<LaneName | 'blocks' | 'base' | 'tipped', number | null>>;

/** Mean prices of the 24 h before `timestamp` (Unix seconds), each lane by its tips. `null` without blocks. */
export async function referencePrices(trx: Queries, timestamp: number): Promise<ReferencePrices | null> {
  const from = timestamp - DAY_SEC;
  const wholeFrom = Math.ceil(from / BUCKET_SEC) * BUCKET_SEC;
  const wholeTo = Math.max(Math.floor(timestamp / BUCKET_SEC) * BUCKET_SEC, wholeFrom);
  // As doubles: a sum of wei may exceed an integer column.
  const blocksWithin = (start: number, end: number) => sql`
    select 1, base_fee * 1.0, case when tip_p50 is null then 0 else 1 end, tip_p25 * 1.0, tip_p50 * 1.0, tip_p75 * 1.0
    from blocks where timestamp >= ${start} and timestamp < ${end}`;
  const { rows } = await sql<Sums>`
    select sum(blocks) as blocks, sum(base) as base, sum(tipped) as tipped,
      sum(slow) as slow, sum(average) as average, sum(fast) as fast
    from (
      select blocks, base_mean * blocks as base, tipped_blocks as tipped,
        tip_p25 * tipped_blocks as slow, tip_p50 * tipped_blocks as average, tip_p75 * tipped_blocks as fast
      from rollups where bucket_sec = ${BUCKET_SEC} and start >= ${wholeFrom} and start < ${wholeTo}
      union all ${blocksWithin(from, wholeFrom)}
      union all ${blocksWithin(wholeTo, timestamp)}
    ) as parts`.execute(trx);
  const [sums] = rows;
  if (!sums?.blocks) return null;
  const { blocks, base, tipped, slow, average, fast } = sums;
  const withTips = (tips: number | null) =>
    Math.min(Math.round((base ?? 0) / blocks + (tipped ? (tips ?? 0) / tipped : 0)), Number.MAX_SAFE_INTEGER);
  return { base: withTips(0), slow: withTips(slow), average: withTips(average), fast: withTips(fast) };
}
