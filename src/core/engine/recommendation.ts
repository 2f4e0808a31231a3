import type { Action, Horizon, Lane, LaneName, Recommendation, Trend } from '../advice.ts';
import { formatDuration, formatGwei, formatPercent } from '../units.ts';
import { type Column, type History, wholeWei } from './history.ts';
import type { Forecast, HorizonForecast } from './horizons.ts';
import type { LaneScorer } from './lanes.ts';

interface RecommendationInput extends Grounds {
  readonly lanes: Readonly<Record<LaneName, Lane>>;
  readonly blockSec: number;
  /** Whether `blockSec` was measured. */
  readonly isPaceKnown: boolean;
  /** How much of the past behind sending now has been judged, 0 to 1. */
  readonly sendNowJudgedRatio: number;
}

/** Confidence is gone, and waiting is not advised, where the share kept lies this far below what was stated. */
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

/** What the reasons are drawn from. */
interface Grounds {
  readonly decision: Decision;
  readonly forecasts: readonly Forecast[];
  readonly trend: Trend;
  /** Share of the last day's blocks that were dearer than the next one, and seconds that day covers so far. */
  readonly cheaperThanRatio: number;
  readonly daySec: number;
  readonly track: Recommendation['track'];
}

const DAY_SEC = 86_400;
/** Below a minute of history a rank says nothing. */
const LEAST_RANKED_SEC = 60;

/** Short plain sentences with figures, the decisive one first. */
export function reasonsFor(grounds: Grounds): string[] {
  return [decisive(grounds), ...standing(grounds), movement(grounds.trend), fullness(grounds.trend)];
}

function decisive({ decision, forecasts, track }: Grounds): string {
  const { forecast } = decision;
  if (forecast !== null) return promise(forecast);
  if (decision.isDistrusted) {
    const kept = formatPercent(track.hitRatio ?? 0);
    const stated = formatPercent(track.statedProbability ?? 0);
    return `of the last ${track.evaluated} advices ${kept} were kept where ${stated} was stated: no waiting until that holds again`;
  }
  return refusal(forecasts);
}

/** Why not to wait, told of the horizon that looks best in the table beside it: that is the one a reader asks about. */
function refusal(forecasts: readonly Forecast[]): string {
  const measured = forecasts.filter(({ waitProbability }) => waitProbability !== null);
  const likely = measured.filter(({ waitProbability }) => (waitProbability ?? 0) >= LEAST_PROBABILITY);
  const tempting = mostBy(likely.length > 0 ? likely : measured, ({ savingRatio }) => savingRatio);
  if (tempting === null) return 'too little history yet to promise a cheaper price';
  if (tempting.savingRatio <= 0)
    return `no lower price is likely within ${formatDuration(tempting.horizonSec)}`;
  if (likely.length === 0)
    return `${chanceOf(tempting, 'only ')}; waiting takes ${formatPercent(LEAST_PROBABILITY)}`;
  const best = mostBy(likely, saving) ?? tempting;
  const most = saving(best);
  const average = formatPercent(most, 1);
  if (most >= LEAST_SAVING) {
    return `${chanceOf(best)}; misses counted that saves ${average} on average, too little for so long a wait`;
  }
  if (tempting.savingRatio < LEAST_SAVING) {
    return `${chanceOf(tempting)} but saves only ${formatPercent(tempting.savingRatio, 1)}, too little to wait for`;
  }
  const left = most > 0 ? `only ${average}` : 'nothing';
  return `${chanceOf(tempting)}, but misses cost so much that waiting saves ${left} on average`;
}

function chanceOf({ price, horizonSec, waitProbability }: Forecast, only = ''): string {
  const chance = formatPercent(waitProbability ?? 0);
  return `${formatGwei(price)} gwei within ${formatDuration(horizonSec)} is ${only}${chance} likely`;
}

/** The first with the most; `null` of none. */
function mostBy(forecasts: readonly Forecast[], of: (forecast: Forecast) => number): Forecast | null {
  let best: Forecast | null = null;
  for (const forecast of forecasts) if (best === null || of(forecast) > of(best)) best = forecast;
  return best;
}

function saving({ expectedSavingRatio }: Forecast): number {
  return expectedSavingRatio ?? 0;
}

function promise({ horizonSec, price, waitProbability, expectedSavingRatio }: Forecast): string {
  const within = formatDuration(horizonSec);
  const often = formatPercent(waitProbability ?? 0);
  const saves = `saves ${formatPercent(expectedSavingRatio ?? 0)} on average, misses counted`;
  return horizonSec <= LONGEST_WAIT_SEC
    ? `${formatGwei(price)} gwei within ${within}: such targets were reached ${often} of the time; ${saves}`
    : `no short wait pays, but ${formatGwei(price)} gwei within ${within} does: reached ${often} of the time; ${saves}`;
}

function standing({ cheaperThanRatio, trend, daySec }: Grounds): string[] {
  if (daySec < LEAST_RANKED_SEC) return [];
  const past = daySec >= 0.99 * DAY_SEC ? '24 h' : formatDuration(daySec);
  return cheaperThanRatio >= trend.percentileRank24h
    ? [`base fee is cheaper than ${formatPercent(cheaperThanRatio)} of the last ${past}`]
    : [`base fee is dearer than ${formatPercent(trend.percentileRank24h)} of the last ${past}`];
}

