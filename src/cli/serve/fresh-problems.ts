/** A problem that was not heard of for so long was over meanwhile; whatever is tried again is tried more often. */
const OVER_AFTER_MS = 60_000;

/** Tells a change from what is only told again: a node that is away is asked, and fails, every few seconds. */
export class FreshProblems {
  readonly #now: () => number;
  /** When each was last heard of. */
  readonly #heard = new Map<string, number>();

  /** `now` in ms since epoch. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Whether `error` says something that was not said already, or is back after it was over. */
  has(error: unknown): boolean {
    const now = this.#now();
    for (const [said, at] of this.#heard) {
      if (now - at > OVER_AFTER_MS) this.#heard.delete(said);
    }
    const says = error instanceof Error ? `${error.name} ${error.message}` : String(error);
    const isFresh = !this.#heard.has(says);
    this.#heard.set(says, now);
    return isFresh;
  }
}
