import type { Action, Horizon, Lane, LaneName, Recommendation, Trend } from '../advice.ts';
import { formatDuration, formatGwei, formatLikelihood, formatPercent } from '../units.ts';
import { type History, wholeWei } from './history.ts';
import type { Forecast, Horizons } from './horizons.ts';
import type { LaneScorer } from './lanes.ts';

interface Grounds {
  readonly decision: Decision;
  readonly forecasts: readonly Forecast[];
  readonly trend: Trend;
  readonly daySec: number;
  /** Wei per gas, at the floor. */
  readonly floor?: bigint | null;
}

interface RecommendationInput extends Grounds {
  readonly lanes: Readonly<Record<LaneName, Lane>>;
  readonly blockSec: number;
  readonly isPaceKnown: boolean;
  /** Share of the history behind sending now that has been judged, 0 to 1. */
  readonly sendNowJudgedRatio: number;
  readonly track: Recommendation['track'];
}

/** Confidence is 0 when the actual share is this far below the stated one. */
const LOST_AT = 0.2;

/** Sending now refers to the Average lane, waiting to one of the alternatives, with its figures. */
export function recommendation(input: RecommendationInput): Recommendation {
  const { decision, forecasts, track, lanes, blockSec, isPaceKnown } = input;
  const { forecast } = decision;
  const { price, waitSec, withinBlocks, probability, reason } = lanes.average;
  const reasons = reasonsFor(input);
  if (!isPaceKnown) {
    const every = formatDuration(blockSec);
    reasons.push(`how often blocks come is not known yet: times are as if one came every ${every}`);
  }
  if (forecast === null && isMeasured(forecasts) && reason !== null) {
    reasons.push(`no probability of getting in: ${reason}`);
  }
  return {
    ...(forecast === null
      ? {
          lane: 'average',
          targetPrice: price,
          expectedWaitSec: waitSec.p50,
          deadlineSec: withinBlocks * blockSec,
          probability,
          expectedSavingRatio: 0,
        }
      : {
          lane: 'slow',
          targetPrice: BigInt(wholeWei(forecast.price)),
          expectedWaitSec: forecast.expectedWaitSec,
          deadlineSec: forecast.horizonSec,
          probability: forecast.probability,
          expectedSavingRatio: saving(forecast),
        }),
    action: input.floor != null ? 'SEND_NOW' : isMeasured(forecasts) ? decision.action : null,
    confidence: confidence(forecast?.judgedRatio ?? input.sendNowJudgedRatio, track),
    reasons,
    alternatives: forecasts.map(toHorizon),
    track,
  };
}

const isMeasured = (forecasts: readonly Forecast[]) =>
  forecasts.some(({ probability }) => probability !== null);

/** 0 to 100: the judged share of the history, times the accuracy of stated probabilities. */
function confidence(judgedRatio: number, { hitRatio, statedProbability }: Recommendation['track']): number {
  if (hitRatio === null || statedProbability === null) return 0;
  // More successes than stated are no fault.
  const short = Math.max(statedProbability - hitRatio, 0);
  return Math.round(100 * Math.min(judgedRatio, 1) * Math.max(1 - short / LOST_AT, 0));
}

/** Without measurements there is neither probability nor price. */
const toHorizon = ({ horizonSec, price, probability, reason, savingRatio }: Forecast): Horizon => ({
  horizonSec,
  price: probability === null ? null : BigInt(wholeWei(price)),
  probability,
  reason,
  savingRatio,
});

const HOUR_SEC = 3_600;
/** With less than a minute of history a mean is meaningless. */
const LEAST_RANKED_SEC = 60;

/** Short plain sentences, the decisive one first. Each figure comes from one of the alternatives. */
export const reasonsFor = (grounds: Grounds): string[] => [...decisive(grounds), ...movement(grounds)];

function decisive({ decision, forecasts, floor = null }: Grounds): string[] {
  if (floor !== null) return [`the base fee is at its floor of ${formatGwei(floor)} gwei and cannot fall`];
  if (!isMeasured(forecasts)) return [`no advice yet: ${forecasts[0]?.reason ?? 'too little history'}`];
  if (decision.action === 'WAIT') return longer(decision, forecasts);
  if (decision.action === 'SET_ALERT') return ['no wait of an hour or less saves enough'];
  return [refusal(forecasts)];
}

