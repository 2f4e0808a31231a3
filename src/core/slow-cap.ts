import { LANE_PROMISES } from './advice.ts';
import { fromPpm, scaledFee, toPpm } from './fee-ratio.ts';
import type { Column, History } from './history.ts';
import { MEMORY_BLOCKS } from './nearest-states.ts';
import { PastPaths } from './past-paths.ts';
import { Rolling, WholeSum } from './rolling.ts';

const { withinBlocks, target } = LANE_PROMISES.slow;
/** Past promises that say how far the next one must be corrected; it takes a while to believe them. */
const JUDGED_BLOCKS = 1_000;
const DOUBTED_BLOCKS = 100;
/** Windows overlap: so many must have been judged, eight one after another, before anything is stated. */
const LEAST_JUDGED = 200;
/** Every so many of the likely prices is weighed. */
const CANDIDATE_STEP = 2;

/**
 * How far Slow may wait for the price to fall: among the caps that blocks like this one kept often enough, the one that
 * would have saved them most, misses counted. What those blocks say of keeping is corrected by how far such words have
 * been off of late, so the promise holds under drift; it is what the lane states.
 */
export class SlowCap {
  readonly #history: History;
  readonly #paths: PastPaths;
  /** Share of like blocks that the cap signed at a block would have kept, and what they paid on average; `NaN`: unknown. */
  readonly #expected: Column;
  readonly #price: Column;
  /** Kept (1 or 0) less what was expected, in whole millionths. */
  readonly #surprise: Column;
  readonly #surprises: Rolling<WholeSum>;

  constructor(history: History) {
    this.#history = history;
    this.#paths = new PastPaths(history, withinBlocks, MEMORY_BLOCKS + withinBlocks);
    this.#expected = history.column(withinBlocks);
    this.#price = history.column(1);
    this.#surprise = history.column(JUDGED_BLOCKS + withinBlocks);
    this.#surprises = new Rolling(this.#surprise, new WholeSum());
  }

  /** Takes in the head, the tip that Slow offers there, and whether the advice that it settled was kept. */
  push(tip: number, kept: number | null): void {
    const { head } = this.#history;
    if (kept !== null) {
      const expected = this.#expected.at(head - withinBlocks);
      this.#surprise.put(
        head - withinBlocks,
        Number.isNaN(expected) ? Number.NaN : toPpm(kept) - toPpm(expected),
      );
    }
    this.#paths.push(tip);
    this.followHead();
  }

  followHead(): void {
    this.#surprises.moveTo(this.#history.settled(withinBlocks, JUDGED_BLOCKS));
  }

  /**
   * The head's cap, wei per gas: `ceiling` at most, and that until enough is known.
   * @param blocks where prices stood as they do at the head, `null` while too few are known.
   */
  cap(blocks: Float64Array | null, ceiling: number): number {
    const { head, sendNow } = this.#history;
    this.#expected.put(head, Number.NaN);
    this.#price.put(head, Number.NaN);
    if (blocks === null) return ceiling;
    const now = Math.max(sendNow.at(head), 1);
    const best = Math.min(this.#best(blocks), ceiling / now);
    const { kept, paid } = this.#paths.under(blocks, best);
    this.#expected.put(head, kept);
    this.#price.put(head, paid * now);
    return Math.min(scaledFee(now, best), ceiling);
  }

  /** What the head's cap is expected to pay where it gets in, wei per gas; `null` while unknown. */
  get price(): number | null {
    const price = this.#price.at(this.#history.head);
    return Number.isNaN(price) ? null : price;
  }

  /** How likely the head's cap gets in in time; `null` until enough was judged. */
  get probability(): number | null {
    const expected = this.#expected.at(this.#history.head);
    if (Number.isNaN(expected) || this.#surprises.tally.count < LEAST_JUDGED) return null;
    return Math.min(Math.max(expected + this.#correction, 0), 1);
  }

  get #correction(): number {
    const { sum, count } = this.#surprises.tally;
    return fromPpm(sum) / (count + DOUBTED_BLOCKS);
  }

  /** The cap that saves most, over the price of sending at once. */
  #best(blocks: Float64Array): number {
    const lowest = this.#paths.lowest(blocks);
    const least = Math.ceil((target - this.#correction) * lowest.length) - 1;
    let best = Number.POSITIVE_INFINITY;
    let most = Number.NEGATIVE_INFINITY;
    for (let at = Math.min(Math.max(least, 0), lowest.length - 1); at < lowest.length; at += CANDIDATE_STEP) {
      const cap = lowest[at] ?? Number.POSITIVE_INFINITY;
      // Out of reach for Slow's tip whatever the cap.
      if (cap === Number.POSITIVE_INFINITY) break;
      const saved = this.#paths.saved(blocks, cap);
      if (saved <= most) continue;
      most = saved;
      best = cap;
    }
    return best;
  }
}
