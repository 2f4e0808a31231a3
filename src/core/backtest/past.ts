import type { LaneName } from '../advice.ts';
import { type Block, TIP_PERCENTILES, tipAt } from '../block.ts';

/**
 * Recorded blocks as columns, growing by one block at a time: what is in it is what is known at its last block. Wei per
 * gas as numbers.
 */
export class Past {
  #length = 0;
  #hasTips = false;
  #newest = Number.NaN;
  /** Which run of consecutive blocks each belongs to, and where each run begins. */
  readonly #run: Uint32Array;
  readonly #starts: number[] = [];
  /** Unix seconds, never falling. */
  readonly time: Float64Array;
  readonly baseFee: Float64Array;
  readonly gasUsedRatio: Float64Array;
  /** What the block let in with: its p10 tip (its lowest where only that is known), 0 where none is known. */
  readonly asked: Float64Array;
  /** Base fee and what it asked for on top: the least that got into this block. */
  readonly price: Float64Array;
  /** Base fee of the block after each, as everybody knows it at that block (EIP-1559, or the chain's own word). */
  readonly nextBaseFee: Float64Array;
  readonly #tips: readonly Float64Array[];

  constructor(capacity: number) {
    const column = () => new Float64Array(capacity);
    this.#run = new Uint32Array(capacity);
    this.time = column();
    this.baseFee = column();
    this.gasUsedRatio = column();
    this.asked = column();
    this.price = column();
    this.nextBaseFee = column();
    this.#tips = TIP_PERCENTILES.map(column);
  }

  get length(): number {
    return this.#length;
  }

  /** Whether any block so far said what tips it took. */
  get hasTips(): boolean {
    return this.#hasTips;
  }

  /** The last block that is known of those that follow block `at` without a gap. */
  lastOf(at: number): number {
    return (this.#starts[(this.#run[at] ?? 0) + 1] ?? this.#length) - 1;
  }

  /** @throws RangeError beyond the capacity. */
  push(block: Block, nextBaseFee: number): void {
    const at = this.#length;
    if (at >= this.time.length) throw new RangeError(`no room for block ${block.number}`);
    this.#length = at + 1;
    if (block.number !== this.#newest + 1) this.#starts.push(at);
    this.#newest = block.number;
    this.#run[at] = this.#starts.length - 1;
    this.#hasTips ||= block.tips !== null;
    this.time[at] = Math.max(block.timestamp, at > 0 ? (this.time[at - 1] ?? 0) : 0);
    this.baseFee[at] = Number(block.baseFeePerGas);
    this.gasUsedRatio[at] = block.gasUsedRatio;
    this.asked[at] = Number(tipAt(block, 10) ?? 0n);
    this.price[at] = (this.baseFee[at] ?? 0) + (this.asked[at] ?? 0);
    this.nextBaseFee[at] = nextBaseFee;
    for (const [index, column] of this.#tips.entries()) {
      const tip = block.tips?.[index];
      column[at] = tip === undefined ? Number.NaN : Number(tip);
    }
  }

  /**
   * A block's tip at a percentile, `NaN` where its tips are unknown. Between the seven percentiles that are known it is
   * interpolated; below the first and above the last, theirs.
   */
  tip(at: number, percentile: number): number {
    const above = TIP_PERCENTILES.findIndex((known) => known >= percentile);
    if (above <= 0) return this.#tips.at(above)?.[at] ?? Number.NaN;
    const [low, high] = [TIP_PERCENTILES[above - 1] ?? 0, TIP_PERCENTILES[above] ?? 0];
    const from = this.#tips[above - 1]?.[at] ?? Number.NaN;
    const to = this.#tips[above]?.[at] ?? Number.NaN;
    return from + ((to - from) * (percentile - low)) / (high - low);
  }
}

/** What a rule would have signed at one block: wei per gas. */
export interface Offer {
  /** `maxFeePerGas` */
  readonly cap: number;
  /** `maxPriorityFeePerGas` */
  readonly tip: number;
}

export type LaneOffers = Readonly<Record<LaneName, Offer>>;

/** What one rule offered for one lane, by index of the block it was offered at; `NaN` where it offered nothing. */
export class OfferColumn {
  readonly cap: Float64Array;
  readonly tip: Float64Array;

  constructor(length: number) {
    this.cap = new Float64Array(length).fill(Number.NaN);
    this.tip = new Float64Array(length).fill(Number.NaN);
  }

  put(at: number, offer: Offer | null): void {
    this.cap[at] = offer?.cap ?? Number.NaN;
    this.tip[at] = offer?.tip ?? Number.NaN;
  }

  at(at: number): Offer | null {
    const cap = this.cap[at] ?? Number.NaN;
    return Number.isNaN(cap) ? null : { cap, tip: this.tip[at] ?? 0 };
  }
}
