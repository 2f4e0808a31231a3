import { sql } from 'kysely';
import type { LaneName } from '../core/advice.ts';
import { quantilesOf, type Weighted } from '../core/market-stats.ts';
import type { PriceOrReason } from '../core/threshold/threshold.ts';
import { formatSpan } from '../core/units.ts';
import type { Queries } from './tables.ts';

const DAY_SEC = 86_400;
/** Minutes are few enough up to a week, five minutes up to the 30 days that are kept. */
const MINUTES_UP_TO_SEC = 7 * DAY_SEC;
/** Of the blocks of a window, so that a short outage does not hold rules back. */
const LEAST_SHARE = 0.95;

/** Blocks of a minute or five; base fee and tips are means, wei per gas. */
type Bucket = Readonly<
  Record<'start' | 'first_block' | 'last_block' | 'tipped_blocks' | 'base_mean', number>
> &
  Readonly<Record<LaneName, number | null>>;

interface Series {
  readonly from: number;
  /** Start of the oldest stored bucket, also before `from`; `null`: none is stored. */
  readonly oldest: number | null;
  readonly buckets: readonly Bucket[];
}

/** What a lane's price was before `end` (Unix s): base fee plus the lane's tip percentile, by means of one or five minutes. */
export class LaneHistory {
  readonly end: number;
  readonly #series = new Map<number, Series>();
  readonly #quantiles = new Map<string, ((share: number) => number) | string>();

  constructor(end: number) {
    this.end = end;
  }

  /** Reads what windows up to this length need. */
  async load(db: Queries, windowSec: number): Promise<void> {
    const bucketSec = bucketOf(windowSec);
    const from = this.end - windowSec;
    if ((this.#series.get(bucketSec)?.from ?? Number.POSITIVE_INFINITY) <= from) return;
    const stored = sql<{
      at: number | null;
    }>`select min(start) as at from rollups where bucket_sec = ${bucketSec}`;
    const oldest = (await stored.execute(db)).rows[0]?.at ?? null;
    const buckets = await sql<Bucket>`
      select start, first_block, last_block, tipped_blocks, base_mean,
        tip_p25 as slow, tip_p50 as average, tip_p75 as fast
      from rollups where bucket_sec = ${bucketSec} and start >= ${from} and start < ${this.end} order by start`.execute(
      db,
    );
    this.#series.set(bucketSec, { from, oldest, buckets: buckets.rows });
  }

  /** The `percentile` point (0–100) of a loaded window. */
  price(lane: LaneName, percentile: number, windowSec: number): PriceOrReason {
    const key = `${lane} ${windowSec}`;
    const known = this.#quantiles.get(key) ?? this.#quantilesOf(lane, windowSec);
    this.#quantiles.set(key, known);
    return typeof known === 'string' ? { reason: known } : { price: BigInt(known(percentile / 100)) };
  }

  #quantilesOf(lane: LaneName, windowSec: number): ((share: number) => number) | string {
    const { oldest = null, buckets: all = [] } = this.#series.get(bucketOf(windowSec)) ?? {};
    const from = this.end - windowSec;
    const buckets = all.filter(({ start }) => start >= from);
    const [first, last] = [buckets[0], buckets.at(-1)];
    if (first === undefined || last === undefined || oldest === null)
      return `no block of the last ${formatSpan(windowSec)} is stored`;
    const prices: Weighted[] = [];
    let known = 0;
    for (const { tipped_blocks: weight, base_mean: base, [lane]: tip } of buckets) {
      if (tip === null) continue;
      prices.push({ value: base + tip, weight });
      known += weight;
    }
    const reached = Math.min(this.end - oldest, windowSec);
    const stored = reached * Math.min(known / (last.last_block - first.first_block + 1), 1);
    if (stored < windowSec * LEAST_SHARE)
      return `only ${formatSpan(stored)} of ${formatSpan(windowSec)} are stored`;
    return quantilesOf(prices.sort((a, b) => a.value - b.value));
  }
}

const bucketOf = (windowSec: number) => (windowSec <= MINUTES_UP_TO_SEC ? 60 : 300);
