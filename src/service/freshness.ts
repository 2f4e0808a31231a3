import type { ChainSource } from '../chain/chain-source.ts';
import type { Block } from '../core/block.ts';
import { type ChainProfile, isDevelopmentChain } from '../core/chains.ts';
import { abortable, sleep } from './async.ts';

const TICK_MS = 500;
/** A running process ticks in time, even on a busy machine. */
const PAUSE_MS = 3_000;
const RESPONSE_MS = 5_000;
const RETRY_MS = 1_000;

export interface FreshnessOptions {
  readonly source: Pick<ChainSource, 'kind' | 'head'>;
  /** The newest block that was ingested. */
  readonly head: () => Block | null;
  /** `null` until the chain is known. */
  readonly chain: () => ChainProfile | null;
  /** Ms since epoch. */
  readonly wallNow: () => number;
  /** Ms of a monotonic clock. */
  readonly steadyNow: () => number;
  /** Called when the head may be fresh again. */
  readonly onFresh: () => void;
  readonly signal: AbortSignal;
}

interface Pause {
  /** The head when the process went on. */
  readonly head: Block | null;
  /** The newest block of the node after the pause; `null` until it responds. */
  newest: number | null;
}

/**
 * Whether the head is still the newest block as far as this process can know. While the process runs, every block
 * arrives as it is made. A pause (SIGSTOP, a sleeping laptop, a virtual machine that moves) leaves a head that looks
 * young though the chain has gone on, and the blocks of the pause arrive one after the other.
 *
 * A pause shows as a gap between two ticks. The monotonic clock goes on during SIGSTOP but not during a suspend; the
 * wall clock goes on during both, but can be set. Either gap counts.
 */
export class Freshness {
  readonly #options: FreshnessOptions;
  #ranAt: { readonly wall: number; readonly steady: number };
  #pause: Pause | null = null;

  constructor(options: FreshnessOptions) {
    this.#options = options;
    this.#ranAt = { wall: options.wallNow(), steady: options.steadyNow() };
  }

  /** Ticks until the signal aborts. */
  async run(): Promise<void> {
    const { signal } = this.#options;
    while (!signal.aborted) {
      this.#tick();
      await sleep(TICK_MS, signal);
    }
  }

  /**
   * After a pause `head` is stale until it has reached the newest block that a node names after the pause. A chain
   * that makes blocks by itself has to make another one: the node may have slept on the same machine.
   */
  isFresh(head: Block): boolean {
    this.#tick();
    if (this.#pause === null) return true;
    const { head: before, newest } = this.#pause;
    if (newest === null || head.number < newest) return false;
    const chain = this.#options.chain();
    const waitsForBlock = chain === null || !isDevelopmentChain(chain);
    if (waitsForBlock && before?.number === head.number && before.hash === head.hash) return false;
    this.#pause = null;
    return true;
  }

  #tick(): void {
    const { source, head, wallNow, steadyNow } = this.#options;
    const before = this.#ranAt;
    this.#ranAt = { wall: wallNow(), steady: steadyNow() };
    const gap = Math.max(this.#ranAt.steady - before.steady, Math.abs(this.#ranAt.wall - before.wall));
    if (gap <= PAUSE_MS || source.kind !== 'rpc') return;
    this.#pause = { head: head(), newest: null };
    void this.#askNewest(this.#pause);
  }

  async #askNewest(pause: Pause): Promise<void> {
    const { source, onFresh, signal } = this.#options;
    while (this.#pause === pause && !signal.aborted) {
      try {
        const { number } = await abortable(source.head(), AbortSignal.timeout(RESPONSE_MS));
        // Another pause while the node was asked makes its response old.
        this.#tick();
        if (this.#pause !== pause || signal.aborted) return;
        pause.newest = number;
        return onFresh();
      } catch {
        // The follower reports a node that is away.
        await sleep(RETRY_MS, signal);
      }
    }
  }
}
