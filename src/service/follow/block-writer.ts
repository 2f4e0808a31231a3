import { setImmediate } from 'node:timers/promises';
import type { GivenAdvice, LanePrices } from '../../core/advice.ts';
import type { Block, Hex } from '../../core/block.ts';
import type { AlertRun } from '../../store/alert-evaluation.ts';
import type { BlockStore } from '../../store/blocks.ts';
import { StoreError } from '../../store/errors.ts';

/** How long blocks may wait to be written in one batch; a burst costs one transaction per this time. */
const GATHER_MS = 50;
/** Blocks per transaction: a few milliseconds of the event loop. */
const BATCH = 512;
/** Above this the follower waits for the disk. */
const FULL = 4_096;

/** An ingested block, and the lane prices after it; `null` when the engine has none. */
export interface IngestedBlock {
  readonly block: Block;
  readonly prices: LanePrices | null;
}

interface BlockWriterOptions {
  readonly onRecovered: () => void;
  readonly adviceAfter: (block: Block) => GivenAdvice | null;
  /** Data for the alerts at a batch of blocks; `null`: no evaluation. */
  readonly alertRun: (blocks: readonly IngestedBlock[]) => AlertRun | null;
  readonly onRefused: () => void;
  /** Must not reject, as `onWritten`. */
  readonly onFired?: () => void;
  /** Called after blocks were stored by any process, before the next write. */
  readonly onWritten: () => Promise<void>;
}

/** Writes ingested blocks in order, many per transaction. A failed write is retried with the next one. */
export class BlockWriter {
  readonly #store: BlockStore;
  #waiting: IngestedBlock[] = [];
  #unwritten: readonly IngestedBlock[] = [];
  #timer: NodeJS.Timeout | null = null;
  #lastFlush = Number.NEGATIVE_INFINITY;
  #work: Promise<void> = Promise.resolve();
  #problem: string | null = null;
  #isOpen = false;
  readonly #options: BlockWriterOptions;

  constructor(store: BlockStore, options: BlockWriterOptions) {
    this.#store = store;
    this.#options = options;
  }

  get problem(): string | null {
    return this.#problem;
  }

  get isFull(): boolean {
    return this.#waiting.length >= FULL;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  open(): void {
    this.#isOpen = true;
  }

  /** Stops writing, because another process writes now; drops unwritten blocks, which that process follows itself. */
  close(): void {
    this.#isOpen = false;
    this.#waiting = [];
    this.#unwritten = [];
    this.#problem = null;
  }

  add(block: Block, prices: LanePrices | null = null): void {
    if (!this.#isOpen) return;
    this.#waiting.push({ block, prices });
    if (this.#timer !== null) return;
    const wait = Math.max(0, this.#lastFlush + GATHER_MS - performance.now());
    this.#timer = setTimeout(() => void this.flush(), wait);
  }

  rewindTo(number: number): void {
    const stays = ({ block }: IngestedBlock) => block.number <= number;
    this.#waiting = this.#waiting.filter(stays);
    void this.#enqueue(async () => {
      this.#unwritten = this.#unwritten.filter(stays);
      if (this.#isOpen) await this.#store.rewindTo(number);
    });
  }

  beginAnew(genesis: Hex | undefined): void {
    this.#waiting = [];
    void this.#enqueue(async () => {
      this.#unwritten = [];
      if (this.#isOpen) await this.#store.beginAnew(genesis);
    });
  }

  /** Resolves once everything added so far is written or has failed; never rejects. */
  flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#lastFlush = performance.now();
    const blocks = this.#waiting;
    this.#waiting = [];
    const head = blocks.at(-1)?.block;
    if (head === undefined) return this.#work;
    // Blocks passed during a catch-up had no advice.
    const given = this.#options.adviceAfter(head);
    for (let at = 0; at < blocks.length; at += BATCH) {
      const batch = blocks.slice(at, at + BATCH);
      void this.#enqueue(async () => {
        const isLast = at + BATCH >= blocks.length;
        await this.#save(batch, isLast ? given : null);
        if (isLast) await this.#options.onWritten();
        if (blocks.length > BATCH) await setImmediate();
      });
    }
    return this.#work;
  }

  async #save(batch: readonly IngestedBlock[], given: GivenAdvice | null): Promise<void> {
    if (!this.#isOpen) return;
    const ingested = [...this.#unwritten, ...batch];
    this.#unwritten = ingested.slice(-FULL);
    const alerts = this.#options.alertRun(ingested);
    const blocks = ingested.map(({ block }) => block);
    const fired = await this.#store.saveBlocks(blocks, given, alerts);
    this.#unwritten = [];
    if (fired > 0) this.#options.onFired?.();
  }

  #enqueue(write: () => Promise<void>): Promise<void> {
    this.#work = this.#work.then(write).then(
      () => {
        if (this.#problem === null) return;
        this.#problem = null;
        this.#options.onRecovered();
      },
      (error: unknown) => {
        if (error instanceof StoreError && error.code === 'not-holder') {
          this.close();
          this.#options.onRefused();
          return;
        }
        this.#problem = unsavedWords(error instanceof Error ? error.message : String(error));
      },
    );
    return this.#work;
  }
}

export const unsavedWords = (why: string): string => `history is not being saved: ${why}`;
