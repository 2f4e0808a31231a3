import type { PriceFeed, UsdPrice } from '../chain/price-feed.ts';
import { abortable, sleep } from './async.ts';

const REFRESH_MS = 60_000;
/** Until the chain and the leader are known there is no feed to request. */
const NO_FEED_MS = 100;

/** @param feed the chain's own feed; `null` while the chain is unknown, or without a feed */
export function createNativePrice(feed: () => PriceFeed | null, wallNow: () => number) {
  let price: UsdPrice | null = null;
  return {
    /** Dollars; `null` when the feed's heartbeat has passed, also while the node fails. */
    get usd(): number | null {
      return price !== null && wallNow() <= price.validUntil ? price.usd : null;
    },
    async run(signal: AbortSignal): Promise<void> {
      while (!signal.aborted) {
        const own = feed();
        if (own !== null) price = (await abortable(own.nativeUsd(), signal).catch(() => null)) ?? price;
        await sleep(own === null ? NO_FEED_MS : REFRESH_MS, signal);
      }
    },
  };
}
