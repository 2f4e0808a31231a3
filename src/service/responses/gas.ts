import type { GasRecommendation, GasTrend } from '../../contract/advice.ts';
import { SPEED_OF_LANE } from '../../contract/choices.ts';
import type { StatsCurrent } from '../../contract/dashboard.ts';
import type { GasCurrent } from '../../contract/gas.ts';
import { ADVICE_VERSION, type AdviceRecord, type Recommendation } from '../../core/advice.ts';
import { isOutdated } from '../../core/chain-status.ts';
import { blobPriceOf, updateFrequencySec } from '../../core/chains.ts';
import type { AdviceCount, AdviceScore } from '../../store/advice-track.ts';
import { type PublishedChain, problemOf } from '../published-chain.ts';
import { explained, integerOrNull, isoFromMs, isoFromSec, isoOrNull, toWire } from './wire.ts';

export function gasCurrent(published: PublishedChain): GasCurrent {
  const { profile, head, advice, status } = published;
  const problem = problemOf(published);
  // Of most recordings the block after it tells what it asks for.
  const isLastKnown = status.kind === 'ended' && head.nextBaseFee === null && head.gasUsed === null;
  const { slow, average, fast } = advice.lanes;
  const prices = explained(
    toWire({
      lowPrice: slow.price,
      averagePrice: average.price,
      highPrice: fast.price,
      basePrice: head.baseFeePerGas,
      nextBasePrice: advice.nextBaseFee,
    }),
  );
  return {
    chainId: profile.id,
    blockNumber: head.number,
    blockTimestamp: isoFromSec(head.timestamp),
    ...prices,
    ...(isLastKnown && { nextBasePrice: null }),
    // Of a price that is not told apart from larger ones, no part is known.
    priorityPrice: prices.reason || isLastKnown ? null : integerOrNull(average.price - advice.nextBaseFee),
    floorPrice: integerOrNull(advice.floor),
    blobBasePrice: integerOrNull(blobPriceOf(head, profile)),
    gasUsedRatio: head.gasUsedRatio,
    lanes: toWire(advice.lanes),
    nativeUsd: published.nativeUsd,
    ...(published.nativeUsdReason !== undefined && { nativeUsdReason: published.nativeUsdReason }),
    updatedAt: isoFromMs(published.updatedAt),
    updateFrequencySec: updateFrequencySec(profile, advice.blockSec),
    stale: isOutdated(status),
    source: {
      kind: published.source.kind,
      name: published.source.name,
      problem: problem && { message: problem.message, retryAt: isoOrNull(problem.retryAt) },
      ended: status.kind === 'ended',
      chainName: profile.name,
      restartedAt: isoOrNull(published.restartedAt),
    },
  };
}

export const gasTrend = ({ advice: { trend }, updatedAt }: PublishedChain): GasTrend => ({
  window: '1h',
  ...toWire(trend),
  base: explained(toWire(trend.base)),
  priority: explained(toWire(trend.priority)),
  baseFeeFan: trend.baseFeeFan.map((step) => explained(toWire(step))),
  updatedAt: isoFromMs(updatedAt),
});

interface Asked {
  /** For the patience that was asked about; else for the service's own. */
  readonly recommendation?: Recommendation | undefined;
  readonly reach?: GasRecommendation['reach'];
}

export function gasRecommendation(
  { advice, score, updatedAt, profile, isLoading, source }: PublishedChain,
  { recommendation = advice.recommendation, reach = null }: Asked = {},
): GasRecommendation {
  const { action, reasons } = recommendation;
  const whyNone = () => {
    // More of it changes nothing.
    if (source.kind === 'replay' && advice.lanes.average.maxPriorityFeePerGas === null)
      return 'no advice: the last blocks of this recording have no tips';
    return isLoading
      ? 'no advice yet: history is loading, prices are provisional'
      : (reasons[0] ?? 'no advice yet');
  };
  return {
    ...toWire(recommendation),
    lane: SPEED_OF_LANE[recommendation.lane],
    reasons: action === null ? [whyNone(), ...reasons.slice(1)] : [...reasons],
    track: trackOf(score, recommendation.track),
    reach,
    // The next block replaces it.
    validUntil: isoFromMs(updatedAt + updateFrequencySec(profile, advice.blockSec) * 1_000),
    updatedAt: isoFromMs(updatedAt),
  };
}

export function statsCurrent(published: PublishedChain, asked?: Asked): StatsCurrent {
  return {
    snapshot: gasCurrent(published),
    trend: gasTrend(published),
    recommendation: gasRecommendation(published, asked),
  };
}

/** Fewer judged ones are not meaningful; those of the walk lie apart. */
const LEAST_JUDGED = 50;
const LEAST_WALKED = 20;

/** The record of given advice; until it is long enough, that of the engine's walk over history, marked as such. */
function trackOf(score: AdviceScore | null, walked: Recommendation['track']): GasRecommendation['track'] {
  const isGiven = score !== null && score.evaluated >= LEAST_JUDGED;
  const { savingRatio: _, ...all } = isGiven ? counted(score) : walkedRecord(walked);
  return {
    ...all,
    basis: isGiven ? 'given' : 'walked',
    unjudged: isGiven ? score.unjudged : 0,
    waits: isGiven ? counted(score.waits) : walkedRecord(walked.waits),
    sends: isGiven ? counted(score.sends) : walkedRecord(walked.sends),
  };
}

function walkedRecord({ evaluated, hitRatio, statedProbability, savingRatio }: AdviceRecord) {
  const isKnown = evaluated >= LEAST_WALKED;
  return {
    evaluated,
    hitRatio: isKnown ? hitRatio : null,
    statedProbability: isKnown ? statedProbability : null,
    savingRatio: isKnown ? savingRatio : null,
    since: null,
    versions: [ADVICE_VERSION],
  };
}

function counted({ evaluated, kept, statedProbability, savingRatio, since, versions }: AdviceCount) {
  return {
    evaluated,
    hitRatio: evaluated === 0 ? null : kept / evaluated,
    statedProbability,
    savingRatio,
    since: since === null ? null : isoFromSec(since),
    versions: [...versions],
  };
}
