import type { MetamaskSuggestedFees } from '../../../contract/compat.ts';
import { tipAt } from '../../../core/block.ts';
import type { PublishedChain } from '../../published-chain.ts';
import { gasCurrent, gasTrend } from '../gas.ts';
import { integerOrNull } from '../wire.ts';
import { gweiText } from './gwei.ts';

const TRENDS = { RISING: 'up', FALLING: 'down', STABLE: 'level' } as const;

/**
 * MetaMask's `suggestedGasFees` (https://docs.metamask.io/services/reference/gas-api/api-reference/gasprices-type2). Its congestion is where
 * the base fee stands among those of the past, as ours of 24 h. The least wait and the trend of tips are `null`: not measured.
 */
export function metamaskSuggestedFees(present: PublishedChain): MetamaskSuggestedFees {
  const { lanes, nextBasePrice } = gasCurrent(present);
  const { base, priority, percentileRank24h, direction } = gasTrend(present);
  const fees = ({ maxPriorityFeePerGas, maxFeePerGas, waitSec }: typeof lanes.slow) => ({
    suggestedMaxPriorityFeePerGas: gweiText(maxPriorityFeePerGas),
    suggestedMaxFeePerGas: gweiText(maxFeePerGas),
    minWaitTimeEstimate: null,
    maxWaitTimeEstimate: waitSec.p95 * 1_000,
  });
  const lowTip = integerOrNull(tipAt(present.head, 10));
  const highTip = integerOrNull(tipAt(present.head, 90));
  const areTipsKnown = lanes.average.maxPriorityFeePerGas !== null;
  return {
    low: fees(lanes.slow),
    medium: fees(lanes.average),
    high: fees(lanes.fast),
    estimatedBaseFee: gweiText(nextBasePrice),
    networkCongestion: percentileRank24h,
    latestPriorityFeeRange: range(lowTip, highTip),
    historicalPriorityFeeRange: areTipsKnown ? range(priority.min, priority.max) : null,
    historicalBaseFeeRange: range(base.min, base.max),
    priorityFeeTrend: null,
    baseFeeTrend: TRENDS[direction],
  };
}

function range(least: number | null, most: number | null): [string, string] | null {
  const [from, to] = [gweiText(least), gweiText(most)];
  return from === null || to === null ? null : [from, to];
}
