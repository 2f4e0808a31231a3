import type { ChainSource } from '../chain/chain-source.ts';
import type { Block } from '../core/block.ts';
import { Pulse, patienceMs } from './pulse.ts';

/** Why nothing new comes, and when the source is asked again (ms, wall clock). */
export interface Problem {
  readonly message: string;
  readonly retryAt: number | null;
}

/** How the source of blocks is: whether it answers, whether blocks still come, whether it has come to its end. */
export class SourceState {
  readonly #source: Pick<ChainSource, 'kind' | 'now'>;
  readonly #pulse = new Pulse();
  #problem: Problem | null = null;
  #ended = false;

  constructor(source: Pick<ChainSource, 'kind' | 'now'>) {
    this.#source = source;
  }

  /** Whether a recording has been played to its end. */
  get hasEnded(): boolean {
    return this.#ended;
  }

  /** What comes right after this has been waiting. */
  begin(): void {
    this.#pulse.begin(this.#source.now());
  }

  /** A block has come, while `before` was the head. */
  note(block: Block, before: Block | null, blockTimeSec: number): void {
    this.#pulse.note(block, before, blockTimeSec, this.#source.now());
    this.#problem = null;
  }

  fail(problem: Problem): void {
    this.#problem = problem;
  }

  heal(): void {
    this.#problem = null;
  }

  end(): void {
    this.#ended = true;
    this.#problem = null;
  }

  isLate(head: Block | null, blockTimeSec: number): boolean {
    // A recording's clock runs at its own speed, far ahead of what one process can digest.
    if (this.#ended || head === null || this.#source.kind === 'replay') return false;
    return this.#pulse.isLate(head, blockTimeSec, this.#source.now());
  }

  /**
   * Whether `block` came too late for anybody to be told of it as of now: it was caught up with, after a downtime or a gap.
   * It is now while it is no older than five blocks (or half a minute) at most, or while blocks come as they are made
   * though their clock says otherwise; a head that is stale is not. A recording's and a simulation's blocks are now when they come, at
   * whatever speed they come.
   */
  isPast(block: Block, head: Block | null, blockTimeSec: number): boolean {
    if (this.#source.kind !== 'rpc' || head === null) return false;
    if (!this.#pulse.isNow(head, blockTimeSec, this.#source.now())) return true;
    return (head.timestamp - block.timestamp) * 1_000 > patienceMs(blockTimeSec);
  }

  /** Whether what is known, up to `head`, is older than it should be. The end of a recording is no fault. */
  isStale(head: Block | null, blockTimeSec: number): boolean {
    return !this.#ended && (this.#problem !== null || this.isLate(head, blockTimeSec));
  }

  problem(head: Block | null, blockTimeSec: number): Problem | null {
    if (this.#problem !== null || head === null || !this.isLate(head, blockTimeSec)) return this.#problem;
    const since = new Date(head.timestamp * 1_000).toISOString();
    return { message: `no new block since ${since}`, retryAt: null };
  }
}
