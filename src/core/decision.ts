import type { Action, Recommendation } from './advice.ts';
import type { Forecast } from './horizon-forecast.ts';

/** Waiting is advised from this probability and this expected saving on. */
export const LEAST_PROBABILITY = 0.8;
export const LEAST_SAVING = 0.05;
/** What somebody waits for at the terminal; for anything further off an alert is the better tool. */
export const LONGEST_WAIT_SEC = 3_600;
/** An alert hours ahead must promise more than a wait of minutes. */
const LEAST_ALERT_SAVING = 0.1;
/** Waiting is not advised while the share kept lies this far below what was stated, over at least so many. */
const LOST_AT = 0.2;
const LEAST_EVALUATED = 100;

export interface Decision {
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

function saving(forecast: Forecast): number {
  return forecast.expectedSavingRatio ?? 0;
}
