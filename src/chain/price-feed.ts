import type { Hex } from '../core/block.ts';
import type { ChainProfile } from '../core/chains.ts';
import type { ChainSource } from './chain-source.ts';

/** Selectors of Chainlink's AggregatorV3Interface (https://docs.chain.link/data-feeds/api-reference). */
const LATEST_ROUND_DATA: Hex = '0xfeaf968c';
const DECIMALS: Hex = '0x313ce567';

const KEEP_MS = 60_000;
/** A feed may be late by half its heartbeat before its price counts as old: updates wait for gas too. */
const GRACE = 1.5;

export interface PriceFeed {
  /** Dollars for one native coin; `null` where there is no feed, it is stale or it cannot be read. Never rejects. */
  nativeUsd(): Promise<number | null>;
}

/** Reads the chain's native-coin/USD feed through the source's own nodes, at most once a minute. */
export function createPriceFeed(options: {
  readonly source: Pick<ChainSource, 'call'>;
  readonly chain: ChainProfile;
  /** ms since epoch */
  readonly now: () => number;
}): PriceFeed {
  const { source, chain, now } = options;
  let kept: { readonly price: Promise<number | null>; readonly at: number } | null = null;
  let decimals: number | null = null;

  async function read(feed: NonNullable<ChainProfile['usdFeed']>): Promise<number | null> {
    try {
      decimals ??= decodeDecimals(await source.call({ to: feed.address, data: DECIMALS }));
      const round = decodeLatestRoundData(await source.call({ to: feed.address, data: LATEST_ROUND_DATA }));
      if (decimals === null || round === null || round.answer <= 0n) return null;
      const ageSec = now() / 1_000 - round.updatedAt;
      if (Math.abs(ageSec) > feed.heartbeatSec * GRACE) return null;
      return Number(round.answer) / 10 ** decimals;
    } catch {
      // A price is a nicety: whoever shows it says "unknown", and the source's health tells the rest.
      return null;
    }
  }

  return {
    nativeUsd: () => {
      if (!chain.usdFeed) return Promise.resolve(null);
      if (kept === null || Math.abs(now() - kept.at) >= KEEP_MS) {
        kept = { price: read(chain.usdFeed), at: now() };
      }
      return kept.price;
    },
  };
}

/**
 * The ABI-encoded answer of `latestRoundData()`: `(uint80 roundId, int256 answer, uint256 startedAt,
 * uint256 updatedAt, uint80 answeredInRound)`; `null` where it is not that. `updatedAt` in unix seconds.
 */
export function decodeLatestRoundData(data: Hex): { answer: bigint; updatedAt: number } | null {
  const words = wordsOf(data);
  const [, answer, , updatedAt] = words;
  if (words.length !== 5 || answer === undefined || updatedAt === undefined) return null;
  if (updatedAt > BigInt(Number.MAX_SAFE_INTEGER)) return null;
  return { answer: BigInt.asIntN(256, answer), updatedAt: Number(updatedAt) };
}

function decodeDecimals(data: Hex): number | null {
  const [decimals, ...rest] = wordsOf(data);
  return decimals === undefined || rest.length > 0 || decimals > 36n ? null : Number(decimals);
}

function wordsOf(data: Hex): bigint[] {
  if (!/^0x(?:[0-9a-fA-F]{64})+$/.test(data)) return [];
  return (data.slice(2).match(/.{64}/g) ?? []).map((word) => BigInt(`0x${word}`));
}
