import type { Hex } from '../core/block.ts';
import type { ChainProfile } from '../core/chains.ts';
import type { ChainSource } from './chain-source.ts';

/** One price of a Chainlink feed. */
interface FeedRound {
  /** The proxy's id: the phase (number of the aggregator) above 64 bits of the aggregator's own round. */
  readonly id: bigint;
  /** Dollars × 10^decimals. */
  readonly answer: bigint;
  /** Unix seconds. */
  readonly updatedAt: number;
}

/**
 * The ABI-encoded result of `latestRoundData()`: `(uint80 roundId, int256 answer, uint256 startedAt, uint256
 * updatedAt, uint80 answeredInRound)`; `null` when it is invalid.
 */
export function decodeRound(data: Hex): FeedRound | null {
  const words = wordsOf(data);
  const [id, answer, , updatedAt] = words;
  if (words.length !== 5 || id === undefined || answer === undefined || updatedAt === undefined) return null;
  if (updatedAt > BigInt(Number.MAX_SAFE_INTEGER) || id >= 1n << 80n) return null;
  return { id, answer: BigInt.asIntN(256, answer), updatedAt: Number(updatedAt) };
}

/** The result of `decimals()`; `null` when it is invalid. */
function decodeDecimals(data: Hex): number | null {
  const [decimals, ...rest] = wordsOf(data);
  return decimals === undefined || rest.length > 0 || decimals > 36n ? null : Number(decimals);
}

function wordsOf(data: Hex): bigint[] {
  if (!/^0x(?:[0-9a-fA-F]{64})+$/.test(data)) return [];
  return (data.slice(2).match(/.{64}/g) ?? []).map((word) => BigInt(`0x${word}`));
}

/** Selectors of Chainlink's AggregatorV3Interface (https://docs.chain.link/data-feeds/api-reference). */
const LATEST_ROUND_DATA: Hex = '0xfeaf968c';
const DECIMALS: Hex = '0x313ce567';

const KEEP_MS = 60_000;
/** At the heartbeat an update is only sent; it still has to be included. */
const INCLUSION_SEC = 120;

/** Dollars for one native coin. */
export interface UsdPrice {
  readonly usd: number;
  /** Ms since epoch: afterwards the feed's heartbeat has passed and the price is stale. */
  readonly validUntil: number;
}

export interface PriceFeed {
  /** The present price; `null` without a feed, after its heartbeat or when it cannot be read. Never rejects. */
  nativeUsd(): Promise<UsdPrice | null>;
}

/** Reads the chain's native-coin/USD feed through the source's own nodes, at most once a minute. */
export function createPriceFeed(options: {
  readonly source: Pick<ChainSource, 'call'>;
  readonly chain: ChainProfile;
  /** ms since epoch */
  readonly now: () => number;
}): PriceFeed {
  const { usdFeed } = options.chain;
  if (usdFeed === undefined) return { nativeUsd: async () => null };
  return new ChainlinkFeed(options.source, usdFeed, options.now);
}

class ChainlinkFeed implements PriceFeed {
  readonly #source: Pick<ChainSource, 'call'>;
  readonly #feed: NonNullable<ChainProfile['usdFeed']>;
  readonly #now: () => number;
  #decimals: number | null = null;
  #latest: { readonly round: Promise<FeedRound | null>; readonly at: number } | null = null;

  constructor(
    source: Pick<ChainSource, 'call'>,
    feed: NonNullable<ChainProfile['usdFeed']>,
    now: () => number,
  ) {
    this.#source = source;
    this.#feed = feed;
    this.#now = now;
  }

  async nativeUsd(): Promise<UsdPrice | null> {
    const round = await this.#readLatest();
    if (round === null) return null;
    const usd = this.#dollars(round, this.#now() / 1_000);
    return usd === null ? null : { usd, validUntil: (round.updatedAt + this.#longestSec) * 1_000 };
  }

  #readLatest(): Promise<FeedRound | null> {
    if (this.#latest === null || !this.#isRecent(this.#latest.at)) {
      this.#latest = { round: this.#askLatest(), at: this.#now() };
    }
    return this.#latest.round;
  }

  async #askLatest(): Promise<FeedRound | null> {
    try {
      this.#decimals ??= decodeDecimals(await this.#call(DECIMALS));
      return decodeRound(await this.#call(LATEST_ROUND_DATA));
    } catch {
      // The price is optional: screens show "unknown", and the source's health tells the rest.
      return null;
    }
  }

  #call(data: Hex): Promise<Hex> {
    return this.#source.call({ to: this.#feed.address, data });
  }

  /** A round's price, if it was valid at `atSec`; the feed's clock and ours may differ either way. */
  #dollars({ answer, updatedAt }: FeedRound, atSec: number): number | null {
    if (this.#decimals === null || answer <= 0n || Math.abs(atSec - updatedAt) > this.#longestSec)
      return null;
    return Number(answer) / 10 ** this.#decimals;
  }

  get #longestSec(): number {
    return this.#feed.heartbeatSec + INCLUSION_SEC;
  }

  #isRecent(at: number): boolean {
    return Math.abs(this.#now() - at) < KEEP_MS;
  }
}
