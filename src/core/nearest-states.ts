import type { Column, History, Span } from './history.ts';
import { takeRanked } from './median.ts';
import { Rolling, type Tally, WholeSum } from './rolling.ts';

/** A state is how far the price stands from its averages over so many blocks: it goes back to them. */
const AVERAGES_BLOCKS = [5, 50, 300] as const;
/** Past states that are looked through, how many of them count as near, and how many there must be. */
export const MEMORY_BLOCKS = 2_000;
const NEIGHBOURS = 150;
const LEAST_STATES = 300;
/** Of few states only the nearer ones say anything. */
const MOST_SHARE = 0.25;
/** Logarithms in whole ten-thousandths: sums of their squares stay exact, and less is noise. */
const LOG_SCALE = 1e4;

interface Feature {
  readonly average: Rolling<WholeSum>;
  readonly averageBlocks: number;
  readonly column: Column;
  readonly spread: Rolling<Spread>;
}

/**
 * Finds the past blocks at which prices stood as they stand at the head: nearest neighbours by how far the price is from
 * its averages, each measured by its own spread.
 */
export class NearestStates {
  readonly #history: History;
  readonly #age: number;
  readonly #logPrice: Column;
  readonly #features: readonly Feature[];
  readonly #past = new Float64Array(MEMORY_BLOCKS);
  readonly #distance = new Float64Array(MEMORY_BLOCKS);

  /** @param age how many blocks must have come after a state before it may be used. */
  constructor(history: History, age: number) {
    this.#history = history;
    this.#age = age;
    this.#logPrice = history.column(Math.max(...AVERAGES_BLOCKS));
    this.#features = AVERAGES_BLOCKS.map((averageBlocks) => {
      const column = history.column(MEMORY_BLOCKS + age);
      return {
        average: new Rolling(this.#logPrice, new WholeSum()),
        averageBlocks,
        column,
        spread: new Rolling(column, new Spread()),
      };
    });
  }

  /** Takes in the head's state; what sending at once costs must be known of it. */
  push(): void {
    const { head, sendNow } = this.#history;
    this.#logPrice.put(head, Math.round(Math.log(Math.max(sendNow.at(head), 1)) * LOG_SCALE));
    for (const { average, averageBlocks, column } of this.#features) {
      average.moveTo(this.#history.settled(0, averageBlocks));
      column.put(head, Math.round(this.#logPrice.at(head) - (average.tally.mean ?? 0)));
    }
    this.followHead();
  }

  followHead(): void {
    const settled = this.#settled();
    for (const { average, averageBlocks, spread } of this.#features) {
      average.moveTo(this.#history.settled(0, averageBlocks));
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
