import { LANE_PROMISES } from './advice.ts';
import { type Chance, unjudged } from './chance.ts';
import { fromPpm, scaledFee, toPpm } from './fee-ratio.ts';
import type { Column, History } from './history.ts';
import { takeRanked } from './median.ts';
import { MEMORY_BLOCKS } from './nearest-states.ts';
import { Rolling, WholeSum } from './rolling.ts';

const { withinBlocks } = LANE_PROMISES.slow;
/** Share of like blocks that the cap would have got in after: a little above the promise, so that the share kept may sway. */
const KEPT_SHARE = 0.905;
/** Past promises that say how far the next one must be corrected; it takes a while to believe them. */
const JUDGED_BLOCKS = 1_000;
const DOUBTED_BLOCKS = 100;
/** Windows overlap: so many must have been judged, eight one after another, before anything is stated. */
const LEAST_JUDGED = 200;

/**
 * How far Slow may wait for the price to fall: as far as it fell after most of the blocks like this one. What those blocks
 * say of keeping is corrected by how far such words have been off of late, so the promise holds under drift; it is what the
 * lane states.
 */
export class SlowCap {
  readonly #history: History;
  readonly #tip: Column;
  /** The least that let the tip of then in, over what sending at once cost; infinite where nothing did. */
  readonly #least: Column;
  /** Share of like blocks that the cap signed at a block would have kept; `NaN`: unknown. */
  readonly #expected: Column;
  /** Kept (1 or 0) less what was expected, in whole millionths. */
  readonly #surprise: Column;
  readonly #surprises: Rolling<WholeSum>;

  constructor(history: History) {
    this.#history = history;
    this.#tip = history.column(withinBlocks);
    this.#least = history.column(MEMORY_BLOCKS + withinBlocks);
    this.#expected = history.column(withinBlocks);
    this.#surprise = history.column(JUDGED_BLOCKS + withinBlocks);
    this.#surprises = new Rolling(this.#surprise, new WholeSum());
  }

  /** Takes in the head, the tip that Slow offers there, and whether the advice that it settled was kept. */
  push(tip: number, kept: number | null): void {
    const { head, oldest } = this.#history;
    const given = head - withinBlocks;
    if (kept !== null) {
      const expected = this.#expected.at(given);
      this.#surprise.put(given, Number.isNaN(expected) ? Number.NaN : toPpm(kept) - toPpm(expected));
    }
    this.#tip.put(head, tip);
    if (given >= oldest) this.#least.put(given, this.#leastAfter(given));
    this.followHead();
  }

  followHead(): void {
    this.#surprises.moveTo(this.#history.settled(withinBlocks, JUDGED_BLOCKS));
  }

  /**
   * The head's cap, wei per gas; never above `ceiling`, which it is until enough is known.
   * @param blocks where prices stood as they do at the head, `null` while too few are known
   */
  cap(blocks: Float64Array | null, ceiling: number): number {
    const { head, sendNow } = this.#history;
    this.#expected.put(head, Number.NaN);
    if (blocks === null) return ceiling;
    const now = Math.max(sendNow.at(head), 1);
    const least = blocks.map((block) => this.#least.at(block));
    const share = Math.min(Math.max(KEPT_SHARE - this.#correction, 0), 1);
    const enough = takeRanked(least, Math.max(Math.ceil(share * least.length) - 1, 0));
    // A ceiling of 0, where sending costs nothing, counts as 1 wei.
    const cap = Math.min(enough, Math.max(ceiling, 1) / now);
    let kept = 0;
    for (const each of least) if (each <= cap) kept += 1;
    this.#expected.put(head, kept / least.length);
    return Math.min(scaledFee(now, cap), ceiling);
  }

  /** How likely the head's cap gets in in time; no figure until enough was judged. */
  get chance(): Chance {
    const expected = this.#expected.at(this.#history.head);
    const { count } = this.#surprises.tally;
    if (Number.isNaN(expected) || count < LEAST_JUDGED) return unjudged(count, LEAST_JUDGED);
    return { probability: Math.min(Math.max(expected + this.#correction, 0), 1), reason: null };
  }

  get #correction(): number {
    const { sum, count } = this.#surprises.tally;
    return fromPpm(sum) / (count + DOUBTED_BLOCKS);
  }

  #leastAfter(given: number): number {
    const { head, ask, lowTip, sendNow } = this.#history;
    const tip = this.#tip.at(given);
    let least = Number.POSITIVE_INFINITY;
    for (let block = given + 1; block <= head; block += 1) {
      if (!(lowTip.at(block) > tip)) least = Math.min(least, ask.at(block));
    }
    return Math.max(least, 1) / Math.max(sendNow.at(given), 1);
  }
}
