import type { ChainSource } from '../chain/chain-source.ts';
import { ChainError } from '../chain/errors.ts';
import { abortable } from './abortable.ts';
import type { DigestedChain } from './digested-chain.ts';
import { newestBlocks } from './newest-blocks.ts';
import { untilAborted } from './sleep.ts';

/** Enough for Average and Fast to be within a percent of what the blocks of a day make of them. */
const LOOKED_AT = 64;
/** Stored blocks that are taken up as known ones: more than any source takes back. */
const KNOWN = 300;
/** A source that is no quicker is asked for everything at once: what keeps it is told after its own deadline, not after two. */
const LONGEST_LOOK_MS = 3_000;

export interface FirstLookOptions {
  readonly source: ChainSource;
  /** Resolves when the first prices are shown, for which the newest blocks are enough. Left out: nobody waits for them. */
  readonly pricesShown?: Promise<void> | undefined;
  readonly signal: AbortSignal;
}

/**
 * How a follower begins: with what is stored. Who waits to show prices is given those of the newest blocks alone, and
 * takes its time to show them before a day of blocks is gone through, or hundreds are asked for.
 */
export class FirstLook {
  readonly #options: FirstLookOptions;
  readonly #chain: DigestedChain;
  readonly #over = Promise.withResolvers<void>();
  #isLooking = false;

  constructor(options: FirstLookOptions, chain: DigestedChain) {
    this.#options = options;
    this.#chain = chain;
  }

  /** Whether there are prices by a few blocks alone, on which nothing may be advised or decided yet. */
  get isLooking(): boolean {
    return this.#isLooking;
  }

  /** Resolves when that is over, for all is known that can be for now; never rejects. */
  get over(): Promise<void> {
    return this.#over.promise;
  }

  /** Calls `onPrices` once there are any. Rejects with a `StoreError`. */
  async take(onPrices: () => void): Promise<void> {
    const { pricesShown, signal } = this.#options;
    const isStored = await this.#chain.load(KNOWN);
    if (pricesShown !== undefined) {
      if (isStored) this.#chain.glance(LOOKED_AT);
      else await this.#lookAtSource();
      if (this.#chain.shownHead !== null) {
        this.#isLooking = true;
        onPrices();
        await Promise.race([pricesShown, untilAborted(signal)]);
      }
    }
    if (!isStored) return;
    try {
      await this.#chain.remember();
    } catch (error) {
      // What was learned from a few blocks is not to stay all there is.
      this.#chain.dropEngine();
      throw error;
    }
    onPrices();
    this.end();
  }

  end(): void {
    this.#isLooking = false;
    this.#over.resolve();
  }

  /** What fails here fails again where it is told. */
  async #lookAtSource(): Promise<void> {
    const { source, signal: ended } = this.#options;
    const signal = AbortSignal.any([ended, AbortSignal.timeout(LONGEST_LOOK_MS)]);
    try {
      const profile = await abortable(source.chain(), signal);
      const newest = source.newest?.(LOOKED_AT, { signal }) ?? newestBlocks(source, LOOKED_AT, signal);
      await this.#chain.glanceAt(await abortable(newest, signal), profile);
    } catch (error) {
      if (!(error instanceof ChainError) && !signal.aborted) throw error;
    }
  }
}
