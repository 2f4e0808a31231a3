import type { Trend } from './advice.ts';
import { type Decision, LONGEST_WAIT_SEC } from './decision.ts';
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
}

const DAY_SEC = 86_400;
/** Below a minute of history a rank says nothing. */
const LEAST_RANKED_SEC = 60;

/** Short plain sentences with figures, the decisive one first. */
export function reasonsFor(grounds: Grounds): string[] {
  return [decisive(grounds), ...standing(grounds), movement(grounds.trend), fullness(grounds.trend)];
}

function decisive({ decision, forecasts }: Grounds): string {
  const { forecast } = decision;
  if (forecast !== null) return promise(forecast);
  const measured = forecasts.filter(({ expectedSavingRatio }) => expectedSavingRatio !== null);
  if (measured.length === 0) return 'too little history yet to promise a cheaper price';
  const best = Math.max(...measured.map(({ expectedSavingRatio }) => expectedSavingRatio ?? 0));
  const longest = formatDuration(Math.max(...measured.map(({ horizonSec }) => horizonSec)));
  return best > 0
    ? `waiting up to ${longest} is expected to save ${formatPercent(best, 1)} at best, too little to wait for`
    : `waiting up to ${longest} is not expected to save anything`;
}

function promise({ horizonSec, price, probability, expectedSavingRatio }: Forecast): string {
  const within = formatDuration(horizonSec);
  const often = formatPercent(probability ?? 0);
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
