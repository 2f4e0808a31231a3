import { formatDuration } from '../units.ts';
import { type Column, feeRatio, type History, type Span } from './history.ts';
import { Rolling, type Tally, takeRanked, WholeSum } from './rolling.ts';

/** A state is how far the price stands from its averages over so many blocks: it goes back to them. */
const AVERAGES_BLOCKS = [3, 50, 300] as const;
/** And how much the base fee moved from one block to the next over so many: a restless price falls further. */
const RESTLESS_BLOCKS = 15;
const LEAST_MOVE = 0.01;
/** Past states that are looked through, how many of them count as near, and how many there must be. */
export const MEMORY_BLOCKS = 2_000;
const NEIGHBOURS = 150;
const LEAST_STATES = 100;
/** Of few states only the nearer ones say anything. */
const MOST_SHARE = 0.25;
/** Logarithms in whole ten-thousandths: sums of their squares stay exact, and less is noise. */
const LOG_SCALE = 1e4;

/** One figure of a state, drawn from the mean of a column over the last blocks. */
interface Feature {
  readonly recent: Rolling<WholeSum>;
  readonly blocks: number;
  readonly of: (mean: number) => number;
  readonly column: Column;
  readonly spread: Rolling<Spread>;
}

/**
 * Finds the past blocks at which prices stood as they stand at the head: nearest neighbours by how far the price is from
 * its averages and how restless it is, each measured by its own spread.
 */
export class NearestStates {
  readonly #history: History;
  readonly #age: number;
  readonly #logPrice: Column;
  readonly #move: Column;
  readonly #features: readonly Feature[];
  readonly #past = new Float64Array(MEMORY_BLOCKS);
  readonly #distance = new Float64Array(MEMORY_BLOCKS);

