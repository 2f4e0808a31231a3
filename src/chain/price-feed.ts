import type { Hex } from '../core/block.ts';
import type { ChainProfile } from '../core/chains.ts';
import type { ChainSource } from './chain-source.ts';

/** One price of a Chainlink feed. */
interface FeedRound {
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
  return { answer: BigInt.asIntN(256, answer), updatedAt: Number(updatedAt) };
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
export function createPriceFeed({
  source,
  chain: { usdFeed },
  now,
}: {
  readonly source: Pick<ChainSource, 'call'>;
  readonly chain: ChainProfile;
  /** ms since epoch */
  readonly now: () => number;
}): PriceFeed {
  if (usdFeed === undefined) return { nativeUsd: async () => null };
  const { address: to, heartbeatSec } = usdFeed;
  const longestSec = heartbeatSec + INCLUSION_SEC;
  let decimals: number | null = null;
  let latest: { readonly round: Promise<FeedRound | null>; readonly at: number } | null = null;

  const readLatest = async (): Promise<FeedRound | null> => {
    try {
      decimals ??= decodeDecimals(await source.call({ to, data: DECIMALS }));
      return decodeRound(await source.call({ to, data: LATEST_ROUND_DATA }));
    } catch {
      // The price is optional: screens show "unknown", and the source's health tells the rest.
      return null;
    }
  };
  return {
    nativeUsd: async () => {
      // A clock may be set back.
      if (latest === null || Math.abs(now() - latest.at) >= KEEP_MS)
        latest = { round: readLatest(), at: now() };
      const round = await latest.round;
      if (round === null || decimals === null || round.answer <= 0n) return null;
      // The feed's clock and ours may differ either way.
      if (Math.abs(now() / 1_000 - round.updatedAt) > longestSec) return null;
      const usd = Number(round.answer) / 10 ** decimals;
      return { usd, validUntil: (round.updatedAt + longestSec) * 1_000 };
    },
  };
}
