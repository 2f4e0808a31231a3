import type { Horizon, Lane, LaneName, Recommendation } from './advice.ts';
import { wholeWei } from './fee-ratio.ts';
import type { Forecast } from './horizon-forecast.ts';
import { type Grounds, reasonsFor } from './reasons.ts';
import { formatDuration } from './units.ts';

export interface RecommendationInput extends Grounds {
  readonly lanes: Readonly<Record<LaneName, Lane>>;
  readonly blockSec: number;
  /** Whether `blockSec` was measured. */
  readonly isPaceKnown: boolean;
  /** How much of the past behind sending now has been judged, 0 to 1. */
  readonly sendNowJudgedRatio: number;
}

/** Confidence is gone where the share kept is this far from what was stated. */
const LOST_AT = 0.2;

/** Puts a decision into words and figures: sending now means the Average lane, waiting means Slow's price or better. */
export function recommendation(input: RecommendationInput): Recommendation {
  const { decision, forecasts, track } = input;
  const judgedRatio = decision.forecast?.judgedRatio ?? input.sendNowJudgedRatio;
  return {
    ...plan(input),
    action: decision.action,
    confidence: confidence(judgedRatio, track),
    reasons: [...withoutPace(input), ...reasonsFor(input), ...withoutFigure(input)],
    alternatives: forecasts.map(toHorizon),
    track,
  };
}

/** That every time of the advice is only a plan's. */
function withoutPace({ isPaceKnown, blockSec }: RecommendationInput): string[] {
  const every = formatDuration(blockSec);
  return isPaceKnown
    ? []
    : [`how often blocks come is not known yet: times are as if one came every ${every}`];
}

/** Why no probability stands beside the advice to send now. */
function withoutFigure({ decision, lanes }: RecommendationInput): string[] {
  const { reason } = lanes.average;
  return decision.forecast === null && reason !== null ? [`no probability of getting in yet: ${reason}`] : [];
}

type Plan = Pick<
  Recommendation,
  'lane' | 'targetPrice' | 'expectedWaitSec' | 'deadlineSec' | 'probability' | 'expectedSavingRatio'
>;

function plan({ decision, lanes, blockSec }: RecommendationInput): Plan {
  const { forecast } = decision;
  if (forecast === null) {
    const { price, waitSec, withinBlocks, probability } = lanes.average;
    return {
      lane: 'average',
      targetPrice: price,
      expectedWaitSec: waitSec.p50,
      deadlineSec: withinBlocks * blockSec,
      probability,
      expectedSavingRatio: 0,
    };
  }
  return {
    lane: 'slow',
    targetPrice: BigInt(wholeWei(forecast.price)),
    expectedWaitSec: forecast.expectedWaitSec,
    deadlineSec: forecast.horizonSec,
    probability: forecast.waitProbability,
    expectedSavingRatio: forecast.expectedSavingRatio ?? 0,
  };
}

/** 0 to 100: how much of the past was judged, times how near the share kept was to what was stated. */
function confidence(judgedRatio: number, { hitRatio, statedProbability }: Recommendation['track']): number {
  if (hitRatio === null || statedProbability === null) return 0;
  // Keeping more than was stated is no fault.
  const short = Math.max(statedProbability - hitRatio, 0);
  return Math.round(100 * Math.min(judgedRatio, 1) * Math.max(1 - short / LOST_AT, 0));
}

function toHorizon({ horizonSec, price, probability, reason, savingRatio }: Forecast): Horizon {
  return { horizonSec, price: BigInt(wholeWei(price)), probability, reason, savingRatio };
}
