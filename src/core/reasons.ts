import type { Recommendation, Trend } from './advice.ts';
import { type Decision, LEAST_PROBABILITY, LEAST_SAVING, LONGEST_WAIT_SEC } from './decision.ts';
import type { Forecast } from './horizon-forecast.ts';
import { formatDuration, formatGwei, formatPercent } from './units.ts';

/** What the reasons are drawn from. */
export interface Grounds {
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
