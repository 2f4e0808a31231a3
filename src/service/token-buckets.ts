export interface Rate {
  /** How many each second allows. */
  readonly perSecond: number;
  /** How many are allowed at once after a pause; default: those of a second, at least one. */
  readonly burst?: number;
}

/** More callers than this are not told apart for long: the one that came last the longest ago begins anew. */
const CALLERS_MOST = 10_000;

/** Limits how often each caller may do something, in memory. */
export class TokenBuckets {
  readonly #now: () => number;
  readonly #buckets = new Map<
    string,
    { readonly rate: Rate; readonly tokens: number; readonly at: number }
  >();

  /** @param now ms; a clock that is set back neither gives nor takes tokens. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Takes `count` tokens of the caller and returns 0; or takes none and returns when they are there, in ms. */
  take(caller: string, rate: Rate, count = 1): number {
    const { perSecond, burst = Math.max(1, perSecond) } = rate;
    const at = this.#now();
    const last = this.#buckets.get(caller);
    const passedMs =
      last !== undefined && isSameRate(last.rate, rate)
        ? Math.max(0, at - last.at)
        : Number.POSITIVE_INFINITY;
    const tokens = Math.min(burst, (last?.tokens ?? 0) + (passedMs * perSecond) / 1_000);
    // Rounding: tenths of ms may add up to slightly less than a token.
    const isTooFast = tokens < count - 1e-9;
    this.#buckets.delete(caller);
    this.#buckets.set(caller, { rate, at, tokens: isTooFast ? tokens : tokens - count });
    if (this.#buckets.size > CALLERS_MOST) {
      const [oldest = caller] = this.#buckets.keys();
      this.#buckets.delete(oldest);
    }
    return isTooFast ? ((count - tokens) * 1_000) / perSecond : 0;
  }

  giveBack(caller: string, rate: Rate, count: number): void {
    this.take(caller, rate, -count);
  }
}

const isSameRate = (one: Rate, other: Rate) => one.perSecond === other.perSecond && one.burst === other.burst;
