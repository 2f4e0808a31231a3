import type { PriceFeed } from '../chain/price-feed.ts';
import { abortable } from './abortable.ts';
import { sleep } from './sleep.ts';

const REFRESH_MS = 60_000;
/** Until the chain is known there is no feed to ask. */
const NO_FEED_MS = 1_000;
/** A price is shown through short outages of its feed, not longer. */
const KEEP_MS = 3_600_000;

/** The native coin's price, asked for once a minute. */
export class NativePrice {
  #usd: number | null = null;
  #at = 0;
  readonly #wallNow: () => number;

  constructor(wallNow: () => number) {
    this.#wallNow = wallNow;
  }

  get usd(): number | null {
    return this.#wallNow() - this.#at <= KEEP_MS ? this.#usd : null;
  }

  /** Resolves when the signal aborts; never rejects. */
  async run(currentFeed: () => PriceFeed | null, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const feed = currentFeed();
      if (feed === null) {
        await sleep(NO_FEED_MS, signal);
        continue;
      }
      const usd = await abortable(feed.nativeUsd(), signal).catch(() => null);
      if (usd !== null && Number.isFinite(usd) && usd >= 0) {
        this.#usd = usd;
        this.#at = this.#wallNow();
      }
      await sleep(REFRESH_MS, signal);
    }
  }
}
