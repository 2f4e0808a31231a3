import type { Advice, LanePrices } from '../core/advice.ts';
import type { Block } from '../core/block.ts';
import type { Reach } from '../core/engine/horizons.ts';
import { TimeSlice } from './async.ts';

/** What the follower needs of `core/fee-engine.ts`: an engine that takes blocks in unbroken order only. */
export interface Engine {
  readonly head: Block | null;
  push(block: Block): void;
  rewindTo(number: number): void;
  advice(): Advice | null;
  lanePrices(): LanePrices | null;
  reachProbability(price: bigint, withinSec: number): Reach;
}

type Change = { readonly block: Block } | { readonly rewindTo: number };

/**
 * The engine that answers now, replaceable by one with a longer memory without a moment's silence: while
 * `rebuild` feeds the new one in slices, changes go on to the old one and are kept for the new one.
 */
export class LiveEngine {
  readonly #make: () => Engine;
  /** Made with the first block: at a start `rebuild` brings another one before that. */
  #engine: Engine | null = null;
  #head: Block | null = null;
  #advice: Advice | null | undefined;
  #missed: Change[] | null = null;

  constructor(make: () => Engine) {
    this.#make = make;
  }

  get head(): Block | null {
    return this.#head;
  }

  push(block: Block): void {
    this.#engine ??= this.#make();
    feed(this.#engine, block);
    this.#missed?.push({ block });
    this.#head = block;
    this.#advice = undefined;
  }

  /** `head` is the block that is now the highest, if it is known. */
  rewindTo(number: number, head: Block | null): void {
    this.#engine?.rewindTo(number);
    this.#missed?.push({ rewindTo: number });
    this.#head = head;
    this.#advice = undefined;
  }

  /** Whether a rewind took back more than the engine remembers, so that it knows nothing any more. */
  get isBlank(): boolean {
    return this.#engine === null || this.#engine.head === null;
  }

  /** Advice on the present head; worked out once per change. */
  advice(): Advice | null {
    if (this.#advice === undefined) this.#advice = this.#engine?.advice() ?? null;
    return this.#advice;
  }

  /** The lanes' prices after the present head, without the rest of the advice. */
  lanePrices(): LanePrices | null {
    return this.#engine?.lanePrices() ?? null;
  }

  reachProbability(price: bigint, withinSec: number): Reach | null {
    return this.#engine?.reachProbability(price, withinSec) ?? null;
  }

  /** Starts empty again. */
  reset(): void {
    this.#engine = null;
    this.#head = null;
    this.#advice = undefined;
    this.#missed = null;
  }

  /** Feeds a fresh engine with `pages` (ascending, up to the head at the time of calling) and swaps it in. */
  async rebuild(pages: AsyncIterable<readonly Block[]>, signal: AbortSignal): Promise<void> {
    const slice = new TimeSlice();
    const next = this.#make();
    const missed: Change[] = [];
    this.#missed = missed;
    let head: Block | null = null;
    try {
      for await (const page of pages) {
        for (const block of page) {
          feed(next, block);
          head = block;
          if (slice.isOver()) await slice.next();
          if (signal.aborted) return;
        }
      }
      for (let at = 0; at < missed.length; at += 1) {
        const change = missed[at];
        if (change === undefined) break;
        if ('block' in change) feed(next, change.block);
        else next.rewindTo(change.rewindTo);
        if (slice.isOver()) await slice.next();
        if (signal.aborted) return;
      }
      // Reset meanwhile: what was read is of a chain that is gone.
      if (this.#missed !== missed) return;
      this.#engine = next;
      this.#head ??= head;
      this.#advice = undefined;
    } finally {
      if (this.#missed === missed) this.#missed = null;
    }
  }
}

/** After a hole the engine starts anew: what it learned does not lead up to this block. */
function feed(engine: Engine, block: Block): void {
  if (engine.head !== null && block.number !== engine.head.number + 1) engine.rewindTo(-1);
  engine.push(block);
}
