import type { Tally } from './rolling.ts';

/** Two sums of 26 and 27 bits a number: a million whole numbers below 2^53 add up without rounding. */
const SPLIT = 2 ** 26;

/** Mean of whole numbers too large for one sum to stay exact, so that they can be taken back exactly. */
export class ExactSum implements Tally {
  #high = 0;
  #low = 0;
  #count = 0;

  /** `null` for nothing. */
  get mean(): number | null {
    return this.#count > 0 ? (this.#high / this.#count) * SPLIT + this.#low / this.#count : null;
  }

  add(value: number): void {
    this.#move(value, 1);
  }

  remove(value: number): void {
    this.#move(value, -1);
  }

  clear(): void {
    this.#high = 0;
    this.#low = 0;
    this.#count = 0;
  }

  #move(value: number, sign: 1 | -1): void {
    this.#high += sign * Math.floor(value / SPLIT);
    this.#low += sign * (value % SPLIT);
    this.#count += sign;
  }
}
