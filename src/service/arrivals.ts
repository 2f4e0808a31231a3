import type { Block } from '../core/block.ts';

/**
 * When the source last brought a block as it came, ms of the source's clock: what tells a chain whose clock is wrong
 * from one that stands still. Blocks that are caught up with, after a start or a gap, do not count: a node that is
 * stuck has those too.
 */
export class Arrivals {
  #lastAt = Number.NEGATIVE_INFINITY;
  #heardAt = Number.NEGATIVE_INFINITY;

  get heardAt(): number {
    return this.#heardAt;
  }

  /** What comes right after this has been waiting. */
  begin(now: number): void {
    this.#lastAt = now;
  }

  /** A block comes when it is made if as much time passed since the one before it here as on the chain. */
  note(block: Block, before: Block | null, spacingMs: number, patienceMs: number, now: number): void {
    const waited = now - this.#lastAt;
    const step = before === null ? spacingMs : (block.timestamp - before.timestamp) * 1_000;
    if (waited >= Math.max(step, spacingMs) / 2 && waited <= Math.max(step, 0) + patienceMs) {
      this.#heardAt = now;
    }
    this.#lastAt = now;
  }
}
