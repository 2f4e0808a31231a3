/** Lets `perSecond` requests through each second, and as many at once after a quiet one. */
export class TokenBucket {
  readonly #perSecond: number;
  readonly #size: number;
  #tokens: number;
  #filledAt: number;

  /** `now` in ms. */
  constructor(perSecond: number, now: number) {
    this.#perSecond = perSecond;
    // A plan of one request in ten seconds still lets that one through.
    this.#size = Math.max(1, perSecond);
    this.#tokens = this.#size;
    this.#filledAt = now;
  }

  /** Takes a token at `now` (ms); answers 0, or how many ms until there is one. */
  take(now: number): number {
    // A clock that was set back must not take tokens away.
    const passedMs = Math.max(0, now - this.#filledAt);
    this.#filledAt = now;
    this.#tokens = Math.min(this.#size, this.#tokens + (passedMs * this.#perSecond) / 1_000);
    // Tenths of ms add up to a hair less than a token.
    if (this.#tokens < 1 - 1e-9) return ((1 - this.#tokens) * 1_000) / this.#perSecond;
    this.#tokens -= 1;
    return 0;
  }
}
