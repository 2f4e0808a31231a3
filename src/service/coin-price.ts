import { abortable, sleep } from '../chain/async.ts';
import type { ChainSource } from '../chain/chain-source.ts';
import { createPriceFeed, type PriceFeed, type UsdPrice } from '../chain/price-feed.ts';
import type { ChainProfile } from '../core/chains.ts';
import type { Lease } from './lease.ts';
import type { CoinPrice } from './published-chain.ts';
import { isoFromMs } from './responses/wire.ts';

const REFRESH_MS = 60_000;
/** Until the chain and the leader are known there is no feed to request. */
const NO_FEED_MS = 100;

interface CoinPriceParts {
  readonly source: ChainSource;
  readonly lease: Pick<Lease, 'mayWrite' | 'state' | 'leaderReport'>;
  readonly profile: () => ChainProfile | null;
  /** Default: the chain's own feed. */
  readonly given?: PriceFeed | undefined;
  readonly wallNow: () => number;
}

/** Dollars for the coin, read once a minute; a standby has them from the leader, so that nodes get one request. */
export function createCoinPrice({ source, lease, profile, given, wallNow }: CoinPriceParts) {
  let ownFeed: PriceFeed | null = null;
  let price: UsdPrice | null = null;
  const asked = Promise.withResolvers<void>();
  const feed = (): PriceFeed | null => {
    const chain = profile();
    if (chain?.usdFeed !== undefined && source.kind !== 'replay')
      ownFeed ??= createPriceFeed(source, chain, wallNow);
    return lease.mayWrite ? (given ?? ownFeed) : null;
  };
  const isOutdated = ({ validUntil }: UsdPrice) => wallNow() > validUntil;
  const usd = () => (price === null || isOutdated(price) ? null : price.usd);
  const whyNone = () =>
    price !== null && isOutdated(price)
      ? `the dollar price is outdated since ${isoFromMs(price.validUntil)}`
      : `no dollar price of ${profile()?.nativeSymbol ?? 'the coin'}`;
  return {
    /** As this process has read it; `null` when the feed's heartbeat has passed, also while the node fails. */
    usd,
    /** Resolves once the feed was read for the first time, also where that failed; at once without a feed. */
    asked: () => (feed() === null ? Promise.resolve() : asked.promise),
    read(): CoinPrice {
      const nativeUsd = lease.state === 'stands-by' ? (lease.leaderReport?.nativeUsd ?? null) : usd();
      return { nativeUsd, ...(nativeUsd === null && { nativeUsdReason: whyNone() }) };
    },
    async run(signal: AbortSignal): Promise<void> {
      while (!signal.aborted) {
        const own = feed();
        if (own !== null) price = (await abortable(own.nativeUsd(), signal).catch(() => null)) ?? price;
        if (own !== null) asked.resolve();
        await sleep(own === null ? NO_FEED_MS : REFRESH_MS, signal);
      }
    },
  };
}
