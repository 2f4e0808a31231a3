import { setImmediate } from 'node:timers/promises';
import type { Block } from '../core/block.ts';
import type { BlockStore } from '../store/block-store.ts';

/** How long blocks may wait to be written together; a burst costs one transaction per this time. */
const GATHER_MS = 50;
/** Blocks per transaction: a few milliseconds of the event loop. */
const BATCH = 512;
/** Above this the follower waits for the disk. */
const FULL = 4_096;

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
  readonly #onRecovered: () => void;

  /** `onRecovered` is called with the first write that works after one that did not. */
  constructor(store: BlockStore, onRecovered: () => void) {
    this.#store = store;
    this.#onRecovered = onRecovered;
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
    for (let at = 0; at < blocks.length; at += BATCH) {
      const batch = blocks.slice(at, at + BATCH);
      this.#enqueue(async () => {
        await this.#store.saveBlocks(batch);
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
        this.#onRecovered();
      },
      (error: unknown) => {
        this.#problem = `history is not being saved: ${error instanceof Error ? error.message : String(error)}`;
      },
    );
  }
}
