import type { Column, History } from './history.ts';
import { takeRanked } from './median.ts';

/** A state is how far the price stands from its averages over these multiples of the time in question. */
const AVERAGES = [0.2, 2, 12] as const;
/** Past states looked through, spread evenly over so many times, and how many of them count as near. */
const STATES = 300;
const LOOK_BACK_TIMES = 80;
const NEIGHBOURS = 75;
const MOST_SHARE = 0.25;
/** So few blocks say nothing. */
const LEAST_BLOCKS = 100;
const LOG_SCALE = 1e4;
/** Least variance of a state: below that it is rounding. */
const LEAST_VARIANCE = 1;

/** Finds past blocks at which prices stood as they stand at the head, as far as matters for a time of any length. */
export class AlikeBlocks {
  readonly #history: History;
  /** Sum of the logarithms of all prices up to a block, for the average over any stretch. */
  readonly #logSum: Column;

  constructor(history: History) {
    this.#history = history;
    this.#logSum = history.column();
  }

  /** Takes in the head; what sending at once costs must be known of it. */
  push(): void {
    const { head, origin, sendNow } = this.#history;
    const before = head > origin ? this.#logSum.at(head - 1) : 0;
    this.#logSum.put(head, before + Math.round(Math.log(Math.max(sendNow.at(head), 1)) * LOG_SCALE));
  }

  /**
   * The blocks most like the head among those before `end`, the youngest first; `null` while those are too few or cover
   * less than `leastSec`.
   * @param timeSec the time in question.
   */
  before(end: number, timeSec: number, leastSec: number): Float64Array | null {
    const { oldest, time } = this.#history;
    if (end - oldest < LEAST_BLOCKS) return null;
    const seenSec = time.at(end - 1) - time.at(oldest);
    if (seenSec < leastSec || seenSec === 0) return null;
    const blocks = Math.max(Math.round((timeSec * (end - 1 - oldest)) / seenSec), 1);
    const count = end - Math.max(oldest, end - Math.max(blocks * LOOK_BACK_TIMES, STATES));
    const stride = Math.max(count / STATES, 1);
    const past = new Float64Array(Math.min(count, STATES));
    for (let index = 0; index < past.length; index += 1) past[index] = Math.floor(end - 1 - index * stride);
    const distances = this.#distances(past, blocks);
    const wanted = Math.min(NEIGHBOURS, Math.floor(past.length * MOST_SHARE));
    const limit = takeRanked(distances.slice(), wanted - 1);
    return past.filter((_, index) => (distances[index] ?? 0) <= limit);
  }

  #distances(past: Float64Array, blocks: number): Float64Array {
    const distances = new Float64Array(past.length);
    const states = new Float64Array(past.length);
    for (const times of AVERAGES) {
      const length = Math.max(Math.round(blocks * times), 1);
      const now = this.#overAverage(this.#history.head, length);
      for (let index = 0; index < past.length; index += 1) {
        states[index] = this.#overAverage(past[index] ?? 0, length);
      }
      const scale = 1 / Math.max(variance(states), LEAST_VARIANCE);
      for (let index = 0; index < past.length; index += 1) {
        const apart = (states[index] ?? 0) - now;
        distances[index] = (distances[index] ?? 0) + apart * apart * scale;
      }
    }
    return distances;
  }

  /** Logarithm of the price at `block` over that of the average of its last `length` blocks. */
  #overAverage(block: number, length: number): number {
    const { oldest } = this.#history;
    const from = Math.max(block - length, oldest);
    if (from === block) return 0;
    const sum = this.#logSum.at(block);
    return sum - this.#logSum.at(block - 1) - (sum - this.#logSum.at(from)) / (block - from);
  }
}

function variance(values: Float64Array): number {
  let sum = 0;
  let squares = 0;
  for (const value of values) {
    sum += value;
    squares += value * value;
  }
  return squares / values.length - (sum / values.length) ** 2;
}
