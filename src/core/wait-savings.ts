import { ExactSum } from './exact-sum.ts';
import { feeRatio, fromPpm, toPpm } from './fee-ratio.ts';
import type { Column, History, Span } from './history.ts';
import { Rolling, WholeSum } from './rolling.ts';

/**
 * A price falls a little where it is waited for, and rises by more where that fails: until misses have been seen, one is
 * taken to cost so many times what the target would have saved, beyond what is expected.
 */
const UNSEEN_COST = 3;

/** A wait whose time is over. */
export interface EndedWait {
  readonly given: number;
  /** Wei per gas. */
  readonly target: number;
  /** The first block that asked for no more than the target; `null`: none did. */
  readonly first: number | null;
  /** The last block before its time was over. */
  readonly last: number;
  /** Whether waiting looked worth it. */
  readonly isTempted: boolean;
}

/** What waiting for one horizon's targets saves: what was paid where they were reached, and what misses cost. */
export class WaitSavings {
  readonly #history: History;
  /**
   * What the horizon's last block asked for where the target was missed. As a price and not as a multiple of the one
   * before: misses begin at low prices, and what they cost says little of how far a high one may still rise.
   */
  readonly #missed: Column;
  /** What a miss was expected to cost at a block, as a share of sending at once there. */
  readonly #cost: Column;
  /** Where waiting looked worth it: what was paid, over the target; and what a miss cost beyond what was expected. Millionths. */
  readonly #paid: Column;
  readonly #excess: Column;
  readonly #misses: Rolling<ExactSum>;
  readonly #payments: Rolling<WholeSum>;
  readonly #excesses: Rolling<WholeSum>;

  constructor(history: History) {
    this.#history = history;
    this.#missed = history.column();
    this.#cost = history.column();
    this.#paid = history.column();
    this.#excess = history.column();
    this.#misses = new Rolling(this.#missed, new ExactSum());
    this.#payments = new Rolling(this.#paid, new WholeSum());
    this.#excesses = new Rolling(this.#excess, new WholeSum());
  }

  /** Remembers what a miss is expected to cost at the head. */
  push(): void {
    this.#cost.put(this.#history.head, this.#usualCost);
  }

  settle({ given, target, first, last, isTempted }: EndedWait): void {
    const { ask, sendNow } = this.#history;
    const isMissed = first === null && !Number.isNaN(target);
    const cost = feeRatio(ask.at(last), sendNow.at(given)) - 1;
    this.#missed.put(given, isMissed ? ask.at(last) : Number.NaN);
    this.#excess.put(given, isMissed && isTempted ? toPpm(cost - this.#cost.at(given)) : Number.NaN);
    this.#paid.put(given, first !== null && isTempted ? toPpm(feeRatio(ask.at(first), target)) : Number.NaN);
  }

  /** Looks back on what was given at the blocks of `span`. */
  moveTo(span: Span): void {
    this.#misses.moveTo(span);
    this.#payments.moveTo(span);
    this.#excesses.moveTo(span);
  }

  /**
   * What waiting for `target` (wei per gas) saves on average if it is reached with `probability`, as a share of
   * sending at once; misses cost. Where waiting looks worth it (`isTempting`), what was paid and what misses cost at
   * such blocks of the past counts.
   * @param unseen how many misses have to be seen before they weigh more than what is assumed of them
   */
  expected(target: number, probability: number, isTempting: boolean, unseen: number): number {
    const now = this.#history.sendNow.at(this.#history.head);
    const paid = isTempting ? fromPpm(this.#payments.tally.mean ?? toPpm(1)) : 1;
    const saving = Math.max(1 - feeRatio(target * paid, now), 0);
    const excess = isTempting ? this.#excessCost(UNSEEN_COST * saving, unseen) : 0;
    return probability * saving - (1 - probability) * Math.max(this.#usualCost + excess, 0);
  }

  /** How far the last blocks of missed horizons lie above what sending costs now, on average. */
  get #usualCost(): number {
    const now = this.#history.sendNow.at(this.#history.head);
    return Math.max(feeRatio(this.#misses.tally.mean ?? now, now) - 1, 0);
  }

  #excessCost(unseenCost: number, unseen: number): number {
    const { sum, count } = this.#excesses.tally;
    return (fromPpm(sum) + unseenCost * unseen) / (count + unseen);
  }
}
