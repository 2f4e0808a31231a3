import type { PriceFeed, UsdPrice } from '../chain/price-feed.ts';
import { abortable, sleep } from './async.ts';

const REFRESH_MS = 60_000;
/** Until the chain and the leader are known there is no feed to request. */
const NO_FEED_MS = 100;

export class NativePrice {
  #price: UsdPrice | null = null;
  readonly #feed: () => PriceFeed | null;
  readonly #wallNow: () => number;

  /** @param feed the chain's own feed; `null` while the chain is unknown, or without a feed */
  constructor(feed: () => PriceFeed | null, wallNow: () => number) {
    this.#feed = feed;
    this.#wallNow = wallNow;
  }

  /** Dollars; `null` when the feed's heartbeat has passed, also while the node fails. */
  get usd(): number | null {
    return this.#price !== null && this.#wallNow() <= this.#price.validUntil ? this.#price.usd : null;
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const feed = this.#feed();
      if (feed === null) {
        await sleep(NO_FEED_MS, signal);
        continue;
      }
      const price = await abortable(feed.nativeUsd(), signal).catch(() => null);
      if (price !== null && Number.isFinite(price.usd) && price.usd >= 0) this.#price = price;
      await sleep(REFRESH_MS, signal);
    }
  }
}
