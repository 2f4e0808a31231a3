import { setImmediate } from 'node:timers/promises';
import type { Block } from '../core/block.ts';
import type { GivenAdvice } from '../core/given-advice.ts';
import type { BlockStore } from '../store/block-store.ts';

/** How long blocks may wait to be written together; a burst costs one transaction per this time. */
const GATHER_MS = 50;
/** Blocks per transaction: a few milliseconds of the event loop. */
const BATCH = 512;
/** Above this the follower waits for the disk. */
const FULL = 4_096;

export interface BlockWriterOptions {
  /** Called with the first write that works after one that did not. */
  readonly onRecovered: () => void;
  /** What is advised after the newest of the blocks that are about to be written, to be written with it. */
  readonly adviceAfter?: (block: Block) => GivenAdvice | null;
  /** Called with new blocks in the store, before anything else is written; must not reject. */
  readonly onWritten?: () => Promise<void>;
}

/**
 * Writes what the follower digests, in order, many blocks per transaction. A write that fails is kept as
 * `problem` and not tried again: the blocks are then missing from the history and are filled in later.
 */
export class BlockWriter {
  readonly #store: BlockStore;
  #waiting: Block[] = [];
  #timer: NodeJS.Timeout | null = null;
  #lastFlush = Number.NEGATIVE_INFINITY;
  #work: Promise<void> = Promise.resolve();
  #problem: string | null = null;
  readonly #options: BlockWriterOptions;

  constructor(store: BlockStore, options: BlockWriterOptions) {
    this.#store = store;
    this.#options = options;
  }

  /** Why the history is not being written, or `null`. */
  get problem(): string | null {
    return this.#problem;
  }

  get isFull(): boolean {
    return this.#waiting.length >= FULL;
  }

  add(block: Block): void {
    this.#waiting.push(block);
    if (this.#timer !== null) return;
    const wait = Math.max(0, this.#lastFlush + GATHER_MS - performance.now());
    this.#timer = setTimeout(() => void this.flush(), wait);
  }

  rewindTo(number: number): void {
    this.#waiting = this.#waiting.filter((block) => block.number <= number);
    this.#enqueue(() => this.#store.rewindTo(number));
  }

  clear(): void {
    this.#waiting = [];
    this.#enqueue(() => this.#store.clear());
  }

  /** Resolves once everything added so far is written (or has failed); never rejects. */
  flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#lastFlush = performance.now();
    const blocks = this.#waiting;
    this.#waiting = [];
    const head = blocks.at(-1);
    if (head === undefined) return this.#work;
    // What was passed on the way to here was never said to anybody.
    const given = this.#options.adviceAfter?.(head) ?? null;
    for (let at = 0; at < blocks.length; at += BATCH) {
      const batch = blocks.slice(at, at + BATCH);
      this.#enqueue(async () => {
        const isLast = at + BATCH >= blocks.length;
        await this.#store.saveBlocks(batch, isLast ? given : null);
        if (isLast) await this.#options.onWritten?.();
        if (blocks.length > BATCH) await setImmediate();
      });
    }
    return this.#work;
  }

  #enqueue(write: () => Promise<void>): void {
    this.#work = this.#work.then(write).then(
      () => {
        if (this.#problem === null) return;
        this.#problem = null;
        this.#options.onRecovered();
      },
      (error: unknown) => {
        this.#problem = `history is not being saved: ${error instanceof Error ? error.message : String(error)}`;
      },
    );
  }
}
