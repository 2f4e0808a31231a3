import type { Column, History } from './history.ts';

const LOWEST = 0.5;
const HIGHEST = 1;

/**
 * A quantile level that is moved until the share of promises kept is the one aimed for, whatever the prices do
 * (adaptive conformal inference, Gibbs and Candès 2021). It is kept per block, so a rewind finds it where it was.
 */
export class SteeredLevel {
  readonly #history: History;
  readonly #level: Column;
  readonly #aim: number;
  readonly #step: number;

  /** @param step how far one miss moves the level: small against 1 / blocks that a verdict takes. */
  constructor(history: History, aim: number, step: number) {
    this.#history = history;
    this.#level = history.column(2);
    this.#aim = aim;
    this.#step = step;
  }

  /** The level at the head. */
  get value(): number {
    return this.#level.at(this.#history.head);
  }

  /** Carries the level on to the head, moved by the promises that the head settled. */
  push(kept: number, judged: number): void {
    const { head, origin } = this.#history;
    const before = head > origin ? this.#level.at(head - 1) : this.#aim;
    const moved = before + this.#step * (judged * this.#aim - kept);
    this.#level.put(head, Math.min(Math.max(moved, LOWEST), HIGHEST));
  }
}