/** Why not to wait longer when that would save more. */
function longer({ forecast }: Decision, forecasts: readonly Forecast[]): string[] {
  const best = mostSaving(forecasts.filter((each) => isLikely(each) && each.horizonSec > LONGEST_WAIT_SEC));
  if (best === null || forecast === null || saving(best) <= saving(forecast)) return [];
  const within = formatDuration(best.horizonSec);
  return [`for ${formatGwei(best.price)} gwei within ${within} set an alert: a wait takes an hour at most`];
}

/** Why not to wait, for the alternative that looks best. */
function refusal(forecasts: readonly Forecast[]): string {
  const worthwhile = forecasts.filter((each) => each.probability !== null && saving(each) > 0);
  const best = mostSaving(worthwhile.filter(isLikely)) ?? mostSaving(worthwhile);
  if (best === null) return 'waiting saves nothing on average';
  const chance = formatPercent(best.probability ?? 0);
  const what = `${formatGwei(best.price)} gwei within ${formatDuration(best.horizonSec)} is ${chance} likely`;
  if (!isLikely(best)) return `${what}; waiting takes ${formatPercent(LEAST_PROBABILITY)}`;
  const saves = `${what} and saves ${formatPercent(saving(best))} on average`;
  return saving(best) < leastSaving(best)
    ? `${saves}: too little for the wait`
    : `${saves}, but has not held for ${HOLD_BLOCKS} blocks yet`;
}

function movement({ trend: { direction, changeRatio }, daySec }: Grounds): string[] {
  if (daySec < LEAST_RANKED_SEC) return [];
  const span = daySec >= 0.99 * HOUR_SEC ? 'hour' : formatDuration(daySec - (daySec % 60));
  const mean = `its mean of the last ${span}`;
  if (direction === 'STABLE') return [`base fee is close to ${mean}`];
  return direction === 'RISING'
    ? [`base fee is ${formatPercent(changeRatio)} above ${mean}`]
    : [`base fee is ${formatLikelihood(-changeRatio)} below ${mean}`];
}

/** Minimum probability and saving for advice to wait. */
const LEAST_PROBABILITY = 0.8;
const LEAST_SAVING = 0.05;
/** A user can wait this long at the terminal; beyond it an alert is better. */
const LONGEST_WAIT_SEC = HOUR_SEC;
/** An alert hours ahead needs a higher saving than a wait of minutes. */
const LEAST_ALERT_SAVING = 0.1;

interface Decision {
  readonly action: Action;
  /** `null` for sending now. */
  readonly forecast: Forecast | null;
}

const SEND_NOW: Decision = { action: 'SEND_NOW', forecast: null };

/** The highest saving up to an hour ahead, if enough: `WAIT`; else beyond it: `SET_ALERT`; else `SEND_NOW`. */
export function decide(forecasts: readonly Forecast[]): Decision {
  const likely = forecasts.filter(isLikely);
  const isShort = ({ horizonSec }: Forecast) => horizonSec <= LONGEST_WAIT_SEC;
  for (const group of [likely.filter(isShort), likely.filter((each) => !isShort(each))]) {
    const best = mostSaving(group);
    if (best !== null && saving(best) >= leastSaving(best)) return waitFor(best);
  }
  return SEND_NOW;
}

const waitFor = (forecast: Forecast): Decision => ({
  action: forecast.horizonSec <= LONGEST_WAIT_SEC ? 'WAIT' : 'SET_ALERT',
  forecast,
});
const isLikely = ({ probability }: Forecast) => (probability ?? 0) >= LEAST_PROBABILITY;
const saving = ({ savingRatio }: Forecast) => savingRatio ?? 0;
const leastSaving = ({ horizonSec }: Forecast) =>
  horizonSec <= LONGEST_WAIT_SEC ? LEAST_SAVING : LEAST_ALERT_SAVING;

/** The forecast with the highest saving; of equals the sooner one. */
function mostSaving(forecasts: readonly Forecast[]): Forecast | null {
  let best: Forecast | null = null;
  for (const forecast of forecasts) if (best === null || saving(forecast) > saving(best)) best = forecast;
  return best;
}

/** A better decision replaces the present one after this many blocks, or at once if it is better by this much. */
const HOLD_BLOCKS = 3;
const CLEAR_MARGIN = 0.05;
const RANKS: Readonly<Record<Action, number>> = { SEND_NOW: 0, SET_ALERT: 1, WAIT: 2 };

