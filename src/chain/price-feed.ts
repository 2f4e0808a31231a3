import type { Hex } from '../core/block.ts';
import type { ChainProfile } from '../core/chains.ts';
import type { ChainSource } from './chain-source.ts';
import { decodeDecimals, decodeRound, type FeedRound } from './feed-round.ts';
import { RoundFinder } from './find-round.ts';

/** Selectors of Chainlink's AggregatorV3Interface (https://docs.chain.link/data-feeds/api-reference). */
const LATEST_ROUND_DATA: Hex = '0xfeaf968c';
const GET_ROUND_DATA: Hex = '0x9a6fc8f5';
const DECIMALS: Hex = '0x313ce567';

const KEEP_MS = 60_000;
/** When the heartbeat is due an update is only sent; it still has to be included. */
const INCLUSION_SEC = 120;

/** Dollars for one native coin. */
export interface UsdPrice {
  readonly usd: number;
  /** Ms since epoch: past it the feed's heartbeat is over and the price counts as old. */
  readonly validUntil: number;
}

export interface PriceFeed {
  /** The present price; `null` where there is no feed, it is past its heartbeat or cannot be read. Never rejects. */
  nativeUsd(): Promise<UsdPrice | null>;
  /**
   * Dollars for one native coin at an earlier moment (Unix seconds): what the feed said then, if it was not past its
   * heartbeat then either. `null` where that is not to be had. The first question of a kind takes some ten calls,
   * later ones few. Never rejects.
   */
  nativeUsdAt(timestampSec: number): Promise<number | null>;
}

/** Reads the chain's native-coin/USD feed through the source's own nodes; the present price at most once a minute. */
export function createPriceFeed(options: {
  readonly source: Pick<ChainSource, 'call'>;
  readonly chain: ChainProfile;
  /** ms since epoch */
  readonly now: () => number;
}): PriceFeed {
  const { usdFeed } = options.chain;
  if (usdFeed === undefined) return { nativeUsd: async () => null, nativeUsdAt: async () => null };
  return new ChainlinkFeed(options.source, usdFeed, options.now);
}

class ChainlinkFeed implements PriceFeed {
  readonly #source: Pick<ChainSource, 'call'>;
  readonly #feed: NonNullable<ChainProfile['usdFeed']>;
  readonly #now: () => number;
  readonly #finder: RoundFinder;
  #decimals: number | null = null;
  #latest: { readonly round: Promise<FeedRound | null>; readonly at: number } | null = null;
  /** Searches wait for each other: the next one finds most of its rounds known. */
  #searching: Promise<unknown> = Promise.resolve();
  #searchFailedAt = Number.NEGATIVE_INFINITY;

  constructor(
    source: Pick<ChainSource, 'call'>,
    feed: NonNullable<ChainProfile['usdFeed']>,
    now: () => number,
  ) {
    this.#source = source;
    this.#feed = feed;
    this.#now = now;
    this.#finder = new RoundFinder(async (id) =>
      decodeRound(await this.#call(`${GET_ROUND_DATA}${id.toString(16).padStart(64, '0')}`)),
    );
  }

  async nativeUsd(): Promise<UsdPrice | null> {
    const round = await this.#readLatest();
    if (round === null) return null;
    const usd = this.#dollars(round, this.#now() / 1_000);
    return usd === null ? null : { usd, validUntil: (round.updatedAt + this.#longestSec) * 1_000 };
  }

  nativeUsdAt(timestampSec: number): Promise<number | null> {
    const found = this.#searching.then(() => this.#search(timestampSec));
    this.#searching = found;
    return found;
  }

  async #search(timestampSec: number): Promise<number | null> {
    const now = this.#now();
    if (timestampSec > now / 1_000 || this.#isRecent(this.#searchFailedAt)) return null;
    try {
      const latest = await this.#readLatest();
      const round = latest && (await this.#finder.at(timestampSec, latest, this.#longestSec));
      return round && this.#dollars(round, timestampSec);
    } catch {
      this.#searchFailedAt = now;
      return null;
    }
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
      // A price is a nicety: whoever shows it says "unknown", and the source's health tells the rest.
      return null;
    }
  }

  #call(data: Hex): Promise<Hex> {
    return this.#source.call({ to: this.#feed.address, data });
  }

  /** A round's price, if it was in force at `atSec`; the feed's clock and ours may differ either way. */
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
