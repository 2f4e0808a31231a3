import { isDevelopmentChain } from '../chains.ts';

/** About five minutes: no mainnet reorg since the Merge was deeper than seven blocks. */
const ETHEREUM = 12;
const SLOWEST_SEC = 12;
const LONGEST = 64;

/**
 * How many blocks must have a transaction, its own included, before what became of it is final: a dozen of Ethereum's, as
 * much time on quicker chains (at most 64 blocks), one on a chain for development.
 */
export function confirmationsOf(chain: {
  readonly id: number;
  readonly feeRule: { readonly blockTimeSec: number };
}): number {
  if (isDevelopmentChain(chain.id)) return 1;
  return Math.min(
    LONGEST,
    Math.max(ETHEREUM, Math.round((ETHEREUM * SLOWEST_SEC) / chain.feeRule.blockTimeSec)),
  );
}
