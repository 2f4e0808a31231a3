import type { LaneName } from '../advice.ts';

/** How many blocks a rewind may take back without forgetting everything; no chain reorganises deeper in one go. */
export const REWIND_DEPTH = 1_024;

/** Rings that room is taken for at a time; an engine has some seventy. */
const RINGS_AT_ONCE = 24;

/**
 * Room for rings, taken for many of them in one piece: the system gives pages to so large a piece when they are first
 * written, while pieces of the size of one ring may come out of used memory, which is written full of zeros.
 */
class RingRoom {
  #room = new Float64Array(0);

  take(length: number): Float64Array {
    if (this.#room.length < length) this.#room = new Float64Array(length * RINGS_AT_ONCE);
    const taken = this.#room.subarray(0, length);
    this.#room = this.#room.subarray(length);
    return taken;
  }
}

/** A power of two: the remainder of a block number, which is a double, is far slower than a mask. */
const ringLength = (keep: number) => 2 ** Math.ceil(Math.log2(keep + REWIND_DEPTH));

/** Most engines are opened for one command, on few blocks: their rings begin at this length. */
const FIRST_LENGTH = 2 * REWIND_DEPTH;

/**
 * Numbers by block number in a ring that holds `keep` blocks and what a rewind may bring back. `NaN` says that nothing
 * is known. Blocks must be put in order, again from a lower one after a rewind.
 */
export class Column {
  readonly #most: number;
  readonly #room: RingRoom;
  #values: Float64Array = new Float64Array(0);
  #mask = 0;
  #first: number | null = null;
  /** Blocks from the first one that it has room for. */
  #span = 0;

  constructor(keep: number, room = new RingRoom()) {
    this.#most = ringLength(keep);
    this.#room = room;
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

  /** Takes up to four times as many blocks, and has each that it held at its new place. */
  #widen(first: number): void {
    const old = this.#values;
    const end = first + this.#span;
    this.#take(Math.min(old.length * 4, this.#most));
    for (let block = end - old.length; block < end; block += 1)
      this.#values[block & this.#mask] = old[block & (old.length - 1)] ?? 0;
  }

  #take(length: number): void {
    this.#values = this.#room.take(length);
    this.#mask = length - 1;
    // Half of a ring that can grow stays empty, so that there is as little before its first block as in the longest.
    this.#span = length < this.#most ? length / 2 : Number.POSITIVE_INFINITY;
  }

  /** Writes the values of `span` to the beginning of `target`. */
  copy({ from, to }: Span, target: Float64Array): void {
    const start = from & this.#mask;
    const first = this.#values.subarray(start, Math.min(start + to - from, this.#values.length));
    target.set(first);
    if (first.length < to - from)
      target.set(this.#values.subarray(0, to - from - first.length), first.length);
  }
}

/** Fewer blocks do not tell a chain's pace. */
const LEAST_PACED = 100;

/** A stretch of block numbers, `from` included, `to` not. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** The blocks that the engine looks back on, and what each of them said. Wei per gas. */
export class History {
  readonly capacity: number;
  /** Unix seconds; never falls, whatever the source said. */
  readonly time: Column;
  readonly baseFee: Column;
  readonly gasUsedRatio: Column;
  /** What the next block will ask for, as known at this block. */
  readonly nextBaseFee: Column;
  /** The lowest tip that got in (10th percentile), `NaN` where unknown. */
  readonly lowTip: Column;
  /** Base fee and low tip: the price at which this block let a transaction in. */
  readonly ask: Column;
  /** What sending in the next block costs, as known at this block: next base fee and the Average tip. */
  readonly sendNow: Column;
  /** What each lane costs, as said at this block. */
  readonly prices: Readonly<Record<LaneName, Column>>;
  /** The horizon that was recommended to wait for at this block, in seconds; 0 for sending now. */
  readonly advisedWaitSec: Column;
  /** The part of Average's price beyond the next base fee, as said at this block. */
  readonly priority: Column;
  readonly #room = new RingRoom();
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
    this.prices = { slow: this.column(), average: this.column(), fast: this.column() };
    this.advisedWaitSec = this.column();
    this.priority = this.column();
  }

  /** A further column over the same blocks; `keep` where it is never looked back on further. */
  column(keep = this.capacity): Column {
    return new Column(Math.min(keep, this.capacity), this.#room);
  }

  get isEmpty(): boolean {
    return this.#head < 0;
  }

  get head(): number {
    return this.#head;
  }

  /** The first block that was ever seen. */
  get origin(): number {
    return this.#origin;
  }

  /**
   * The oldest block that may be looked at. It depends on the head alone, so that after a rewind it is what it was at
   * that head.
   */
  get oldest(): number {
    return Math.max(this.#origin, this.#head - this.capacity + 1);
  }

  /** Seconds of blocks that are known. */
  get pastSec(): number {
    return this.isEmpty ? 0 : this.time.at(this.#head) - this.time.at(this.oldest);
  }

  /** Seconds of blocks that are kept at the most, at the pace they have come in; endless while that is unknown. */
  get mostSec(): number {
    const blocks = this.#head - this.oldest;
    if (blocks < LEAST_PACED) return Number.POSITIVE_INFINITY;
    const sec = this.pastSec;
    return sec > 0 ? (sec * (this.capacity - 1)) / blocks : Number.POSITIVE_INFINITY;
  }

  moveHead(block: number): void {
    if (this.isEmpty) this.#origin = block;
    this.#head = block;
  }

  /**
   * The last `length` blocks that were at least `age` blocks old when the head came, so that the `age` blocks after
   * each are all known.
   */
  settled(age: number, length: number): Span {
    const to = Math.max(this.#head - age + 1, this.oldest);
    return { from: Math.max(to - length, this.oldest), to };
  }

  /** The first block whose time is at or after `time`, the head at the latest. */
  firstSince(time: number): number {
    let low = this.oldest;
    let high = this.#head;
    while (low < high) {
      const middle = low + Math.floor((high - low) / 2);
      if (this.time.at(middle) < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** One price over another; amounts below 1 wei count as 1, so that a free chain has ratios too. */
export function feeRatio(price: number, reference: number): number {
  return Math.max(price, 1) / Math.max(reference, 1);
}

/** Rounding noise that must not lift a price by a wei. */
const NOISE = 1e-6;

/** `reference` times `ratio` in whole wei, never below what the ratio was taken from. */
export function scaledFee(reference: number, ratio: number): number {
  return wholeWei(Math.ceil(reference * ratio - NOISE));
}

/** Into the range that the wire carries: 0 to 2^53 − 1. */
export function wholeWei(price: number): number {
  return Math.min(Math.max(Math.round(price), 0), Number.MAX_SAFE_INTEGER);
}

const PPM = 1_000_000;
/** Keeps sums of thousands of them exact. */
const MOST_PPM = 1_000 * PPM;

/** A ratio in whole millionths, for sums that must be exact. */
export function toPpm(ratio: number): number {
  return Math.min(Math.round(ratio * PPM), MOST_PPM);
}

export function fromPpm(ppm: number): number {
  return ppm / PPM;
}
