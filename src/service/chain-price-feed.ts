import type { ChainSource } from '../chain/chain-source.ts';
import { createPriceFeed, type PriceFeed } from '../chain/price-feed.ts';
import type { ChainProfile } from '../core/chains.ts';

/** Where a chain's own feed of its coin's price is found: `null` until a node has said which chain it is, or for ever. */
export function chainPriceFeed(
  source: ChainSource,
  currentChain: () => ChainProfile | null,
  now: () => number,
): () => PriceFeed | null {
  let feed: PriceFeed | null = null;
  return () => {
    const chain = currentChain();
    if (chain?.usdFeed === undefined || source.kind !== 'rpc') return null;
    feed ??= createPriceFeed({ source, chain, now });
    return feed;
  };
}
