import type { Block } from '../core/block.ts';

/** However quick a chain, it is late only after this. */
const LEAST_PATIENCE_MS = 30_000;
const PATIENCE_BLOCKS = 5;
/** One that comes after a pause may be the next page of what is caught up with. */
const STEADY_BLOCKS = 2;

/**
 * Whether blocks still come. Their own times tell, and for a chain whose clock is wrong when one last came as it was
 * made. Blocks that are caught up with, after a start or a gap, do not count: a node that is stuck has those too.
 * All times are ms of the source's clock.
 */
export class Pulse {
  #lastAt = Number.NEGATIVE_INFINITY;
  #heardAt = Number.NEGATIVE_INFINITY;
  /** How far behind the clock the last block lay that came as it was made, and how many in a row lay about as far. */
  #lagMs = Number.NaN;
  #steadyBlocks = 0;

  /** What comes right after this moment has been waiting, as after a start or an outage. */
  begin(now: number): void {
    this.#lastAt = now;
    this.#steadyBlocks = 0;
  }

  /**
   * A block comes as it is made if as much time passed since the one before it here as on the chain. Answers whether it did
   * not come quicker, as what has been waiting does.
   */
  note(block: Block, before: Block | null, blockTimeSec: number, now: number): boolean {
    const spacing = blockTimeSec * 1_000;
    const step = before === null ? spacing : Math.max(block.timestamp - before.timestamp, 0) * 1_000;
    const waited = now - this.#lastAt;
    const hasWaited = waited < Math.max(step, spacing) / 2;
    if (!hasWaited && waited <= step + patienceMs(blockTimeSec)) this.#hear(block, blockTimeSec, now);
    this.#lastAt = now;
    return !hasWaited;
  }

  #hear(block: Block, blockTimeSec: number, now: number): void {
    const lagMs = now - block.timestamp * 1_000;
    const isAsBefore = Math.abs(lagMs - this.#lagMs) <= patienceMs(blockTimeSec);
    this.#steadyBlocks = isAsBefore ? this.#steadyBlocks + 1 : 1;
    this.#lagMs = lagMs;
    this.#heardAt = now;
  }

  isLate(head: Block, blockTimeSec: number, now: number): boolean {
    return now - Math.max(this.#heardAt, head.timestamp * 1_000) > patienceMs(blockTimeSec);
  }

  /**
   * Whether `head` is surely of now: by its own time, or because blocks come as they are made and lie steadily behind the
   * clock. While a quick chain is caught up with, page after page seems to come as it was made, but the lag shrinks.
   */
  isNow(head: Block, blockTimeSec: number, now: number): boolean {
    const patience = patienceMs(blockTimeSec);
    if (now - head.timestamp * 1_000 <= patience) return true;
    return this.#steadyBlocks >= STEADY_BLOCKS && now - this.#heardAt <= patience;
  }
}

/** How long a block that should be there may stay away. */
export const patienceMs = (blockTimeSec: number) =>
  Math.max(PATIENCE_BLOCKS * blockTimeSec * 1_000, LEAST_PATIENCE_MS);
