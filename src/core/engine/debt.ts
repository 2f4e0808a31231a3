import type { Column, History } from './history.ts';

/**
 * What was promised so far beyond what came true: the sum, over all promises whose time is over, of the probability that was
 * stated less 1 where it was kept. Below 0 there is some to spare. An offer that is steered by it is kept as often as
 * stated, whatever prices do (the integrator of conformal PID control, Angelopoulos, Candès and Tibshirani 2023). It is kept per block, so a
 * rewind finds it where it was.
 */
export class Debt {
  readonly #history: History;
  readonly #owed: Column;

  constructor(history: History) {
    this.#history = history;
    this.#owed = history.column(2);
  }

  /** Carries it on to the head: a share of it is forgiven, what the head settled is added, and `most` bounds it either way. */
  push(settled: number, most: number, forgiven = 0): void {
    const { head, origin } = this.#history;
    const before = head > origin ? this.at(head - 1) : 0;
    this.#owed.put(head, within(most, before * (1 - forgiven) + settled));
  }

  /** @param block the head or the one before */
  at(block: number): number {
    return this.#owed.at(block);
  }
}

export function within(most: number, value: number): number {
  return Math.min(Math.max(value, -most), most);
}