  /** @param age how many blocks must have come after a state before it may be used. */
  constructor(history: History, age: number) {
    this.#history = history;
    this.#age = age;
    this.#logPrice = history.column(Math.max(...AVERAGES_BLOCKS));
    this.#move = history.column(RESTLESS_BLOCKS);
    const feature = (source: Column, blocks: number, of: Feature['of']): Feature => {
      const column = history.column(MEMORY_BLOCKS + age);
      const recent = new Rolling(source, new WholeSum());
      return { recent, blocks, of, column, spread: new Rolling(column, new Spread()) };
    };
    const overAverage = (mean: number) => this.#logPrice.at(history.head) - mean;
    const restlessness = (mean: number) => LOG_SCALE * Math.log(mean + LEAST_MOVE);
    this.#features = [
      ...AVERAGES_BLOCKS.map((blocks) => feature(this.#logPrice, blocks, overAverage)),
      feature(this.#move, RESTLESS_BLOCKS, restlessness),
    ];
  }

  /** Takes in the head's state; what sending at once costs must be known of it. */
  push(): void {
    const { head, baseFee, nextBaseFee, sendNow } = this.#history;
    this.#logPrice.put(head, Math.round(Math.log(Math.max(sendNow.at(head), 1)) * LOG_SCALE));
    const move = Math.log(feeRatio(nextBaseFee.at(head), baseFee.at(head)));
    this.#move.put(head, Math.round(Math.abs(move) * LOG_SCALE));
    for (const { recent, blocks, of, column } of this.#features) {
      recent.moveTo(this.#history.settled(0, blocks));
      column.put(head, Math.round(of(recent.tally.mean ?? 0)));
    }
    this.followHead();
  }

  followHead(): void {
    const settled = this.#settled();
    for (const { recent, blocks, spread } of this.#features) {
      recent.moveTo(this.#history.settled(0, blocks));
      spread.moveTo(settled);
    }
  }

  /** The nearest blocks among those that are old enough, in order; `null` while there are too few to choose from. */
  nearest(): Float64Array | null {
    const span = this.#settled();
    const count = span.to - span.from;
    if (count < LEAST_STATES) return null;
    this.#measure(span);
    const wanted = Math.min(NEIGHBOURS, Math.floor(count * MOST_SHARE));
    const ranked = this.#past.subarray(0, count);
    ranked.set(this.#distance.subarray(0, count));
    const limit = takeRanked(ranked, wanted - 1);
    const found = new Float64Array(wanted);
    // Of equally near ones the youngest.
    for (let index = count - 1, left = wanted; left > 0; index -= 1) {
      if ((this.#distance[index] ?? 0) > limit) continue;
      left -= 1;
      found[left] = span.from + index;
    }
    return found;
  }

  #settled(): Span {
    return this.#history.settled(this.#age, MEMORY_BLOCKS);
  }

  #measure(span: Span): void {
    const past = this.#past.subarray(0, span.to - span.from);
    const distance = this.#distance;
    distance.fill(0);
    for (const { column, spread } of this.#features) {
      column.copy(span, past);
      const now = column.at(this.#history.head);
      // A price that hardly ever moved must not make every wei count.
      const scale = 1 / Math.max(spread.tally.variance, 1);
      for (let index = 0; index < past.length; index += 1) {
        const apart = (past[index] ?? 0) - now;
        distance[index] = (distance[index] ?? 0) + apart * apart * scale;
      }
    }
  }
}

/** Variance of whole numbers. */
class Spread implements Tally {
  #sum = 0;
  #squares = 0;
  #count = 0;

  get variance(): number {
    if (this.#count === 0) return 0;
    return Math.max(this.#squares / this.#count - (this.#sum / this.#count) ** 2, 0);
  }

  add(value: number): void {
    this.#sum += value;
    this.#squares += value * value;
    this.#count += 1;
  }

  remove(value: number): void {
    this.#sum -= value;
    this.#squares -= value * value;
    this.#count -= 1;
  }

  clear(): void {
    this.#sum = 0;
    this.#squares = 0;
    this.#count = 0;
  }
}

/** A state is how far the price stands from its averages over these multiples of the time in question. */
const AVERAGES = [0.2, 2, 12] as const;
/** Past states looked through, spread evenly over so many times, and how many of them count as near. */
const STATES = 300;
const LOOK_BACK_TIMES = 80;
const SIMILAR_BLOCKS = 75;
/** So few blocks say nothing. */
const LEAST_BLOCKS = 100;
/** Least variance of a state: below that it is rounding. */
const LEAST_VARIANCE = 1;

/** Finds past blocks at which prices stood as they stand at the head, as far as matters for a time of any length. */
export class AlikeBlocks {
  readonly #history: History;
  /** Sum of the logarithms of all prices up to a block, for the average over any stretch. */
  readonly #logSum: Column;
  /** The past blocks that are looked through, the state of each, how far it is from the head's, and the same to be ranked. */
  readonly #past = new Float64Array(STATES);
  readonly #state = new Float64Array(STATES);
  readonly #distance = new Float64Array(STATES);
  readonly #ranked = new Float64Array(STATES);

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
    const reach = end - Math.max(oldest, end - Math.max(blocks * LOOK_BACK_TIMES, STATES));
    const stride = Math.max(reach / STATES, 1);
    const count = Math.min(reach, STATES);
    for (let index = 0; index < count; index += 1) this.#past[index] = Math.floor(end - 1 - index * stride);
    this.#measure(count, blocks);
    const ranked = this.#ranked.subarray(0, count);
    ranked.set(this.#distance.subarray(0, count));
    const limit = takeRanked(ranked, Math.min(SIMILAR_BLOCKS, Math.floor(count * MOST_SHARE)) - 1);
    let found = 0;
    for (let index = 0; index < count; index += 1) {
      if ((this.#distance[index] ?? 0) > limit) continue;
      ranked[found] = this.#past[index] ?? 0;
      found += 1;
    }
    return ranked.slice(0, found);
  }

  /** How far each of the `count` past blocks is from the head. */
  #measure(count: number, blocks: number): void {
    const distance = this.#distance;
    distance.fill(0);
    for (const times of AVERAGES) {
      const length = Math.max(Math.round(blocks * times), 1);
      const now = this.#overAverage(this.#history.head, length);
      const scale = 1 / Math.max(this.#takeStates(count, length), LEAST_VARIANCE);
      for (let index = 0; index < count; index += 1) {
        const apart = (this.#state[index] ?? 0) - now;
        distance[index] = (distance[index] ?? 0) + apart * apart * scale;
      }
    }
  }

  /** Takes the states of the `count` past blocks by their averages over `length` blocks; returns their variance. */
  #takeStates(count: number, length: number): number {
    let sum = 0;
    let squares = 0;
    for (let index = 0; index < count; index += 1) {
      const state = this.#overAverage(this.#past[index] ?? 0, length);
      this.#state[index] = state;
      sum += state;
      squares += state * state;
    }
    return squares / count - (sum / count) ** 2;
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

/** How likely something is, 0 to 1, or why that cannot be said: exactly one of the two is `null`. */
export interface Chance {
  readonly probability: number | null;
  readonly reason: string | null;
}

/** Nothing is certain: beside the outcomes that were seen one more is counted, half of it as come true. */
const DOUBT = 0.5;

/** No probability: `count` pieces of advice were judged, and it takes `enough` of them. */
export function unjudged(count: number, enough: number): Chance {
  return unknown(`not measured yet, ${count} of ${enough} blocks`);
}

/**
 * No probability: that takes `pastSec` seconds of blocks. Of a chain so fast that so many are never kept, that is
 * said instead.
 */
export function tooLittlePast(history: History, pastSec: number): Chance {
  const { mostSec, pastSec: knownSec } = history;
  return mostSec < pastSec
    ? unknown(
        `it takes ${formatDuration(pastSec)} of blocks, and ${formatDuration(mostSec)} are kept of a chain this fast`,
      )
    : unknown(
        `too little history, ${formatDuration(Math.min(knownSec, pastSec - 1))} of the ${formatDuration(pastSec)} that it takes`,
      );
}

export function unknown(reason: string): Chance {
  return { probability: null, reason };
}

/**
 * The most that so many independent outcomes can support: had all of them come true, one more that was not seen counts as
 * half. Windows that overlap are no more outcomes than fit one after another.
 */
export function mostSupported(outcomes: number): number {
  return doubtedShare(1, Math.max(outcomes, 0));
}

/** The share of so many independent outcomes that came true, with one more that was not seen counted as half. */
export function doubtedShare(share: number, outcomes: number): number {
  return (share * outcomes + DOUBT) / (outcomes + 2 * DOUBT);
}
