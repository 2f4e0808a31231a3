import type { PriceFeed } from '../../src/chain/price-feed.ts';

/** A feed that says `usd` now, and `earlier` of any moment before; it never gets old. */
export function fixedPrice(usd: number | null, earlier: number | null = null): PriceFeed {
  return {
    nativeUsd: async () => (usd === null ? null : { usd, validUntil: Number.POSITIVE_INFINITY }),
    nativeUsdAt: async () => earlier,
  };
}
