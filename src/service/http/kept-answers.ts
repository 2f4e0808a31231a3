import type { EncodedAnswer } from './encoded-answer.ts';

/** A few megabytes: lists of many pages are asked for seldom. */
const MOST_BYTES = 2_000_000;

interface Kept {
  readonly answer: EncodedAnswer;
  readonly holds: () => boolean;
}

/** Answers that stay true for longer than it takes to ask again, each with what tells whether it still is. */
export class KeptAnswers {
  /** By path and query, the least recently kept first. */
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  /** The answer to `target`; `null` where there is none any more. */
  find(target: string): EncodedAnswer | null {
    const kept = this.#kept.get(target);
    if (kept === undefined) return null;
    if (kept.holds()) return kept.answer;
    this.#drop(target, kept);
    return null;
  }

  keep(target: string, answer: EncodedAnswer, holds: () => boolean): void {
    const before = this.#kept.get(target);
    if (before !== undefined) this.#drop(target, before);
    this.#kept.set(target, { answer, holds });
    this.#bytes += answer.bytes;
    for (const [oldest, kept] of this.#kept) {
      if (this.#bytes <= MOST_BYTES) break;
      this.#drop(oldest, kept);
    }
  }

  #drop(target: string, { answer }: Kept): void {
    this.#kept.delete(target);
    this.#bytes -= answer.bytes;
  }
}
