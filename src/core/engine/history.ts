import { eachLane } from '../advice.ts';
import { firstWhere } from './rolling.ts';

/** Maximum depth of a rewind; a deeper one resets the engine. No chain reorganises deeper at once. */
export const REWIND_DEPTH = 1_024;

/** A power of two: a mask is far faster than the remainder of a block number, which is a double. */
const ringLength = (keep: number) => 2 ** Math.ceil(Math.log2(keep + REWIND_DEPTH));

const FIRST_LENGTH = 2 * REWIND_DEPTH;

/** Numbers by block in a ring of `keep` blocks plus the depth of a rewind, put in order. `NaN` means unknown. */
export class Column {
  #values: Float64Array;
  readonly #mask: number;
  #first = -1;

  constructor(keep: number) {
    const length = ringLength(keep);
    this.#mask = length - 1;
    this.#values = new Float64Array(Math.min(FIRST_LENGTH, length));
  }

  at(block: number): number {
    return this.#values[this.#slot(block)] ?? Number.NaN;
  }

  /** Of these blocks, in `target`, which is as long or longer. */
  of(blocks: Float64Array, target: Float64Array): Float64Array {
    for (let row = 0; row < blocks.length; row += 1) target[row] = this.at(blocks[row] ?? 0);
    return target.subarray(0, blocks.length);
  }

