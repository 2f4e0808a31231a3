import { SPEED_OF_LANE } from '../../contract/choices.ts';
import type { StatsCurrent } from '../../contract/dashboard.ts';
import type { GasCurrent, GasRecommendation, GasTrend } from '../../contract/gas.ts';
import {
  ADVICE_VERSION,
  type Advice,
  type Lane,
  type Recommendation,
  type Summary,
} from '../../core/advice.ts';
import type { Block } from '../../core/block.ts';
import { type ChainProfile, updateFrequencySec } from '../../core/chains.ts';
import type { AdviceCount, AdviceScore } from '../../store/advice-track.ts';
import type { Problem } from '../follow/freshness.ts';
import { isoFromMs, isoFromSec, isoOrNull, weiOrNull, wireWei } from './wire.ts';

/** The present state, all of one block. */
export interface Present {
  readonly profile: ChainProfile;
  readonly head: Block;
  readonly advice: Advice;
  /** Results of past advice; `null`: not read yet. */
  readonly said: AdviceScore | null;
  /** Ms since epoch, wall clock. */
  readonly updatedAt: number;
  /** More history is being read. */
  readonly loading?: boolean;
  readonly stale: boolean;
  /** A recording that has ended. */
  readonly ended: boolean;
  /** When the chain restarted, ms since epoch; `null`: it did not. */
  readonly restartedAt: number | null;
  readonly problem: Problem | null;
  readonly source: { readonly kind: GasCurrent['source']['kind']; readonly name: string };
  readonly nativeUsd: number | null;
}

export function gasCurrent(present: Present): GasCurrent {
  const { profile, head, advice, problem } = present;
  const { slow, average, fast } = advice.lanes;
  const priority = average.price - advice.nextBaseFee;
  return {
    chainId: profile.id,
    blockNumber: head.number,
    blockTimestamp: isoFromSec(head.timestamp),
    lowPrice: wireWei(slow.price),
    averagePrice: wireWei(average.price),
    highPrice: wireWei(fast.price),
    basePrice: wireWei(head.baseFeePerGas),
    priorityPrice: wireWei(priority),
    nextBasePrice: wireWei(advice.nextBaseFee),
    floorPrice: weiOrNull(advice.floor),
    blobBasePrice: weiOrNull(head.blobBaseFee),
    gasUsedRatio: head.gasUsedRatio,
    lanes: { slow: laneOf(slow), average: laneOf(average), fast: laneOf(fast) },
    nativeUsd: present.nativeUsd,
    updatedAt: isoFromMs(present.updatedAt),
    updateFrequencySec: updateFrequencySec(profile, advice.blockSec),
    stale: present.stale,
    source: {
      kind: present.source.kind,
      name: present.source.name,
      problem: problem && { message: problem.message, retryAt: isoOrNull(problem.retryAt) },
      ended: present.ended,
      chainName: profile.name,
      restartedAt: isoOrNull(present.restartedAt),
    },
  };
}

function laneOf(lane: Lane): GasCurrent['lanes']['slow'] {
  return {
    price: wireWei(lane.price),
    maxFeePerGas: wireWei(lane.maxFeePerGas),
    maxPriorityFeePerGas: weiOrNull(lane.maxPriorityFeePerGas),
    withinBlocks: lane.withinBlocks,
    waitSec: lane.waitSec,
    probability: lane.probability,
    reason: lane.reason,
  };
}

export function gasTrend({ advice, updatedAt }: Present): GasTrend {
  const { trend } = advice;
  return {
    window: '1h',
    direction: trend.direction,
    changeRatio: trend.changeRatio,
    base: summaryOf(trend.base),
    priority: summaryOf(trend.priority),
    percentileRank24h: trend.percentileRank24h,
    congestion: trend.congestion,
    baseFeeFan: trend.baseFeeFan.map(({ blocksAhead, min, expected, max }) => ({
      blocksAhead,
      min: wireWei(min),
      expected: wireWei(expected),
      max: wireWei(max),
    })),
    updatedAt: isoFromMs(updatedAt),
  };
}

function summaryOf({ now, min, p25, median, p75, max }: Summary): GasTrend['base'] {
  return {
    now: wireWei(now),
    min: wireWei(min),
    p25: wireWei(p25),
    median: wireWei(median),
    p75: wireWei(p75),
    max: wireWei(max),
  };
}

/** `reach`: forecast for the requested price, if any. */
export function gasRecommendation(
  { advice, said, updatedAt, profile, loading = false }: Present,
  reach: GasRecommendation['reach'] = null,
): GasRecommendation {
  const { recommendation } = advice;
  return {
    action: recommendation.action,
    lane: SPEED_OF_LANE[recommendation.lane],
    targetPrice: wireWei(recommendation.targetPrice),
    expectedWaitSec: recommendation.expectedWaitSec,
    deadlineSec: recommendation.deadlineSec,
    probability: recommendation.probability,
    expectedSavingRatio: recommendation.expectedSavingRatio,
    confidence: recommendation.confidence,
    reasons:
      loading && recommendation.action === null
        ? ['no advice yet: history is loading, prices are provisional', ...recommendation.reasons.slice(1)]
        : [...recommendation.reasons],
    alternatives: recommendation.alternatives.map((horizon) => ({
      horizonSec: horizon.horizonSec,
      price: weiOrNull(horizon.price),
      probability: horizon.probability,
      reason: horizon.reason,
      savingRatio: horizon.savingRatio,
    })),
    track: trackOf(said, recommendation.track),
    reach,
    // The next block replaces it.
    validUntil: isoFromMs(updatedAt + updateFrequencySec(profile, advice.blockSec) * 1_000),
    updatedAt: isoFromMs(updatedAt),
  };
}

/** Price, trend and recommendation of the same block. */
export function statsCurrent(present: Present): StatsCurrent {
  return {
    snapshot: gasCurrent(present),
    trend: gasTrend(present),
    recommendation: gasRecommendation(present),
  };
}

/** Fewer judged ones are not meaningful. */
const LEAST_JUDGED = 50;

/** The record of given advice; until it is long enough, that of the engine's walk over history, marked as such. */
function trackOf(said: AdviceScore | null, walked: Recommendation['track']): GasRecommendation['track'] {
  if (said === null || said.evaluated < LEAST_JUDGED) {
    const { evaluated } = walked;
    const isKnown = evaluated >= LEAST_JUDGED;
    return {
      evaluated,
      hitRatio: isKnown ? walked.hitRatio : null,
      statedProbability: isKnown ? walked.statedProbability : null,
      basis: 'walked',
      since: null,
      versions: [ADVICE_VERSION],
      unjudged: 0,
      waits: null,
    };
  }
  return { ...counted(said), basis: 'given', unjudged: said.unjudged, waits: counted(said.waits) };
}

function counted({ evaluated, kept, statedProbability, since, versions }: AdviceCount) {
  return {
    evaluated,
    hitRatio: evaluated === 0 ? null : kept / evaluated,
    statedProbability,
    since: since === null ? null : isoFromSec(since),
    versions: [...versions],
  };
}
