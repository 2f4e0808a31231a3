import { type ChainProfile, isDevelopmentChain } from '../../core/chains.ts';

/** A missed slot now and then is no other pace. */
const ABOUT = 0.1;
/** Who makes a block when there is something to put in says nothing of the next one by the ones before. */
const MOST_ON_DEMAND_SEC = 12;

/**
 * How often something new is to be expected, in seconds: the chain's own pace where it is not about what was planned, since
 * the plan for a chain that is not known here is Ethereum's.
 */
export function updateFrequencySec({ id, feeRule }: ChainProfile, blockSec: number): number {
  if (Math.abs(blockSec / feeRule.blockTimeSec - 1) <= ABOUT) return feeRule.blockTimeSec;
  const everySec = Number(blockSec.toPrecision(3));
  return isDevelopmentChain(id) ? Math.min(everySec, MOST_ON_DEMAND_SEC) : everySec;
}
