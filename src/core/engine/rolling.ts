/** Sum and count. Whole numbers only: sums below 2^53 are exact, so numbers can be removed exactly. */
export class WholeSum {
  sum = 0;
  count = 0;

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
export class SortedValues {
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
    return firstWhere(0, this.#size, (at) => (this.#values[at] ?? 0) >= value);
  }

  /** The value at `rank`, from 0 to below `size`. */
  at(rank: number): number {
    return this.#values[rank] ?? Number.NaN;
  }

  /** The smallest value that at least a share `q` (0 to 1) does not exceed; `null` for none. */
  quantile(q: number): number | null {
    const rank = Math.ceil(q * this.#size) - 1;
    return this.#size > 0 ? (this.#values[Math.min(Math.max(rank, 0), this.#size - 1)] ?? null) : null;
  }
}

/** The minimum of a window of blocks that moves forward at both ends (Lemire 2006, streaming maximum-minimum filter). */
export class WindowMinimum {
  /** Each lower than those after it. */
  #entries: { readonly block: number; readonly value: number }[] = [];

  get minimum(): number | null {
    return this.#entries[0]?.value ?? null;
  }

  push(block: number, value: number): void {
    while ((this.#entries.at(-1)?.value ?? Number.NEGATIVE_INFINITY) >= value) this.#entries.pop();
    this.#entries.push({ block, value });
  }

  dropBefore(block: number): void {
    while ((this.#entries[0]?.block ?? block) < block) this.#entries.shift();
  }

  clear(): void {
    this.#entries = [];
  }
}

/** The value at `rank` (from 0) in expected linear time: a sort would take most of a block's time. Reorders `values`. */
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
      if (left > right) break;
      const held = values[left] ?? 0;
      values[left++] = values[right] ?? 0;
      values[right--] = held;
    }
    if (rank <= right) high = right;
    else if (rank >= left) low = left;
    else break;
  }
  return values[rank] ?? Number.NaN;
}

/** The first whole number from `from` on, below `to`, where `isTrue` (which then stays true), or `to`. */
export function firstWhere(from: number, to: number, isTrue: (at: number) => boolean): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = low + ((high - low) >>> 1);
    if (isTrue(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

export const shareAtMost = (sorted: Float64Array, value: number) =>
  firstWhere(0, sorted.length, (at) => (sorted[at] ?? 0) > value) / sorted.length;
