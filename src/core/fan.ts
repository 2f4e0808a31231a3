import type { FanStep } from './advice.ts';
import { highestBaseFee, lowestBaseFee } from './base-fee-bounds.ts';
import { feeRatio, wholeWei } from './fee-ratio.ts';
import type { FeeRule } from './fee-rule.ts';
import type { Column, History } from './history.ts';
import { Rolling } from './rolling.ts';
import { SortedValues } from './sorted-values.ts';

const STEPS = [1, 2, 3, 4, 5] as const;
const TRAILING_BLOCKS = 600;
const LEAST_BLOCKS = 100;
const LOW = 0.05;
const HIGH = 0.95;

interface FanRatios {
  readonly blocksAhead: number;
  readonly column: Column;
  readonly window: Rolling<SortedValues>;
}

/**
 * Where the base fee may stand 1 to 5 blocks on: the 5th, 50th and 95th percentile of how it moved in the last 600 blocks,
 * never beyond what EIP-1559 allows. The first step is exact where the next base fee is.
 */
export class FanBook {
  readonly #history: History;
  readonly #rule: FeeRule;
  readonly #ratios: readonly FanRatios[];

  constructor(history: History, rule: FeeRule) {
    this.#history = history;
    this.#rule = rule;
    this.#ratios = STEPS.map((blocksAhead) => {
      const column = history.column(TRAILING_BLOCKS + blocksAhead);
      return { blocksAhead, column, window: new Rolling(column, new SortedValues()) };
    });
  }

  push(): void {
    const { head, oldest, baseFee, nextBaseFee } = this.#history;
    for (const { blocksAhead, column } of this.#ratios) {
      const since = head - blocksAhead;
      if (since >= oldest) column.put(since, feeRatio(baseFee.at(head), nextBaseFee.at(since)));
    }
    this.followHead();
  }

  followHead(): void {
    for (const { blocksAhead, window } of this.#ratios) {
      window.moveTo(this.#history.settled(blocksAhead, TRAILING_BLOCKS));
    }
  }

  /** @param exact whether the next base fee is known and not guessed; `formulaHolds` whether EIP-1559 bounds the rest. */
  steps(nextBaseFee: bigint, exact: boolean, formulaHolds: boolean): FanStep[] {
    return this.#ratios.map(({ blocksAhead, window }) => {
      if (blocksAhead === 1 && exact) {
        return { blocksAhead, min: nextBaseFee, expected: nextBaseFee, max: nextBaseFee };
      }
      const low = lowestBaseFee(nextBaseFee, blocksAhead - 1, this.#rule);
      const high = highestBaseFee(nextBaseFee, blocksAhead - 1, this.#rule);
      const ratios = window.tally;
      // With too little history the extremes are all that can be said, and without a formula not even those.
      if (ratios.size < LEAST_BLOCKS) {
        return formulaHolds
          ? { blocksAhead, min: low, expected: nextBaseFee, max: high }
          : { blocksAhead, min: nextBaseFee / 2n, expected: nextBaseFee, max: nextBaseFee * 2n };
      }
      const at = (q: number): bigint => {
        const fee = BigInt(wholeWei(Number(nextBaseFee) * (ratios.quantile(q) ?? 1)));
        if (!formulaHolds) return fee;
        return fee < low ? low : fee > high ? high : fee;
      };
      return { blocksAhead, min: at(LOW), expected: at(0.5), max: at(HIGH) };
    });
  }
}
