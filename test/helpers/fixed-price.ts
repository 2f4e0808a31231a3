import type { PriceFeed } from '../../src/chain/price-feed.ts';

export function fixedPrice(usd: number | null): PriceFeed {
  return {
    nativeUsd: async () => (usd === null ? null : { usd, validUntil: Number.POSITIVE_INFINITY }),
  };
}
