import { formatDuration } from '../units.ts';
import { type Column, feeRatio, type History, type Span } from './history.ts';
import { Rolling, takeRanked, WholeSum } from './rolling.ts';

/** Features of a state: the price relative to its averages over so many blocks, to which it tends to return. */
const AVERAGES_BLOCKS = [3, 50, 300] as const;
/** And the movement of the base fee between blocks, over this many blocks: a volatile price falls further. */
const RESTLESS_BLOCKS = 15;
const LEAST_MOVE = 0.01;
/** Number of past states searched, number of nearest ones used, and the minimum. */
export const MEMORY_BLOCKS = 2_000;
const NEIGHBOURS = 150;
const LEAST_STATES = 100;
/** When there are few states, only this share of them is used. */
const MOST_SHARE = 0.25;
/** Logarithms in whole ten-thousandths: sums of their squares stay exact; smaller differences are noise. */
const LOG_SCALE = 1e4;

interface Feature {
  readonly recent: Rolling<WholeSum>;
  readonly blocks: number;
  readonly of: (mean: number) => number;
  readonly column: Column;
  readonly spread: Rolling<Spread>;
}

/**
 * The past blocks with prices most similar to the head's: nearest neighbours by the price relative to its averages and by
 * volatility, each scaled by its own spread.
 */
export class NearestStates {
  readonly #history: History;
  readonly #age: number;
  readonly #logPrice: Column;
  readonly #move: Column;
  readonly #features: readonly Feature[];
  readonly #past = new Float64Array(MEMORY_BLOCKS);
  readonly #distance = new Float64Array(MEMORY_BLOCKS);

  /** @param age number of blocks that must follow a state before it is used. */
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

  /** Ingests the head's state; its price of sending at once must be known. */
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

  /** The nearest sufficiently old blocks, in order; `null` while there are too few. */
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
    // Among equally near ones, the youngest.
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
      // For a nearly constant price, single wei must not matter.
      const scale = 1 / Math.max(spread.tally.variance, 1);
      for (let index = 0; index < past.length; index += 1) {
        const apart = (past[index] ?? 0) - now;
        distance[index] = (distance[index] ?? 0) + apart * apart * scale;
      }
    }
  }
}

class Spread extends WholeSum {
  #squares = 0;

  get variance(): number {
    return this.mean === null ? 0 : Math.max(this.#squares / this.count - this.mean ** 2, 0);
  }

  override add(value: number): void {
    super.add(value);
    this.#squares += value * value;
  }

  override remove(value: number): void {
    super.remove(value);
    this.#squares -= value * value;
  }

  override clear(): void {
    super.clear();
    this.#squares = 0;
  }
}

/** Features of a state: the price relative to its averages over these multiples of the wait. */
const AVERAGES = [0.2, 2, 12] as const;
/** Past states searched, spread evenly over this many times, and the number of nearest ones used. */
const STATES = 300;
const LOOK_BACK_TIMES = 80;
const SIMILAR_BLOCKS = 75;
/** Fewer blocks say nothing. */
const LEAST_BLOCKS = 100;
/** Minimum variance of a state: less is rounding. */
const LEAST_VARIANCE = 1;

/** Finds past blocks with prices similar to the head's, for a wait of any length. */
export class AlikeBlocks {
  readonly #history: History;
  /** Sum of the logarithms of all prices up to a block, from which the average over any stretch follows. */
  readonly #logSum: Column;
  /** The past blocks searched, the state of each, its distance from the head's, and the same for ranking. */
  readonly #past = new Float64Array(STATES);
  readonly #state = new Float64Array(STATES);
  readonly #distance = new Float64Array(STATES);
  readonly #ranked = new Float64Array(STATES);

  constructor(history: History) {
    this.#history = history;
    this.#logSum = history.column();
  }

  /** Ingests the head; its price of sending at once must be known. */
  push(): void {
    const { head, origin, sendNow } = this.#history;
    const before = head > origin ? this.#logSum.at(head - 1) : 0;
    this.#logSum.put(head, before + Math.round(Math.log(Math.max(sendNow.at(head), 1)) * LOG_SCALE));
  }

  /**
   * The blocks most similar to the head before `end`, youngest first; `null` when there are too few or they cover less than
   * `leastSec`. @param timeSec length of the wait
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

  /** Computes the distance of each of the `count` past blocks from the head. */
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

  /** Computes the states of the `count` past blocks by their averages over `length` blocks; returns their variance. */
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

  /** Logarithm of the price at `block` relative to the average of its last `length` blocks. */
  #overAverage(block: number, length: number): number {
    const { oldest } = this.#history;
    const from = Math.max(block - length, oldest);
    if (from === block) return 0;
    const sum = this.#logSum.at(block);
    return sum - this.#logSum.at(block - 1) - (sum - this.#logSum.at(from)) / (block - from);
  }
}

/** A probability, 0 to 1, or the reason why there is none: exactly one of the two is `null`. */
export interface Chance {
  readonly probability: number | null;
  readonly reason: string | null;
}

/** Nothing is certain: one outcome is added to those observed, half of it as a success. */
const DOUBT = 0.5;

/** No probability: `count` pieces of advice were judged, and `enough` are needed. */
export function unjudged(count: number, enough: number): Chance {
  return unknown(`not measured yet, ${count} of ${enough} blocks`);
}

/** No probability: so much history is needed. On a chain too fast to keep that, the reason says so. */
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

/** The maximum that so many independent outcomes support. Overlapping windows count only as many as fit in sequence. */
export function mostSupported(outcomes: number): number {
  return doubtedShare(1, Math.max(outcomes, 0));
}

/** The share of successes among this many independent outcomes, with one more counted as half. */
export function doubtedShare(share: number, outcomes: number): number {
  return (share * outcomes + DOUBT) / (outcomes + 2 * DOUBT);
}