  put(block: number, value: number): void {
    if (this.#first < 0) this.#first = block;
    const slot = this.#slot(block);
    if (slot >= this.#values.length) {
      const wider = new Float64Array(Math.min(this.#values.length * 4, this.#mask + 1));
      wider.set(this.#values);
      this.#values = wider;
    }
    this.#values[slot] = value;
  }

  copy({ from, to }: BlockSpan, target: Float64Array): void {
    const start = this.#slot(from);
    const first = this.#values.subarray(start, start + to - from);
    target.set(first);
    target.set(this.#values.subarray(0, to - from - first.length), first.length);
  }

  #slot(block: number): number {
    return (block - this.#first) & this.#mask;
  }
}

/** `to` is not included. */
export interface BlockSpan {
  readonly from: number;
  readonly to: number;
}

/** A statistic that a number can be added to and removed from exactly. */
interface Tally {
  add(value: number): void;
  remove(value: number): void;
  clear(): void;
}

/** A tally of the known values of a column over a span that moves with the head, back too. */
export class Rolling<T extends Tally> {
  readonly #column: Column;
  readonly #tally: T;
  readonly #span: () => BlockSpan;
  #from = 0;
  #to = 0;

  constructor(column: Column, tally: T, span: () => BlockSpan) {
    this.#column = column;
    this.#tally = tally;
    this.#span = span;
  }

  get tally(): T {
    this.follow();
    return this.#tally;
  }

  follow(): void {
    const { from, to } = this.#span();
    if (to <= this.#from || from >= this.#to) {
      this.#tally.clear();
      this.#from = from;
      this.#to = from;
    }
    while (this.#to > to) this.#change(false, --this.#to);
    while (this.#from < from) this.#change(false, this.#from++);
    while (this.#to < to) this.#change(true, this.#to++);
    while (this.#from > from) this.#change(true, --this.#from);
  }

  #change(isAdded: boolean, block: number): void {
    const value = this.#column.at(block);
    if (Number.isNaN(value)) return;
    if (isAdded) this.#tally.add(value);
    else this.#tally.remove(value);
  }
}

const LEAST_PACED = 100;

export type History = ReturnType<typeof createHistory>;

/** The engine's history of blocks, with the data of each. Wei per gas. */
export function createHistory(capacity: number) {
  let origin = 0;
  let head = -1;
  const windows: Rolling<Tally>[] = [];
  const oldest = () => Math.max(origin, head - capacity + 1);
  const column = (keep = capacity) => new Column(Math.min(keep, capacity));
  const time = column();

  return {
    capacity,
    column,
    /** Unix seconds; non-decreasing, whatever the source states. */
    time,
    baseFee: column(),
    gasUsedRatio: column(),
    /** Base fee of the next block, as known at this block. */
    nextBaseFee: column(),
    /** The lowest tip that was paid, `NaN` when none was or it is unknown. */
    lowTip: column(),
    /** The same, of this block or the last one before it that shows one. */
    lastTip: column(2),
    /** Median tip of a block in which tips were paid, `NaN` otherwise. */
    midTip: column(),
    /** Last tip that the node itself suggested, `NaN` when it was not asked. */
    suggestedTip: column(2),
    /** Base fee plus last tip: the lowest price that this block included. */
    ask: column(),
    /** Price of sending in the next block, as known at this block: next base fee plus the Average tip. */
    sendNow: column(),
    prices: eachLane(() => column()),
    /** The part of Average's price beyond the next base fee, as stated at this block. */
    priority: column(),
    get head(): number {
      return head;
    },
    get origin(): number {
      return origin;
    },
    /** The oldest block of the history. It depends on the head alone, so a rewind restores it. */
    get oldest(): number {
      return oldest();
    },
    get pastSec(): number {
      return head < 0 ? 0 : time.at(head) - time.at(this.oldest);
    },
    /** Maximum seconds of history at the measured pace; infinite while that is unknown. */
    get mostSec(): number {
      const blocks = head - this.oldest;
      if (blocks < LEAST_PACED || this.pastSec === 0) return Number.POSITIVE_INFINITY;
      return (this.pastSec * (capacity - 1)) / blocks;
    },
    moveHead(block: number): void {
      if (head < 0) origin = block;
      head = block;
    },
    /** A tally over the last `length` settled blocks, or over another span. */
    rolling<T extends Tally>(of: Column, tally: T, length: number | (() => BlockSpan), age = 0): Rolling<T> {
      const span = typeof length === 'number' ? () => this.settled(age, length) : length;
      const window = new Rolling(of, tally, span);
      windows.push(window);
      return window;
    },
    /** Moves all tallies to the head: before values that they hold are overwritten. */
    follow(): void {
      for (const window of windows) window.follow();
    },
    /** The last `length` blocks that are at least `age` blocks older than the head, so that the blocks after are known. */
    settled(age: number, length: number): BlockSpan {
      const to = Math.max(head - age + 1, oldest());
      return { from: Math.max(to - length, oldest()), to };
    },
    /** The first block with a time at or after this, at most the head. */
    firstSince: (since: number): number => firstWhere(oldest(), head, (block) => time.at(block) >= since),
  };
}

/**
 * Coverage error: the sum of stated probabilities minus what came true. Advice steered by it comes
 * true as often as stated (the integrator of conformal PID control, Angelopoulos, Candès and Tibshirani 2023).
 */
export function createCoverageError(history: History) {
  const sum = history.column(2);
  return {
    at: (block: number) => sum.at(block),
    /** Computes the head's: the previous one plus `settled`, bounded by ±`most`. */
    push(settled: number, most: number): void {
      const { head, origin } = history;
      const before = head > origin ? sum.at(head - 1) : 0;
      sum.put(head, within(most, before + settled));
    },
  };
}

export const within = (most: number, value: number) => Math.min(Math.max(value, -most), most);

/** Ratio of two prices; amounts below 1 wei count as 1, so that a free chain has ratios too. */
export function feeRatio(price: number, reference: number): number {
  return Math.max(price, 1) / Math.max(reference, 1);
}

/** Rounding noise that must not raise a price by a wei. */
const NOISE = 1e-6;

/** `reference` times `ratio` in whole wei, rounded up. */
export function scaledFee(reference: number, ratio: number): number {
  return wholeWei(Math.ceil(reference * ratio - NOISE));
}

/** Clamps to the range of JSON integers: 0 to 2^53 − 1. */
export function wholeWei(price: number): number {
  return Math.min(Math.max(Math.round(price), 0), Number.MAX_SAFE_INTEGER);
}

const PPM = 1_000_000;
/** Keeps sums of thousands of them exact. */
const MOST_PPM = 1_000 * PPM;

/** A ratio in whole millionths, for sums that must be exact. */
export const toPpm = (ratio: number) => Math.min(Math.round(ratio * PPM), MOST_PPM);

export const fromPpm = (ppm: number) => ppm / PPM;
