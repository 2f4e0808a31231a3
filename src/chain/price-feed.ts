import { decodeFunctionResult, parseAbi } from 'viem/utils';
import type { Hex } from '../core/block.ts';
import type { ChainProfile } from '../core/chains.ts';
import type { ChainSource } from './chain-source.ts';

/** Chainlink's AggregatorV3Interface (https://docs.chain.link/data-feeds/api-reference). */
const FEED = parseAbi([
  'function latestRoundData() view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)',
  'function decimals() view returns (uint8)',
]);
const LATEST_ROUND_DATA: Hex = '0xfeaf968c';
const DECIMALS: Hex = '0x313ce567';
const MOST_DECIMALS = 36;

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
export function createPriceFeed(
  source: Pick<ChainSource, 'call'>,
  { usdFeed }: ChainProfile,
  /** Wall clock, ms. */
  now: () => number,
): PriceFeed {
  if (usdFeed === undefined) return { nativeUsd: async () => null };
  const { address: to, heartbeatSec } = usdFeed;
  const longestSec = heartbeatSec + INCLUSION_SEC;
  let decimals: number | null = null;
  let latest: { readonly round: ReturnType<typeof readLatest>; readonly at: number } | null = null;

  const readLatest = async () => {
    try {
      decimals ??= decodeFunctionResult({
        abi: FEED,
        functionName: 'decimals',
        data: await source.call({ to, data: DECIMALS }),
      });
      const data = await source.call({ to, data: LATEST_ROUND_DATA });
      const [, answer, , updatedAt] = decodeFunctionResult({
        abi: FEED,
        functionName: 'latestRoundData',
        data,
      });
      return { answer, updatedAt: Number(updatedAt) };
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
      if (round === null || decimals === null || decimals > MOST_DECIMALS || round.answer <= 0n) return null;
      // The feed's clock and ours may differ either way.
      if (Math.abs(now() / 1_000 - round.updatedAt) > longestSec) return null;
      const usd = Number(round.answer) / 10 ** decimals;
      return { usd, validUntil: (round.updatedAt + longestSec) * 1_000 };
    },
  };
}
