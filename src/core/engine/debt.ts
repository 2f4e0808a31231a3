import type { Column, History } from './history.ts';

/**
 * Surplus of predicted over actual outcomes: the sum, over all predictions whose time is over, of the stated
 * probability minus 1 if it came true. Negative when more came true than stated. Advice steered by it comes true as
 * often as stated, whatever prices do (the integrator of conformal PID control, Angelopoulos, Candès and Tibshirani
 * 2023). Stored per block, so that a rewind restores it.
 */
export class Debt {
  readonly #history: History;
  readonly #owed: Column;

  constructor(history: History) {
    this.#history = history;
    this.#owed = history.column(2);
  }

  /** Computes the head's debt: the previous one less the share `forgiven`, plus `settled`, bounded by ±`most`. */
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
