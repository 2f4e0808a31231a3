import type { LaneName } from '../advice.ts';
import { type Block, TIP_PERCENTILES, tipAt } from '../block.ts';

/**
 * Recorded blocks as columns that grow block by block: they hold only what is known at the last block. Wei per gas as
 * numbers.
 */
export class Past {
  #length = 0;
  #hasTips = false;
  #newest = Number.NaN;
  /** The run of consecutive blocks of each block, and the start of each run. */
  readonly #run: Uint32Array;
  readonly #starts: number[] = [];
  /** Unix seconds, non-decreasing. */
  readonly time: Float64Array;
  readonly baseFee: Float64Array;
  readonly gasUsedRatio: Float64Array;
  /** The minimum tip of the block: its p10 tip (or its lowest, when only that is known); 0 when unknown. */
  readonly asked: Float64Array;
  /** Base fee plus minimum tip: the lowest price included in this block. */
  readonly price: Float64Array;
  /** Base fee of each following block, as known at that block (EIP-1559, or stated by the chain). */
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

  /** Whether any block so far had known tips. */
  get hasTips(): boolean {
    return this.#hasTips;
  }

  /** The last known block that follows block `at` without a gap. */
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
   * A block's tip at a percentile, `NaN` when its tips are unknown. Interpolated between the seven known percentiles,
   * and constant outside them.
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

/** The fees that a rule would have signed at one block, wei per gas. */
export interface Offer {
  /** `maxFeePerGas` */
  readonly cap: number;
  /** `maxPriorityFeePerGas` */
  readonly tip: number;
}

export type LaneOffers = Readonly<Record<LaneName, Offer>>;

/** The offers of one rule for one lane, by block index; `NaN` when it made none. */
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