/** Whether `best` is better than `standing` by more than a block's noise. */
function isClearlyBetter(best: Decision, standing: Decision): boolean {
  // A decision without a probability cannot stay.
  if (standing.forecast?.probability === null) return true;
  if (best.action === standing.action) return margin(best) - margin(standing) >= CLEAR_MARGIN;
  return RANKS[best.action] > RANKS[standing.action]
    ? margin(best) >= CLEAR_MARGIN
    : margin(standing) <= -CLEAR_MARGIN;
}

/** How far a wait exceeds its requirements; negative when it falls short. */
function margin({ forecast }: Decision): number {
  if (forecast === null) return 0;
  const likely = (forecast.probability ?? 0) - LEAST_PROBABILITY;
  const saves = saving(forecast) - leastSaving(forecast);
  return likely < 0 ? Math.min(likely, saves) : saves;
}

/** Number of scored recommendations, and how far back to search for them while younger ones are running. */
const SCORED = 100;
const LOOK_BACK_BLOCKS = 8_192;

/** Keeps a recommendation until another one is clearly better, and scores ended ones. @param sent judges sending now */
export function createTrackRecord(history: History, sent: LaneScorer, horizons: Horizons) {
  const { advisedWaitSec } = history;
  /** Horizon in seconds of the best wait; 0 for sending now. */
  const bestWaitSec = history.column(HOLD_BLOCKS);
  /** Stated probability, `NaN` for none. */
  const stated = history.column(LOOK_BACK_BLOCKS);

  function steady(best: Decision, forecasts: readonly Forecast[]): Decision {
    const { head, oldest } = history;
    if (head === oldest) return best;
    const standing = decisionOf(forecasts, advisedWaitSec.at(head - 1));
    if (best.forecast === standing.forecast || isClearlyBetter(best, standing)) return best;
    for (let block = head - HOLD_BLOCKS + 1; block < head; block += 1) {
      const before = block < oldest ? standing : decisionOf(forecasts, bestWaitSec.at(block));
      const isSame =
        best.action === standing.action ? before.forecast === best.forecast : before.action === best.action;
      if (!isSame) return standing;
    }
    return best;
  }

  function outcomeAt(block: number): boolean | null {
    const waitSec = advisedWaitSec.at(block);
    if (waitSec > 0) return horizons.reachedAt(waitSec, block);
    return block + sent.withinBlocks > history.head ? null : sent.kept.at(block) === 1;
  }

  return {
    /** Decides at the head and stores it. @param sendProbability of sending now; `null` for none */
    push(forecasts: readonly Forecast[], sendProbability: number | null): void {
      const { head } = history;
      const best = decide(forecasts);
      bestWaitSec.put(head, best.forecast?.horizonSec ?? 0);
      const { forecast } = steady(best, forecasts);
      advisedWaitSec.put(head, forecast?.horizonSec ?? 0);
      stated.put(head, (forecast === null ? sendProbability : forecast.probability) ?? Number.NaN);
    },
    decision: (forecasts: readonly Forecast[]): Decision =>
      decisionOf(forecasts, advisedWaitSec.at(history.head)),
    /** The last hundred ended recommendations with a probability: stated and actual shares. */
    score(): Recommendation['track'] {
      const { head, oldest } = history;
      const until = Math.max(head - LOOK_BACK_BLOCKS + 1, oldest);
      let evaluated = 0;
      let kept = 0;
      let sum = 0;
      for (let block = head; block >= until && evaluated < SCORED; block -= 1) {
        const probability = stated.at(block);
        const outcome = Number.isNaN(probability) ? null : outcomeAt(block);
        if (outcome === null) continue;
        evaluated += 1;
        kept += outcome ? 1 : 0;
        sum += probability;
      }
      if (evaluated === 0) return { evaluated, hitRatio: null, statedProbability: null };
      return { evaluated, hitRatio: kept / evaluated, statedProbability: sum / evaluated };
    },
  };
}

function decisionOf(forecasts: readonly Forecast[], waitSec: number): Decision {
  const forecast = forecasts.find(({ horizonSec }) => horizonSec === waitSec);
  return forecast === undefined ? SEND_NOW : waitFor(forecast);
}
