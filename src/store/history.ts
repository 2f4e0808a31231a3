import { sql } from 'kysely';
import type { LaneName } from '../core/advice.ts';
import type { HourlyMean } from '../core/market-stats.ts';
import { DAY_SEC, HOUR_SEC, MINUTE_SEC } from '../core/time.ts';
import { type CoinPriceRow, coinPricesIn } from './coin-prices.ts';
import { Store } from './database.ts';
import { LaneHistory } from './lane-history.ts';
import {
  blockRollup,
  bucketStart,
  foldRollups,
  type PricedBlocks,
  pricedBlock,
  ROLLUP_SEC,
  type Rollup,
} from './rollups.ts';
import { countRows, type Page, type Queries } from './tables.ts';

/** A stretch of time in Unix seconds, both ends inclusive. */
export interface Window {
  readonly from: number;
  readonly to: number;
  /** Only blocks and buckets with known tips. */
  readonly tipped?: boolean;
}

const EVERYTHING: Page = { offset: 0, limit: Number.MAX_SAFE_INTEGER };

/** Reads history for charts and metrics, always from the coarsest rows that suffice. */
export class HistoryStore extends Store {
  /** Single blocks whose time lies in `window`, ascending, each as a bucket of one. */
  async blocks(window: Window, page: Page = EVERYTHING): Promise<Rollup[]> {
    const rows = await this.database.run((db) => {
      const ordered = blocksIn(db, window).selectAll().orderBy('timestamp').orderBy('number');
      return ordered.limit(page.limit).offset(page.offset).execute();
    });
    return rows.map(blockRollup);
  }

  /**
   * As {@link blocks}, with prices alone: all columns of a day's blocks take three times as long, and 10 MB more. `null`:
   * there are more than `most`.
   */
  async prices(window: Window, most: number): Promise<PricedBlocks[] | null> {
    const rows = await this.database.run((db) => {
      const columns = blocksIn(db, window).select(['number', 'timestamp', 'base_fee', 'tip_p50']);
      const ordered = columns.orderBy('timestamp').orderBy('number');
      return ordered.limit(most + 1).execute();
    });
    return rows.length > most ? null : rows.map(pricedBlock);
  }

  /** The mean base fee of each hour that starts in `window`. */
  hours(window: Window): Promise<HourlyMean[]> {
    return this.database.run((db) => {
      const hours = bucketsIn(db, HOUR_SEC, window).orderBy('start');
      return hours.select(['start as timestamp', 'base_mean as meanBaseFee', 'blocks']).execute();
    });
  }

  countBlocks(window: Window): Promise<number> {
    return this.database.run((db) => countRows(blocksIn(db, window)));
  }

  /** Buckets of `bucketSec` (a multiple of a minute) that start in `window`, the one around `from` included; `null`: blocks. */
  async buckets(bucketSec: number | null, window: Window, page: Page = EVERYTHING): Promise<Rollup[]> {
    if (bucketSec === null) return this.blocks(window, page);
    const { limit, offset } = page;
    const isStored = storedSec(bucketSec) === bucketSec;
    const rows = await this.database.run((db) => {
      const all = bucketsIn(db, bucketSec, window).selectAll().orderBy('start');
      return all.$if(isStored, (query) => query.limit(limit).offset(offset)).execute();
    });
    return isStored ? rows : foldRollups(rows, bucketSec).slice(offset, offset + limit);
  }

  async countBuckets(bucketSec: number | null, window: Window): Promise<number> {
    if (bucketSec === null) return this.countBlocks(window);
    if (storedSec(bucketSec) !== bucketSec) return (await this.buckets(bucketSec, window)).length;
    return this.database.run((db) => countRows(bucketsIn(db, bucketSec, window)));
  }

  /** Time of the oldest block, or start of the oldest bucket of `bucketSec`; `null` while there is no history. */
  async reachesBackTo(bucketSec: number | null): Promise<number | null> {
    const stored = bucketSec === null ? null : storedSec(bucketSec);
    const oldest = sql<{ at: number | null }>`select ${
      stored === null
        ? sql`min(timestamp) as at from blocks`
        : sql`min(start) as at from rollups where bucket_sec = ${stored}`
    }`;
    return (await this.database.run((db) => oldest.execute(db))).rows[0]?.at ?? null;
  }

