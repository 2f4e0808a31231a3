import type { Hex } from '../core/block.ts';
import type { ChainProfile } from '../core/chains.ts';
import type { ChainSource } from './chain-source.ts';

/** One price of a Chainlink feed. */
interface FeedRound {
  /** The proxy's id: the phase (which aggregator wrote it) above 64 bits of the aggregator's own round. */
  readonly id: bigint;
  /** Dollars × 10^decimals. */
  readonly answer: bigint;
  /** Unix seconds. */
  readonly updatedAt: number;
}

/**
 * The ABI-encoded answer of `latestRoundData()` and `getRoundData(uint80)`: `(uint80 roundId, int256 answer,
 * uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)`; `null` where it is not that.
 */
export function decodeRound(data: Hex): FeedRound | null {
  const words = wordsOf(data);
  const [id, answer, , updatedAt] = words;
  if (words.length !== 5 || id === undefined || answer === undefined || updatedAt === undefined) return null;
  if (updatedAt > BigInt(Number.MAX_SAFE_INTEGER) || id >= 1n << 80n) return null;
  return { id, answer: BigInt.asIntN(256, answer), updatedAt: Number(updatedAt) };
}

/** The answer of `decimals()`; `null` where it is not that. */
function decodeDecimals(data: Hex): number | null {
  const [decimals, ...rest] = wordsOf(data);
  return decimals === undefined || rest.length > 0 || decimals > 36n ? null : Number(decimals);
}

function wordsOf(data: Hex): bigint[] {
  if (!/^0x(?:[0-9a-fA-F]{64})+$/.test(data)) return [];
  return (data.slice(2).match(/.{64}/g) ?? []).map((word) => BigInt(`0x${word}`));
}

/** Rounds that one search may ask for; a phase of a million rounds needs about forty. */
const MOST_READS = 48;
/** Rounds that are remembered, so that the next search begins near its end. */
const REMEMBERED = 1_000;
const AGGREGATOR_BITS = 64n;

/**
 * Searches a feed's rounds by time. Rounds never change, so what was read stays known; only the phase of `latest`
 * is searched, since an older aggregator's rounds do not continue the new one's.
 *
 * @param read one round by its id; `null` or a rejection where the feed does not have it
 */
class RoundFinder {
  readonly #read: (id: bigint) => Promise<FeedRound | null>;
  readonly #known = new Map<bigint, FeedRound>();

  constructor(read: (id: bigint) => Promise<FeedRound | null>) {
    this.#read = read;
  }

  /**
   * The round in force at `timestampSec`: the last one written by then; `null` where the phase began later or the
   * search is too long. Rejects where a round cannot be read.
   *
   * @param spacingSec no two rounds are further apart: tells how far back to look at least
   */
  async at(timestampSec: number, latest: FeedRound, spacingSec: number): Promise<FeedRound | null> {
    this.#remember(latest);
    const first = ((latest.id >> AGGREGATOR_BITS) << AGGREGATOR_BITS) + 1n;
    let { before, after } = this.#bracket(timestampSec, latest, first);
    let step = BigInt(Math.max(1, Math.ceil((after.updatedAt - timestampSec) / spacingSec)));
    for (let reads = 0; after.updatedAt > timestampSec; reads++) {
      if (before?.id === after.id - 1n) return before;
      if (reads === MOST_READS || after.id === first) return null;
      const id = before ? (before.id + after.id) / 2n : max(first, after.id - step);
      const round = await this.#round(id);
      if (round.updatedAt <= timestampSec) before = round;
      else after = round;
      step *= 2n;
    }
    return after;
  }

  /** The nearest known rounds on either side; `before` only where one is known. */
  #bracket(timestampSec: number, latest: FeedRound, first: bigint) {
    let before: FeedRound | null = null;
    let after = latest;
    for (const round of this.#known.values()) {
      if (round.id < first || round.id > latest.id) continue;
      if (round.updatedAt > timestampSec) {
        if (round.id < after.id) after = round;
      } else if (before === null || round.id > before.id) before = round;
    }
    return { before, after };
  }

  async #round(id: bigint): Promise<FeedRound> {
    const known = this.#known.get(id);
    if (known) return known;
    const round = await this.#read(id);
    // Asked for a round that is not there, some aggregators answer zeros.
    if (round === null || round.id !== id || round.updatedAt === 0) throw new Error('no such round');
    this.#remember(round);
    return round;
  }

  #remember(round: FeedRound): void {
    if (this.#known.size >= REMEMBERED) this.#known.clear();
    this.#known.set(round.id, round);
  }
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

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
