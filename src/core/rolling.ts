import type { Column, Span } from './history.ts';

/** Something that can take a number in and out again, and is then exactly as before. `NaN` is not counted. */
export interface Tally {
  add(value: number): void;
  remove(value: number): void;
  clear(): void;
}

/**
 * Keeps a tally over a moving stretch of a column. Moving by one block costs one number in and one out; moving back is the
 * same, so a rewind leaves no trace (as long as it is followed before the column is overwritten).
 */
export class Rolling<T extends Tally> {
  readonly tally: T;
  readonly #column: Column;
  #from = 0;
  #to = 0;

  constructor(column: Column, tally: T) {
    this.#column = column;
    this.tally = tally;
  }

  moveTo({ from, to }: Span): void {
    if (to <= this.#from || from >= this.#to) {
      this.tally.clear();
      this.#from = from;
      this.#to = from;
    }
    while (this.#to > to) this.#remove(--this.#to);
    while (this.#from < from) this.#remove(this.#from++);
    while (this.#to < to) this.#add(this.#to++);
    while (this.#from > from) this.#add(--this.#from);
  }

  #add(block: number): void {
    const value = this.#column.at(block);
    if (!Number.isNaN(value)) this.tally.add(value);
  }

  #remove(block: number): void {
    const value = this.#column.at(block);
    if (!Number.isNaN(value)) this.tally.remove(value);
  }
}

/** Sum and count. Whole numbers only: then sums below 2^53 are exact and can be taken back exactly. */
export class WholeSum implements Tally {
  #sum = 0;
  #count = 0;

  get count(): number {
    return this.#count;
  }

  get sum(): number {
    return this.#sum;
  }

  /** `null` for nothing. */
  get mean(): number | null {
    return this.#count > 0 ? this.#sum / this.#count : null;
  }

  add(value: number): void {
    this.#sum += value;
    this.#count += 1;
  }

  remove(value: number): void {
    this.#sum -= value;
    this.#count -= 1;
  }

  clear(): void {
    this.#sum = 0;
    this.#count = 0;
  }
}
