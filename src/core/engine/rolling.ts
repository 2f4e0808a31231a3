import type { Column, Span } from './history.ts';

/** A statistic that a number can be added to and removed from exactly. `NaN` is not counted. */
interface Tally {
  add(value: number): void;
  remove(value: number): void;
  clear(): void;
}

/**
 * Keeps a tally over a moving window of a column. A move back is the same, so a rewind restores it (if it is followed
 * before the column is overwritten).
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

/** Sum and count. Whole numbers only: sums below 2^53 are exact, so numbers can be removed exactly. */
export class WholeSum implements Tally {
  sum = 0;
  count = 0;

  /** `null` for nothing. */
  get mean(): number | null {
    return this.count > 0 ? this.sum / this.count : null;
  }

  add(value: number): void {
    this.sum += value;
    this.count += 1;
  }

  remove(value: number): void {
    this.sum -= value;
    this.count -= 1;
  }

  clear(): void {
    this.sum = 0;
    this.count = 0;
  }
}

/** Ascending. A binary search and one memory move are faster than a tree for tens of thousands of numbers. */
export class SortedValues implements Tally {
  #values = new Float64Array(0);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(value: number): void {
    if (this.#size === this.#values.length) {
      const wider = new Float64Array(Math.max(this.#size * 2, 64));
      wider.set(this.#values);
      this.#values = wider;
    }
    const at = this.countBelow(value);
    this.#values.copyWithin(at + 1, at, this.#size);
    this.#values[at] = value;
    this.#size += 1;
  }

  /** @throws RangeError for an absent value: the tally and its column have diverged. */
  remove(value: number): void {
    const at = this.countBelow(value);
    if (at >= this.#size || this.#values[at] !== value) throw new RangeError(`${value} is not held`);
    this.#values.copyWithin(at, at + 1, this.#size);
    this.#size -= 1;
  }

  clear(): void {
    this.#size = 0;
  }

  countBelow(value: number): number {
    let low = 0;
    let high = this.#size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#values[middle] ?? 0) < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The smallest value that at least a share `q` (0 to 1) does not exceed; `null` for none. */
  quantile(q: number): number | null {
    const rank = Math.ceil(q * this.#size) - 1;
    return this.#size > 0 ? (this.#values[Math.min(Math.max(rank, 0), this.#size - 1)] ?? null) : null;
  }
}

/**
 * The minimum of a window of blocks that moves forward at both ends (Lemire 2006, streaming maximum-minimum filter). Each
 * block enters and leaves once.
 */
export class WindowMinimum {
  #blocks = new Float64Array(64);
  #values = new Float64Array(64);
  #start = 0;
  #size = 0;

  /** `null` while the window is empty. */
  get minimum(): number | null {
    return this.#size > 0 ? (this.#values[this.#slot(0)] ?? null) : null;
  }

  push(block: number, value: number): void {
    while (this.#size > 0 && (this.#values[this.#slot(this.#size - 1)] ?? 0) >= value) this.#size -= 1;
    if (this.#size === this.#blocks.length) this.#widen();
    const slot = this.#slot(this.#size);
    this.#blocks[slot] = block;
    this.#values[slot] = value;
    this.#size += 1;
  }

  dropBefore(block: number): void {
    while (this.#size > 0 && (this.#blocks[this.#slot(0)] ?? 0) < block) {
      this.#start = this.#slot(1);
      this.#size -= 1;
    }
  }

  clear(): void {
    this.#start = 0;
    this.#size = 0;
  }

  #slot(index: number): number {
    return (this.#start + index) % this.#blocks.length;
  }

  #widen(): void {
    const blocks = new Float64Array(this.#size * 2);
    const values = new Float64Array(this.#size * 2);
    for (let index = 0; index < this.#size; index += 1) {
      blocks[index] = this.#blocks[this.#slot(index)] ?? 0;
      values[index] = this.#values[this.#slot(index)] ?? 0;
    }
    this.#blocks = blocks;
    this.#values = values;
    this.#start = 0;
  }
}

/** The lower median in expected linear time; reorders `values`. `NaN` for none. */
export function takeMedian(values: Float64Array): number {
  return takeRanked(values, Math.max(Math.ceil(values.length / 2) - 1, 0));
}

/** The value at `rank` (from 0) in expected linear time; reorders `values`. `NaN` when there is none. */
export function takeRanked(values: Float64Array, rank: number): number {
  let low = 0;
  let high = values.length - 1;
  while (low < high) {
    const pivot = values[(low + high) >>> 1] ?? 0;
    let left = low;
    let right = high;
    while (left <= right) {
      while ((values[left] ?? pivot) < pivot) left += 1;
      while ((values[right] ?? pivot) > pivot) right -= 1;
      if (left <= right) {
        const held = values[left] ?? 0;
        values[left] = values[right] ?? 0;
        values[right] = held;
        left += 1;
        right -= 1;
      }
    }
    if (rank <= right) high = right;
    else if (rank >= left) low = left;
    else break;
  }
  return values[rank] ?? Number.NaN;
}

export function shareAtMost(values: Float64Array, value: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[middle] ?? 0) <= value) low = middle + 1;
    else high = middle;
  }
  return low / values.length;
}
