import { sql } from 'kysely';
import type { LaneName } from '../core/advice.ts';
import { quantilesOf } from '../core/market-stats.ts';
import { HISTORY_EVERY_SEC, type PriceOrReason } from '../core/threshold/threshold.ts';
import { formatSpan } from '../core/units.ts';
import type { Queries } from './tables.ts';

/** Of the blocks of a window, so that a short outage does not hold rules back. */
const LEAST_SHARE = 0.95;

/** Five minutes of blocks; base fee and tips are means, wei per gas. */
type Bucket = Readonly<
  Record<'start' | 'first_block' | 'last_block' | 'tipped_blocks' | 'base_mean', number>
> &
  Readonly<Record<LaneName, number | null>>;

/** What lanes cost before a time: base fee plus the lane's tip percentile. */
export class LaneHistory {
  /** A whole five minutes, Unix s. */
  readonly end: number;
  #from = Number.POSITIVE_INFINITY;
  /** Start of the oldest stored bucket; `null`: none is. */
  #oldest: number | null = null;
  #buckets: readonly Bucket[] = [];
  readonly #quantiles = new Map<string, ((share: number) => number) | string>();

  /** @param timestamp Unix s; its own five minutes are not over yet */
  constructor(timestamp: number) {
    this.end = timestamp - (timestamp % HISTORY_EVERY_SEC);
  }

  /** Reads what windows up to this length need. */
  async load(db: Queries, windowSec: number): Promise<this> {
    const from = this.end - windowSec;
    if (this.#from <= from) return this;
    const { rows: buckets } = await sql<Bucket>`
      select start, first_block, last_block, tipped_blocks, base_mean,
        tip_p25 as slow, tip_p50 as average, tip_p75 as fast
      from rollups where bucket_sec = ${HISTORY_EVERY_SEC} and start >= ${from} and start < ${this.end} order by start`.execute(
      db,
    );
    const oldest = sql<{ at: number | null }>`
      select min(start) as at from rollups where bucket_sec = ${HISTORY_EVERY_SEC}`;
    this.#oldest = (await oldest.execute(db)).rows[0]?.at ?? null;
    this.#from = from;
    this.#buckets = buckets;
    return this;
  }

  /** The `percentile` point (0–100) of a loaded window. */
  price(lane: LaneName, percentile: number, windowSec: number): PriceOrReason {
    const key = `${lane} ${windowSec}`;
    const known = this.#quantiles.get(key) ?? this.#quantilesOf(lane, windowSec);
    this.#quantiles.set(key, known);
    return typeof known === 'string' ? { reason: known } : { price: BigInt(known(percentile / 100)) };
  }

  #quantilesOf(lane: LaneName, windowSec: number): ((share: number) => number) | string {
    const buckets = this.#buckets.filter(({ start }) => start >= this.end - windowSec);
    const [first, last] = [buckets[0], buckets.at(-1)];
    if (first === undefined || last === undefined || this.#oldest === null)
      return `no block of the last ${formatSpan(windowSec)} is stored`;
    const reached = Math.min(this.end - this.#oldest, windowSec);
    const tipped = buckets.reduce((sum, { tipped_blocks: count }) => sum + count, 0);
    const stored = reached * Math.min(tipped / (last.last_block - first.first_block + 1), 1);
    if (stored < windowSec * LEAST_SHARE)
      return `only ${formatSpan(stored)} of ${formatSpan(windowSec)} are stored`;
    const prices = buckets.flatMap(({ base_mean: base, [lane]: tip }) => (tip === null ? [] : [base + tip]));
    return quantilesOf(prices.sort((a, b) => a - b).map((value) => ({ value, weight: 1 })));
  }
}
