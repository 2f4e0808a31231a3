import { decodeAbiParameters, encodeAbiParameters, numberToHex, parseAbiParameters } from 'viem/utils';
import type { Hex } from '../core/block.ts';
import type { ChainProfile } from '../core/chains.ts';
import type { ChainSource } from './chain-source.ts';

/** `latestRoundData()` of Chainlink's AggregatorV3Interface (https://docs.chain.link/data-feeds/api-reference). */
const ROUND = parseAbiParameters('uint80, int256 answer, uint256, uint256 updatedAt, uint80');
/** Selectors of `decimals()` and `latestRoundData()`. */
const DECIMALS = '0x313ce567';
const LATEST = '0xfeaf968c';
const MOST_DECIMALS = 36;

const KEEP_MS = 60_000;
/** At the heartbeat an update is only sent; it still has to be included. */
const INCLUSION_SEC = 120;

export type PriceFeed = ReturnType<typeof createPriceFeed>;
/** Dollars for one native coin. */
export type UsdPrice = NonNullable<Awaited<ReturnType<PriceFeed['nativeUsd']>>>;

/** Read through the source's nodes, at most once a minute; `validUntil`: ms since epoch. `null` when unknown. Never rejects. */
export function createPriceFeed(
  source: Pick<ChainSource, 'call'>,
  { usdFeed }: ChainProfile,
  /** Wall clock, ms. */
  now: () => number,
): { nativeUsd(): Promise<{ readonly usd: number; readonly validUntil: number } | null> } {
  if (usdFeed === undefined) return { nativeUsd: async () => null };
  const { address: to, heartbeatSec } = usdFeed;
  const longestSec = heartbeatSec + INCLUSION_SEC;
  let latest: { readonly round: ReturnType<typeof readLatest>; readonly at: number } | null = null;

  const readLatest = async () => {
    try {
      const decimals = await source.call({ to, data: DECIMALS });
      const round = decodeAbiParameters(ROUND, await source.call({ to, data: LATEST }));
      // The contract behind a feed may be replaced between two requests: an answer in other decimals is another price.
      if ((await source.call({ to, data: DECIMALS })) !== decimals) return null;
      const [, answer, , updatedAt] = round;
      return { answer, updatedAt: Number(updatedAt), decimals: Number(decimals) };
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
      if (round === null || round.answer <= 0n) return null;
      if (!(round.decimals <= MOST_DECIMALS)) return null;
      // The feed's clock and ours may differ either way.
      if (Math.abs(now() / 1_000 - round.updatedAt) > longestSec) return null;
      const usd = Number(round.answer) / 10 ** round.decimals;
      return { usd, validUntil: (round.updatedAt + longestSec) * 1_000 };
    },
  };
}

const USUAL_DECIMALS = 8;

/** What a feed of that price answers to a call; `updatedAt`: Unix seconds. */
export function feedAnswer(data: Hex, usd: number, updatedAt: number): Hex {
  if (data === DECIMALS) return numberToHex(USUAL_DECIMALS, { size: 32 });
  if (data !== LATEST) return '0x';
  const [round, at] = [1n, BigInt(updatedAt)];
  return encodeAbiParameters(ROUND, [round, BigInt(Math.round(usd * 10 ** USUAL_DECIMALS)), at, at, round]);
}