  /** The highest or lowest base fee in `window`; where it goes on beyond the window's ends, at most `slackSec` after them. */
  peak(window: Window, side: Side, slackSec = 0): Promise<Peak | null> {
    return this.database.run((db) => peakAround(db, window, side, slackSec));
  }

  coinPrices(window: Window): Promise<CoinPriceRow[]> {
    return this.database.run((db) => coinPricesIn(db, window));
  }

  /** Lane prices of windows up to that length before `timestamp` (Unix s), as rules are priced by them. */
  laneHistory(timestamp: number, windowSec: number): Promise<LaneHistory> {
    return this.database.run((db) => new LaneHistory(timestamp).load(db, windowSec));
  }

  referencePrices(timestamp: number): Promise<ReferencePrices | null> {
    return this.database.run((db) => referencePrices(db, timestamp));
  }
}

const blocksIn = (db: Queries, { from, to, tipped = false }: Window) =>
  db
    .selectFrom('blocks')
    .where('timestamp', '>=', from)
    .where('timestamp', '<=', to)
    // A row with a limit of 0 stands for a height without a block.
    .where((where) => where.or([where('gas_limit', 'is', null), where('gas_limit', '<>', 0)]))
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

function storedSec(bucketSec: number): number {
  const stored = ROLLUP_SEC.findLast((sec) => bucketSec % sec === 0);
  if (stored === undefined) throw new RangeError(`buckets of ${bucketSec} s are not stored`);
  return stored;
}

type Side = 'highest' | 'lowest';

/** A base fee in wei per gas, and the time of its block in Unix seconds; of its minute where the block is not stored. */
interface Peak {
  readonly timestamp: number;
  readonly value: number;
}

/** Nothing so near to a peak goes beyond it, so that it is the same one whichever window its flanks are seen in. */
const NEAR_PEAK_SEC = 300;

async function peakAround(db: Queries, window: Window, side: Side, slackSec: number): Promise<Peak | null> {
  const order = side === 'highest' ? 'desc' : 'asc';
  const column = side === 'highest' ? 'base_max' : 'base_min';
  const minuteIn = ({ from, to }: Window) =>
    bucketsIn(db, MINUTE_SEC, { from, to })
      .select(['start', column])
      .orderBy(column, order)
      .orderBy('start')
      .limit(1)
      .executeTakeFirst();
  let minute = await minuteIn(window);
  for (let known: typeof minute; minute !== undefined && minute[column] !== known?.[column]; ) {
    known = minute;
    const next = await minuteIn({
      from: Math.max(known.start - NEAR_PEAK_SEC, window.from - slackSec),
      to: Math.min(known.start + NEAR_PEAK_SEC, window.to + slackSec),
    });
    minute = next?.[column] === known[column] ? known : next;
  }
  if (minute === undefined) return null;
  const { start, [column]: value } = minute;
  const block = await blocksIn(db, { from: start, to: start + MINUTE_SEC - 1 })
    .select('timestamp')
    .where('base_fee', '=', value)
    .orderBy('timestamp')
    .limit(1)
    .executeTakeFirst();
  return { timestamp: block?.timestamp ?? start, value };
}

/** Few single blocks remain at the ends of the day, and the day is a few hundred rows. */
const REFERENCE_SEC = 300;

/** Reference prices for comparisons: the mean base fee, and lane by lane. Whole wei per gas. */
export type ReferencePrices = Readonly<Record<LaneName | 'base', number>>;

type Sums = Readonly<Record<LaneName | 'blocks' | 'base' | 'tipped', number | null>>;

/** Mean prices of the 24 h before `timestamp` (Unix seconds), each lane by its tips. `null` without blocks. */
export async function referencePrices(trx: Queries, timestamp: number): Promise<ReferencePrices | null> {
  const from = timestamp - DAY_SEC;
  const wholeFrom = Math.ceil(from / REFERENCE_SEC) * REFERENCE_SEC;
  const wholeTo = Math.max(Math.floor(timestamp / REFERENCE_SEC) * REFERENCE_SEC, wholeFrom);
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
      from rollups where bucket_sec = ${REFERENCE_SEC} and start >= ${wholeFrom} and start < ${wholeTo}
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
