import { setImmediate } from 'node:timers/promises';
import type { LanePrices } from '../core/advice.ts';
import type { Block } from '../core/block.ts';
import type { GivenAdvice } from '../core/given-advice.ts';
import type { AlertRun } from '../store/alert-run.ts';
import type { BlockStore } from '../store/block-store.ts';

/** How long blocks may wait to be written together; a burst costs one transaction per this time. */
const GATHER_MS = 50;
/** Blocks per transaction: a few milliseconds of the event loop. */
const BATCH = 512;
/** Above this the follower waits for the disk. */
const FULL = 4_096;

/** A block that was taken in, and what the lanes cost after it; `null`: the engine could not tell. */
export interface DigestedBlock {
  readonly block: Block;
  readonly prices: LanePrices | null;
}

export interface BlockWriterOptions {
  /** Called with the first write that works after one that did not. */
  readonly onRecovered: () => void;
  /** What is advised after the newest of the blocks that are about to be written, to be written with it. */
  readonly adviceAfter?: (block: Block) => GivenAdvice | null;
  /** What alerts are told with blocks that are about to be written; `null`: they are not evaluated. */
  readonly alertRun?: (blocks: readonly DigestedBlock[]) => AlertRun | null;
  /** Called when alerts have fired; must not reject. */
  readonly onFired?: () => void;
  /** Called with new blocks in the store, before anything else is written; must not reject. */
  readonly onWritten?: () => Promise<void>;
}

/**
 * Writes what the follower digests, in order, many blocks per transaction. A write that fails is kept as `problem` and
 * tried again with the next one; what waits too long for that is missing from the history and is filled in later.
 */
export class BlockWriter {
  readonly #store: BlockStore;
  #waiting: DigestedBlock[] = [];
  /** Could not be written, and belong before what comes next. */
  #unwritten: readonly DigestedBlock[] = [];
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

  add(block: Block, prices: LanePrices | null = null): void {
    this.#waiting.push({ block, prices });
    if (this.#timer !== null) return;
    const wait = Math.max(0, this.#lastFlush + GATHER_MS - performance.now());
    this.#timer = setTimeout(() => void this.flush(), wait);
  }

  rewindTo(number: number): void {
    const stays = ({ block }: DigestedBlock) => block.number <= number;
    this.#waiting = this.#waiting.filter(stays);
    this.#enqueue(async () => {
      this.#unwritten = this.#unwritten.filter(stays);
      await this.#store.rewindTo(number);
    });
  }

  clear(): void {
    this.#waiting = [];
    this.#enqueue(async () => {
      this.#unwritten = [];
      await this.#store.clear();
    });
  }

  /** Resolves once everything added so far is written (or has failed); never rejects. */
  flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#lastFlush = performance.now();
    const blocks = this.#waiting;
    this.#waiting = [];
    const head = blocks.at(-1)?.block;
    if (head === undefined) return this.#work;
    // What was passed on the way to here was never said to anybody.
    const given = this.#options.adviceAfter?.(head) ?? null;
    for (let at = 0; at < blocks.length; at += BATCH) {
      const batch = blocks.slice(at, at + BATCH);
      this.#enqueue(async () => {
        const isLast = at + BATCH >= blocks.length;
        await this.#save(batch, isLast ? given : null);
        if (isLast) await this.#options.onWritten?.();
        if (blocks.length > BATCH) await setImmediate();
      });
    }
    return this.#work;
  }

  async #save(batch: readonly DigestedBlock[], given: GivenAdvice | null): Promise<void> {
    const digested = [...this.#unwritten, ...batch];
    this.#unwritten = digested.slice(-FULL);
    const alerts = this.#options.alertRun?.(digested) ?? null;
    const blocks = digested.map(({ block }) => block);
    const fired = await this.#store.saveBlocks(blocks, given, alerts);
    this.#unwritten = [];
    if (fired > 0) this.#options.onFired?.();
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
