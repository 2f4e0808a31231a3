/**
 * Code of a contract that answers as a Chainlink feed with one round would: for `anvil_setCode` at the address of a
 * chain's own feed (see `ChainProfile.usdFeed`), on an anvil that was started with that chain's id.
 */
export function feedCode({ usd, updatedAt, roundId = 1n }: FeedAnswer): `0x${string}` {
  const words = [roundId, BigInt(Math.round(usd * 1e8)), BigInt(updatedAt), BigInt(updatedAt), roundId];
  const data = words.map((word) => word.toString(16).padStart(64, '0')).join('');
  return `0x${DISPATCH}${LATEST_ROUND}${EIGHT_DECIMALS}${data}`;
}

interface FeedAnswer {
  readonly usd: number;
  /** Unix seconds. */
  readonly updatedAt: number;
  readonly roundId?: bigint;
}

/** `decimals()` (0x313ce567) jumps to byte 28; whatever else is asked falls through. */
const DISPATCH = '60003560e01c8063313ce56714601c57';
/** Returns the 160 bytes that begin at byte 39, behind the code. */
const LATEST_ROUND = '60a06027600039' + '60a06000f3';
const EIGHT_DECIMALS = '5b600860005260206000f3';
