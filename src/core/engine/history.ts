import { eachLane, type LaneName } from '../advice.ts';
import { firstWhere } from './rolling.ts';

/** Maximum depth of a rewind; a deeper one resets the engine. No chain reorganises deeper at once. */
export const REWIND_DEPTH = 1_024;

/** A power of two: a mask is far faster than the remainder of a block number, which is a double. */
const ringLength = (keep: number) => 2 ** Math.ceil(Math.log2(keep + REWIND_DEPTH));

const FIRST_LENGTH = 2 * REWIND_DEPTH;

/** Numbers by block in a ring of `keep` blocks plus the depth of a rewind, put in order. `NaN` means unknown. */
export class Column {
  readonly #most: number;
  #values = new Float64Array(0);
  #mask = 0;
  #first: number | null = null;
  #span = 0;

  constructor(keep: number) {
    this.#most = ringLength(keep);
    this.#take(Math.min(FIRST_LENGTH, this.#most));
  }

  at(block: number): number {
    return this.#values[block & this.#mask] ?? Number.NaN;
  }

  put(block: number, value: number): void {
    this.#first ??= block;
    while (block >= this.#first + this.#span) this.#widen(this.#first);
    this.#values[block & this.#mask] = value;
  }

  /** Grows up to fourfold, and moves each value to its new place. */
  #widen(first: number): void {
    const old = this.#values;
    const end = first + this.#span;
    this.#take(Math.min(old.length * 4, this.#most));
    for (let block = end - old.length; block < end; block += 1)
      this.#values[block & this.#mask] = old[block & (old.length - 1)] ?? 0;
  }

  #take(length: number): void {
    this.#values = new Float64Array(length);
    this.#mask = length - 1;
    // Half of a ring that can grow stays empty, so that it holds no more before its first block than the longest.
    this.#span = length < this.#most ? length / 2 : Number.POSITIVE_INFINITY;
  }

  copy({ from, to }: Span, target: Float64Array): void {
    const start = from & this.#mask;
    const first = this.#values.subarray(start, Math.min(start + to - from, this.#values.length));
    target.set(first);
    if (first.length < to - from)
      target.set(this.#values.subarray(0, to - from - first.length), first.length);
  }
}

/** `to` is not included. */
export interface Span {
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
  readonly #span: () => Span;
  #from = 0;
  #to = 0;

  constructor(column: Column, tally: T, span: () => Span) {
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
    while (this.#to > to) this.#change('remove', --this.#to);
    while (this.#from < from) this.#change('remove', this.#from++);
    while (this.#to < to) this.#change('add', this.#to++);
    while (this.#from > from) this.#change('add', --this.#from);
  }

  #change(how: 'add' | 'remove', block: number): void {
    const value = this.#column.at(block);
    if (!Number.isNaN(value)) this.#tally[how](value);
  }
}

const LEAST_PACED = 100;

/** The engine's history of blocks, with the data of each. Wei per gas. */
export class History {
  readonly capacity: number;
  /** Unix seconds; non-decreasing, whatever the source states. */
  readonly time: Column;
  readonly baseFee: Column;
  readonly gasUsedRatio: Column;
  /** Base fee of the next block, as known at this block. */
  readonly nextBaseFee: Column;
  /** The lowest included tip (10th percentile), `NaN` when unknown. */
  readonly lowTip: Column;
  /** Base fee plus low tip: the lowest price that this block included. */
  readonly ask: Column;
  /** Price of sending in the next block, as known at this block: next base fee plus the Average tip. */
  readonly sendNow: Column;
  readonly prices: Readonly<Record<LaneName, Column>>;
  /** Horizon of the advised wait at this block, in seconds; 0 for sending now. */
  readonly advisedWaitSec: Column;
  /** The part of Average's price beyond the next base fee, as stated at this block. */
  readonly priority: Column;
  readonly #windows: Rolling<Tally>[] = [];
  #origin = 0;
  #head = -1;

  constructor(capacity: number) {
    this.capacity = capacity;
    this.time = this.column();
    this.baseFee = this.column();
    this.gasUsedRatio = this.column();
    this.nextBaseFee = this.column();
    this.lowTip = this.column();
    this.ask = this.column();
    this.sendNow = this.column();
    this.prices = eachLane(() => this.column());
    this.advisedWaitSec = this.column();
    this.priority = this.column();
  }

  column(keep = this.capacity): Column {
    return new Column(Math.min(keep, this.capacity));
  }

  /** A tally over the last `length` settled blocks, see {@link settled}, or over another span. */
  rolling<T extends Tally>(column: Column, tally: T, length: number | (() => Span), age = 0): Rolling<T> {
    const span = typeof length === 'number' ? () => this.settled(age, length) : length;
    const window = new Rolling(column, tally, span);
    this.#windows.push(window);
    return window;
  }

  get isEmpty(): boolean {
    return this.#head < 0;
  }

  get head(): number {
    return this.#head;
  }

  get origin(): number {
    return this.#origin;
  }

  /** The oldest block of the history. It depends on the head alone, so a rewind restores it. */
  get oldest(): number {
    return Math.max(this.#origin, this.#head - this.capacity + 1);
  }

  get pastSec(): number {
    return this.isEmpty ? 0 : this.time.at(this.#head) - this.time.at(this.oldest);
  }

  /** Maximum seconds of history at the measured pace; infinite while that is unknown. */
  get mostSec(): number {
    const blocks = this.#head - this.oldest;
    if (blocks < LEAST_PACED || this.pastSec === 0) return Number.POSITIVE_INFINITY;
    return (this.pastSec * (this.capacity - 1)) / blocks;
  }

  moveHead(block: number): void {
    if (this.isEmpty) this.#origin = block;
    this.#head = block;
  }

  /** Moves all tallies to the head: before values that they hold are overwritten. */
  follow(): void {
    for (const window of this.#windows) window.follow();
  }

  /** The last `length` blocks that are at least `age` blocks older than the head, so that the blocks after are known. */
  settled(age: number, length: number): Span {
    const to = Math.max(this.#head - age + 1, this.oldest);
    return { from: Math.max(to - length, this.oldest), to };
  }

  /** The first block with a time at or after `time`, at most the head. */
  firstSince(time: number): number {
    return firstWhere(this.oldest, this.#head, (block) => this.time.at(block) >= time);
  }
}

/**
 * Surplus of predicted over actual outcomes: the sum of stated probabilities minus what came true. Advice steered by it comes
 * true as often as stated (the integrator of conformal PID control, Angelopoulos, Candès and Tibshirani 2023).
 */
export function createDebt(history: History) {
  const owed = history.column(2);
  return {
    at: (block: number) => owed.at(block),
    /** Computes the head's: the previous one less the share `forgiven`, plus `settled`, bounded by ±`most`. */
    push(settled: number, most: number, forgiven = 0): void {
      const { head, origin } = history;
      const before = head > origin ? owed.at(head - 1) : 0;
      owed.put(head, within(most, before * (1 - forgiven) + settled));
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