function movement({ direction, changeRatio }: Trend): string {
  if (direction === 'STABLE') return 'base fee is close to its mean of the last hour';
  const side = direction === 'RISING' ? 'above' : 'below';
  return `base fee is ${formatPercent(Math.abs(changeRatio))} ${side} its mean of the last hour`;
}

function fullness({ congestion }: Trend): string {
  return `recent blocks were ${formatPercent(congestion)} full`;
}

/** Waiting is advised from this probability and this expected saving on. */
const LEAST_PROBABILITY = 0.8;
const LEAST_SAVING = 0.05;
/** As long as a person waits at the terminal; beyond it an alert is the better tool. */
const LONGEST_WAIT_SEC = 3_600;
/** An alert hours ahead must promise more than a wait of minutes. */
const LEAST_ALERT_SAVING = 0.1;
/** Waiting is not advised while the share kept lies that far below what was stated, over at least so many. */
const LEAST_EVALUATED = 100;

interface Decision {
  readonly action: Action;
  /** Which forecast it rests on; `null` for sending now. */
  readonly forecast: Forecast | null;
  /** Waiting would have been advised, but of late such advice was not kept. */
  readonly isDistrusted?: boolean;
}

/**
 * `WAIT` for the forecast up to an hour off that is expected to save most, if that is at least 5 % at a
 * probability of at least 0.8, doubted since it is chosen. Otherwise `SET_ALERT` for one beyond the hour that does so with at least 10 %. Otherwise
 * `SEND_NOW`. What has not been measured is never waited for.
 */
export function decide(forecasts: readonly Forecast[]): Decision {
  const wait = mostSaving(forecasts.filter(({ horizonSec }) => horizonSec <= LONGEST_WAIT_SEC));
  if (wait !== null && saving(wait) >= LEAST_SAVING) return { action: 'WAIT', forecast: wait };
  const later = mostSaving(forecasts.filter(({ horizonSec }) => horizonSec > LONGEST_WAIT_SEC));
  if (later !== null && saving(later) >= LEAST_ALERT_SAVING) return { action: 'SET_ALERT', forecast: later };
  return { action: 'SEND_NOW', forecast: null };
}

/** Takes back an advice to wait while the last hundred were kept far less often than was stated. */
export function trusted(decision: Decision, track: Recommendation['track']): Decision {
  const { evaluated, hitRatio, statedProbability } = track;
  if (decision.forecast === null || evaluated < LEAST_EVALUATED) return decision;
  if (hitRatio === null || statedProbability === null) return decision;
  if (statedProbability - hitRatio < LOST_AT) return decision;
  return { action: 'SEND_NOW', forecast: null, isDistrusted: true };
}

/** The likely one that saves most; of equals the sooner. */
function mostSaving(forecasts: readonly Forecast[]): Forecast | null {
  let best: Forecast | null = null;
  for (const forecast of forecasts) {
    if ((forecast.waitProbability ?? 0) < LEAST_PROBABILITY) continue;
    if (best === null || saving(forecast) > saving(best)) best = forecast;
  }
  return best;
}

/** Recommendations that are scored, and how far back they are looked for while younger ones are still running. */
const SCORED = 100;
const LOOK_BACK_BLOCKS = 8_192;
const SEND_NOW = -1;

/** Remembers what was recommended at each block and scores those whose time is over. */
export class TrackRecord {
  readonly #history: History;
  readonly #sent: LaneScorer;
  readonly #horizons: readonly HorizonForecast[];
  /** Index of the horizon that was to be waited for, -1 for sending now. */
  readonly #choice: Column;
  /** Probability that was stated, `NaN` for none. */
  readonly #stated: Column;

  constructor(history: History, sent: LaneScorer, horizons: readonly HorizonForecast[]) {
    this.#history = history;
    this.#sent = sent;
    this.#horizons = horizons;
    this.#choice = history.column(LOOK_BACK_BLOCKS);
    this.#stated = history.column(LOOK_BACK_BLOCKS);
  }

  /** Remembers the head's recommendation. */
  record({ forecast }: Decision): void {
    const { head } = this.#history;
    const choice = this.#horizons.findIndex(({ horizonSec }) => horizonSec === forecast?.horizonSec);
    const stated = forecast === null ? this.#sent.chance.probability : forecast.waitProbability;
    this.#choice.put(head, forecast === null ? SEND_NOW : choice);
    this.#stated.put(head, stated ?? Number.NaN);
  }

  /** The last hundred that stated a probability and have ended: what was stated and what was kept. */
  score(): Recommendation['track'] {
    const { head, oldest } = this.#history;
    const until = Math.max(head - LOOK_BACK_BLOCKS + 1, oldest);
    let evaluated = 0;
    let kept = 0;
    let stated = 0;
    for (let block = head; block >= until && evaluated < SCORED; block -= 1) {
      const probability = this.#stated.at(block);
      if (Number.isNaN(probability)) continue;
      const outcome = this.#outcome(block);
      if (outcome === null) continue;
      evaluated += 1;
      kept += outcome ? 1 : 0;
      stated += probability;
    }
    if (evaluated === 0) return { evaluated, hitRatio: null, statedProbability: null };
    return { evaluated, hitRatio: kept / evaluated, statedProbability: stated / evaluated };
  }

  #outcome(block: number): boolean | null {
    const choice = this.#choice.at(block);
    if (choice !== SEND_NOW) return this.#horizons[choice]?.reachedAt(block) ?? null;
    if (block + this.#sent.withinBlocks > this.#history.head) return null;
    return this.#sent.keptAt(block) === 1;
  }
}
