import type { SnapshotView } from '../client/views/gas.ts';
import { chainProfile } from '../core/chains.ts';

/** Until the first answer. */
export const UNKNOWN_PACE_MS = 5_000;
/** A service that names no chain is asked as often as the one that most speak of has blocks. */
const MAINNET_PACE_MS = 12_000;
const FASTEST_MS = 500;
/** A chain's blocks may come faster than a service elsewhere wants to be asked. */
const FASTEST_GUESS_MS = 2_000;
const SLOWEST_MS = 3_600_000;

/** How often a service has something new, ms: its own word, else its chain's pace. */
export function polledEveryMs({ updateFrequencySec, chainId }: SnapshotView): number {
  if (updateFrequencySec !== null && updateFrequencySec > 0) {
    return Math.min(Math.max(updateFrequencySec * 1_000, FASTEST_MS), SLOWEST_MS);
  }
  if (chainId === null) return MAINNET_PACE_MS;
  return Math.max(chainProfile(chainId).feeRule.blockTimeSec * 1_000, FASTEST_GUESS_MS);
}
