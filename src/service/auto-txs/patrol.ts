import type { Hex } from '../../core/block.ts';

/** A sender is looked at no more often than this. */
const ROUND_MS = 60_000;
/** A question for each: two a second are no load to a node. */
const SPACE_MS = 500;
const MOST_AT_ONCE = 8;

/**
 * Goes round the senders of what waits, slowly: whose nonce was used elsewhere, or whose account has funds now, nobody tells.
 */
export class Patrol {
  readonly #sendersAfter: (after: string, limit: number) => Promise<readonly Hex[]>;
  readonly #steadyNow: () => number;
  /** The last one of this round; `null`: the round is over. */
  #after: string | null = null;
  #beganAt = Number.NEGATIVE_INFINITY;
  #wentAt: number;

  /** @param sendersAfter the next senders in their order */
  constructor(
    sendersAfter: (after: string, limit: number) => Promise<readonly Hex[]>,
    steadyNow: () => number,
  ) {
    this.#sendersAfter = sendersAfter;
    this.#steadyNow = steadyNow;
    this.#wentAt = steadyNow();
  }

  /** Those whose turn it is now. */
  async next(): Promise<readonly Hex[]> {
    const now = this.#steadyNow();
    const limit = Math.min(Math.floor((now - this.#wentAt) / SPACE_MS), MOST_AT_ONCE);
    if (limit <= 0 || (this.#after === null && now - this.#beganAt < ROUND_MS)) return [];
    if (this.#after === null) this.#beganAt = now;
    this.#wentAt = now;
    const senders = await this.#sendersAfter(this.#after ?? '', limit);
    this.#after = senders.length < limit ? null : (senders.at(-1) ?? null);
    return senders;
  }
}
