import { setImmediate } from 'node:timers/promises';
import type { GivenAdvice, LanePrices } from '../../core/advice.ts';
import type { Block, Hex } from '../../core/block.ts';
import type { ChainProfile } from '../../core/chains.ts';
import type { AlertRun } from '../../store/alert-evaluation.ts';
import type { BlockStore } from '../../store/blocks.ts';
import { StoreError } from '../../store/errors.ts';
import { type ChainStateEvents, type ChainStateOptions, isSameBlock } from './chain-state.ts';

/** How long blocks may wait to be written together; a burst costs one transaction per this time. */
const GATHER_MS = 50;
/** Blocks per transaction: a few milliseconds of the event loop. */
const BATCH = 512;
/** Above this the follower waits for the disk. */
const FULL = 4_096;
/** While another process writes, it is looked this often which blocks it has; blocks looked at. */
const LOOK_MS = 1_000;
const LOOKED_AT = 256;
/** A block that another process has not written for so long is none that it will write soon. */
const NEGLECTED_MS = 60_000;

/** A block that was taken in, and what the lanes cost after it; `null`: the engine could not tell. */
interface IngestedBlock {
  readonly block: Block;
  readonly prices: LanePrices | null;
}

interface BlockWriterOptions {
  /** Called with the first write that works after one that did not. */
  readonly onRecovered: () => void;
  /** What is advised after the newest of the blocks that are about to be written, to be written with it. */
  readonly adviceAfter?: (block: Block) => GivenAdvice | null;
  /** What alerts are told with blocks that are about to be written; `null`: they are not evaluated. */
  readonly alertRun?: (blocks: readonly IngestedBlock[]) => AlertRun | null;
  /** Called when a write was refused because another process writes now. */
  readonly onRefused?: () => void;
  /**
   * Called while the process that should does not write what is here, beginning with `next`; `head`: the newest block
   * that is stored.
   */
  readonly onNeglected?: (next: Block, head: Block | null) => void;
  /** Called when alerts have fired; must not reject. */
  readonly onFired?: () => void;
  /** Ms of a clock that nobody sets. */
  readonly steadyNow?: (() => number) | undefined;
  /** Called with new blocks in the store, whoever wrote them, before anything else is written; must not reject. */
  readonly onWritten?: () => Promise<void>;
}

/**
 * Writes what the follower ingests, in order, many blocks per transaction. A write that fails is kept as `problem` and
 * tried again with the next one; what waits too long for that is missing from the history and is filled in later.
 * While it is closed, because another process writes, it keeps what that one has not written yet.
 */
export class BlockWriter {
  readonly #store: BlockStore;
  #waiting: IngestedBlock[] = [];
  /** Could not be written, and belong before what comes next. */
  #unwritten: readonly IngestedBlock[] = [];
  #timer: NodeJS.Timeout | null = null;
  #lastFlush = Number.NEGATIVE_INFINITY;
  #work: Promise<void> = Promise.resolve();
  #problem: string | null = null;
  #isOpen = true;
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** The oldest block that another process has yet to write, and since when. */
  #neglected: { readonly number: number; readonly since: number } | null = null;
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

  /** Whether blocks are written here, and not by another process. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Another process writes from now on. What is under way is refused by the store if it comes too late. */
  close(): void {
    this.#isOpen = false;
    this.#neglected = null;
  }

  /**
   * Writes from now on, if `fits` says of the newest stored blocks that what is here goes on from them; what was kept
   * and is not among them comes first. Answers whether it does.
   */
  async open(fits: (stored: readonly Block[]) => boolean): Promise<boolean> {
    await this.#enqueue(async () => {
      const stored = await this.#store.newest(LOOKED_AT);
      if (this.#isOpen || !fits(stored)) return;
      this.#unwritten = withoutStored(this.#unwritten, stored);
      this.#isOpen = true;
      if (this.#unwritten.length === 0) return;
      await this.#save([], null);
      await this.#options.onWritten?.();
    });
    return this.#isOpen;
  }

  /** Drops what is not written yet. */
  forget(): void {
    this.#waiting = [];
    void this.#enqueue(async () => {
      this.#unwritten = [];
    });
  }

  add(block: Block, prices: LanePrices | null = null): void {
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
      void this.#enqueue(async () => {
        const isLast = at + BATCH >= blocks.length;
        await this.#save(batch, isLast ? given : null);
        if (isLast) await this.#options.onWritten?.();
        if (blocks.length > BATCH) await setImmediate();
      });
    }
    return this.#work;
  }

  async #save(batch: readonly IngestedBlock[], given: GivenAdvice | null): Promise<void> {
    const ingested = [...this.#unwritten, ...batch];
    this.#unwritten = ingested.slice(-FULL);
    if (!this.#isOpen) return this.#look();
    const alerts = this.#options.alertRun?.(ingested) ?? null;
    const blocks = ingested.map(({ block }) => block);
    const fired = await this.#store.saveBlocks(blocks, given, alerts);
    this.#unwritten = [];
    if (fired > 0) this.#options.onFired?.();
  }

  /** Forgets what the other process has written. */
  async #look(): Promise<void> {
    const now = (this.#options.steadyNow ?? (() => performance.now()))();
    if (now - this.#lookedAt < LOOK_MS) return;
    this.#lookedAt = now;
    const stored = await this.#store.newest(LOOKED_AT);
    if (this.#isOpen) return;
    this.#unwritten = withoutStored(this.#unwritten, stored);
    const next = this.#unwritten[0]?.block;
    if (next === undefined) this.#neglected = null;
    else if (next.number !== this.#neglected?.number) this.#neglected = { number: next.number, since: now };
    else if (now - this.#neglected.since > NEGLECTED_MS)
      this.#options.onNeglected?.(next, stored.at(-1) ?? null);
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
          this.#options.onRefused?.();
          return;
        }
        this.#problem = unsavedWords(error instanceof Error ? error.message : String(error));
      },
    );
    return this.#work;
  }
}

/** For people: the history is not being written, and `why`. */
export const unsavedWords = (why: string): string => `history is not being saved: ${why}`;

/** Those of `ingested` that are not among the `stored` ones, the newest there are, nor below all of them. */
function withoutStored(ingested: readonly IngestedBlock[], stored: readonly Block[]): IngestedBlock[] {
  const lowest = stored[0];
  if (lowest === undefined) return [...ingested];
  const byNumber = new Map(stored.map((block) => [block.number, block]));
  return ingested.filter(({ block }) => {
    const known = byNumber.get(block.number);
    return block.number >= lowest.number && (known === undefined || !isSameBlock(known, block));
  });
}

/**
 * What alerts see of ingested blocks: whatever was priced, when it is written, as a block may have become past while
 * it could not be.
 */
export function alertRunOf(
  ingested: readonly IngestedBlock[],
  { id, name }: ChainProfile,
  { isPast }: Pick<ChainStateEvents, 'isPast'>,
  { source, wallNow, nativeUsd }: ChainStateOptions,
): AlertRun {
  return {
    blocks: ingested.flatMap(({ block, prices }) =>
      prices === null ? [] : [{ block, prices, isPast: isPast(block) }],
    ),
    chain: { chainId: id, chainName: name, sourceKind: source.kind },
    nativeUsd: nativeUsd?.() ?? null,
    now: wallNow(),
  };
}
