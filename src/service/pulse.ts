import type { Block } from '../core/block.ts';

/** However quick a chain, it is late only after this. */
const LEAST_PATIENCE_MS = 30_000;
const PATIENCE_BLOCKS = 5;

/**
 * Whether blocks still come. Their own times tell, and for a chain whose clock is wrong when one last came as it was
 * made. Blocks that are caught up with, after a start or a gap, do not count: a node that is stuck has those too.
 * All times are ms of the source's clock.
 */
export class Pulse {
  #lastAt = Number.NEGATIVE_INFINITY;
  #heardAt = Number.NEGATIVE_INFINITY;

  /** What comes right after this has been waiting. */
  begin(now: number): void {
    this.#lastAt = now;
  }

  /** A block comes as it is made if as much time passed since the one before it here as on the chain. */
  note(block: Block, before: Block | null, blockTimeSec: number, now: number): void {
    const spacing = blockTimeSec * 1_000;
    const step = before === null ? spacing : Math.max(block.timestamp - before.timestamp, 0) * 1_000;
    const waited = now - this.#lastAt;
    if (waited >= Math.max(step, spacing) / 2 && waited <= step + patienceMs(blockTimeSec))
      this.#heardAt = now;
    this.#lastAt = now;
  }

  isLate(head: Block, blockTimeSec: number, now: number): boolean {
    return now - Math.max(this.#heardAt, head.timestamp * 1_000) > patienceMs(blockTimeSec);
  }
}

/** How long a block that should be there may stay away. */
export const patienceMs = (blockTimeSec: number) =>
  Math.max(PATIENCE_BLOCKS * blockTimeSec * 1_000, LEAST_PATIENCE_MS);
