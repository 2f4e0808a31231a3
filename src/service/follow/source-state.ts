import type { ChainSource } from '../../chain/chain-source.ts';
import type { Block } from '../../core/block.ts';
import { type ChainStatus, judgeStatus, type Problem } from '../../core/chain-status.ts';
import type { IngestedChain } from './ingested-chain.ts';

const LEAST_LATE_MS = 30_000;
const LATE_BLOCKS = 5;

type JudgedChain = Pick<IngestedChain, 'head' | 'blockTimeSec' | 'updateSec'>;

/** State of the block source: whether it responds, whether blocks still come, whether it has ended. */
export class SourceState {
  readonly #source: Pick<ChainSource, 'kind' | 'now' | 'health'>;
  readonly #chain: () => JudgedChain;
  #lastAt = Number.NEGATIVE_INFINITY;
  #problem: Problem | null = null;
  hasEnded = false;
  #hasBeenAway = false;
  #hasBacklog = false;
  /** Until the source has responded, any block counts as awaited: the head from the store stays valid. */
  #awaited: { readonly number: number; readonly until: number } | null = null;
  #backlogEnd = -1;

  constructor(source: Pick<ChainSource, 'kind' | 'now' | 'health'>, chain: () => JudgedChain) {
    this.#source = source;
    this.#chain = chain;
  }

  /** The blocks that come right after this are a backlog: they were made while none were received. */
  begin(): void {
    this.#lastAt = this.#source.now();
    this.#hasBeenAway = false;
    this.#hasBacklog = true;
  }

  /** All stored blocks are from the last run, and the source was not contacted yet. */
  expect(): void {
    this.#awaited = { number: Number.POSITIVE_INFINITY, until: Number.POSITIVE_INFINITY };
  }

  /** The source has responded: its blocks beyond the head must come within a block time. */
  responded(): void {
    const { head } = this.#chain();
    const newest = head && this.#newestSaid(head);
    const isAhead = head !== null && newest !== null && newest > head.number;
    this.#awaited = isAhead ? { number: newest, until: this.#source.now() + this.#lateAfterMs } : null;
  }

  /** Whether the head is from the last run: until the source has responded and its blocks are ingested. */
  get isCatchingUp(): boolean {
    const { head } = this.#chain();
    if (this.hasEnded || this.#problem !== null || head === null || this.#awaited === null) return false;
    if (this.#source.kind === 'replay') return false;
    return head.number < this.#awaited.number && this.#source.now() <= this.#awaited.until;
  }

  endBacklogAt({ number }: Block): void {
    this.#backlogEnd = number;
  }

  note(block: Block): void {
    if (this.#hasBeenAway) this.begin();
    const { head: before, blockTimeSec } = this.#chain();
    const now = this.#source.now();
    const spacing = blockTimeSec * 1_000;
    const step = before === null ? spacing : Math.max(block.timestamp - before.timestamp, 0) * 1_000;
    // Blocks of a backlog come faster than they were made.
    const comesInPace = now - this.#lastAt >= Math.max(step, spacing) / 2;
    this.#lastAt = now;
    // A late head shows that the present is not reached: a page of a fast chain's backlog may follow a pause, too.
    if (comesInPace && before !== null && !this.isLate(before)) this.#hasBacklog = false;
    // Blocks after the backlog are not late, even where a reorg brings one of its numbers again.
    this.#backlogEnd = this.#hasBacklog ? block.number : Math.min(this.#backlogEnd, block.number - 1);
    if (this.#awaited !== null && block.number >= this.#awaited.number) this.#awaited = null;
    this.#problem = null;
  }

  fail(problem: Problem): void {
    this.#hasBeenAway = true;
    this.#awaited = null;
    this.#problem = problem;
  }

  heal(): void {
    this.#problem = null;
  }

  /** A recording that was moved back goes on after its end. */
  resume(): void {
    this.hasEnded = false;
  }

  end(): void {
    this.hasEnded = true;
    this.#problem = null;
  }

  isLate(head: Block | null): boolean {
    return this.#lagMs(head) > this.#lateAfterMs;
  }

  /** How long a block may be overdue before notifications are late. */
  get #lateAfterMs(): number {
    return Math.max(LATE_BLOCKS * this.#chain().blockTimeSec * 1_000, LEAST_LATE_MS);
  }

  /** How far the head is behind the present. A recording's clock runs far ahead of one process. */
  #lagMs(head: Block | null): number {
    if (this.hasEnded || head === null || this.#source.kind === 'replay') return 0;
    return this.#source.now() - head.timestamp * 1_000;
  }

  /**
   * Whether `block` came too late to notify of its price; a rule of alerts, whatever the status of the prices is.
   * - Of a backlog, as after a downtime or a gap, all blocks but the newest are late.
   * - If the head is too old by its own time, all blocks are late.
   * - Otherwise a block is timely while it is at most five blocks (or half a minute) older than the head.
   * - Blocks of a recording or a simulation are never late.
   */
  isTooLate(block: Block): boolean {
    const { head } = this.#chain();
    if (this.#source.kind !== 'rpc' || head === null) return false;
    // During a backlog the node may have announced a higher block than the head.
    const newest = this.#hasBacklog ? this.#newestSaid(head) : head.number;
    if (block.number <= this.#backlogEnd && block.number < newest) return true;
    return this.isLate(head) || (head.timestamp - block.timestamp) * 1_000 > this.#lateAfterMs;
  }

  /** The highest block that a usable node has named, at least the head. */
  #newestSaid(head: Block): number {
    const said = this.#source.health().filter(({ state }) => state === 'ok' || state === 'lagging');
    return Math.max(head.number, ...said.map((node) => node.head ?? -1));
  }

  /** Whether the prices of the head are those of now; `now` is the source's own clock. */
  get status(): ChainStatus {
    const { head, updateSec } = this.#chain();
    const hasAge = head !== null && this.#source.kind !== 'replay';
    const status = judgeStatus(
      {
        isEnded: this.hasEnded,
        isCatchingUp: this.isCatchingUp,
        problem: this.#problem,
        headAt: hasAge ? head.timestamp * 1_000 : null,
        updateSec,
      },
      this.#source.now(),
    );
    if (status.kind !== 'stale' || this.#problem !== null) return status;
    const syncing = this.#source.health().find((node) => node.isSyncing);
    return syncing ? { ...status, reason: `${syncing.name} is ${syncing.message}` } : status;
  }
}
