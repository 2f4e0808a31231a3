import type { LaneName } from './advice.ts';
import type { Column, History } from './history.ts';
import { Rolling } from './rolling.ts';
import { SortedValues } from './sorted-values.ts';

/** Blocks whose tips are looked back on: an hour on mainnet. */
const TIP_BLOCKS = 300;
const FAST_SHARE = 0.99;
const AVERAGE_SHARE = 0.95;
const SLOW_SHARE = 0.9;

/**
 * The tip that each lane offers: what would have got into one of its next blocks in the promised share of the recent past.
 * 0 where no tips are known.
 */
export class TipBook {
  readonly #history: History;
  /** Lowest tip that got into one of the 2 (3) blocks after this one. */
  readonly #oneOfTwo: Column;
  readonly #oneOfThree: Column;
  readonly #fast: Rolling<SortedValues>;
  readonly #average: Rolling<SortedValues>;
  readonly #slow: Rolling<SortedValues>;

  constructor(history: History) {
    this.#history = history;
    this.#oneOfTwo = history.column(TIP_BLOCKS + 3);
    this.#oneOfThree = history.column(TIP_BLOCKS + 3);
    this.#fast = new Rolling(this.#oneOfTwo, new SortedValues());
    this.#average = new Rolling(this.#oneOfThree, new SortedValues());
    this.#slow = new Rolling(history.lowTip, new SortedValues());
  }

  /** Digests the head's tips. */
  push(): void {
    const { head, oldest, lowTip } = this.#history;
    const last = lowTip.at(head);
    if (head - 2 >= oldest) this.#oneOfTwo.put(head - 2, Math.min(lowTip.at(head - 1), last));
    if (head - 3 >= oldest) {
      this.#oneOfThree.put(head - 3, Math.min(lowTip.at(head - 2), lowTip.at(head - 1), last));
    }
    this.followHead();
  }

  followHead(): void {
    this.#fast.moveTo(this.#history.settled(2, TIP_BLOCKS));
    this.#average.moveTo(this.#history.settled(3, TIP_BLOCKS));
    this.#slow.moveTo(this.#history.settled(0, TIP_BLOCKS));
  }

  /** Wei per gas. Who waits longer never tips more. */
  advised(): Readonly<Record<LaneName, number>> {
    const recent = this.#slow.tally;
    const fast = this.#fast.tally.quantile(FAST_SHARE) ?? recent.quantile(1) ?? 0;
    const average = Math.min(this.#average.tally.quantile(AVERAGE_SHARE) ?? fast, fast);
    const slow = Math.min(recent.quantile(SLOW_SHARE) ?? average, average);
    return { slow, average, fast };
  }
}
