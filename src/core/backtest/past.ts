import { type Block, lowestPaidTip, tipBetween } from '../block.ts';

/** Recorded blocks as columns. What concerns a block is in its row and those before. Wei per gas as numbers. */
export class Past {
  readonly blocks: Block[] = [];
  /** Unix seconds, non-decreasing. */
  readonly time: number[] = [];
  readonly baseFee: number[] = [];
  /** The minimum tip of the block: its p10 tip (or its lowest, when only that is known); 0 when unknown. */
  readonly asked: number[] = [];
  /** Base fee plus minimum tip: the lowest price included in this block. */
  readonly price: number[] = [];
  /** Base fee of each following block, as known at that block (EIP-1559, or stated by the chain). */
  readonly nextBaseFee: number[] = [];
  /** The run of consecutive blocks of each block, and the start of each run. */
  readonly #run: number[] = [];
  readonly #starts: number[] = [];

  /** The first block of the unbroken run that leads to block `at`. */
  firstOf(at: number): number {
    return this.#starts[this.#run[at] ?? 0] ?? 0;
  }

  /** The last block that follows block `at` without a gap. */
  lastOf(at: number): number {
    return (this.#starts[(this.#run[at] ?? 0) + 1] ?? this.blocks.length) - 1;
  }

  timeAt(at: number): number {
    return this.time[at] ?? 0;
  }

  priceAt(at: number): number {
    return this.price[at] ?? 0;
  }

  /** What waiting for `price` from block `at` pays: the first price that low, else the last one until a time, which is not the newest. */
  paidBy(at: number, price: number, until: number): number {
    let paidAt = at + 1;
    while (this.timeAt(paidAt + 1) <= until && this.priceAt(paidAt) > price) paidAt += 1;
    return this.priceAt(paidAt);
  }

  push(block: Block, nextBaseFee: number): void {
    const at = this.blocks.length;
    const asked = Number(lowestPaidTip(block) ?? 0n);
    const baseFee = Number(block.baseFeePerGas);
    if (block.number - 1 !== this.blocks.at(-1)?.number) this.#starts.push(at);
    this.blocks.push(block);
    this.#run.push(this.#starts.length - 1);
    this.time.push(Math.max(block.timestamp, this.time.at(-1) ?? 0));
    this.baseFee.push(baseFee);
    this.asked.push(asked);
    this.price.push(baseFee + asked);
    this.nextBaseFee.push(nextBaseFee);
  }

  /** One tip percentile of the last `count` blocks up to `at` with known tips. */
  lastTips(at: number, count: number, percentile: number): number[] {
    return this.blocks
      .slice(Math.max(at - count + 1, this.firstOf(at)), at + 1)
      .flatMap(({ tips }) => (tips && tipBetween(tips, percentile)) ?? []);
  }
}

/** The fees that a rule would have signed at one block, wei per gas. */
export interface Offer {
  /** `maxFeePerGas` */
  readonly cap: number;
  /** `maxPriorityFeePerGas` */
  readonly tip: number;
}
