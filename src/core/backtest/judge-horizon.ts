import { WindowMinimum } from '../window-minimum.ts';
import { Calibration, type CalibrationGroup, calibrationError } from './calibration.ts';
import type { Past } from './past.ts';

/** A price said to be reached within a time; `NaN` for a probability that was not stated. */
export interface Target {
  readonly price: number;
  readonly probability: number;
}

/** What came of one horizon's target prices. Shares 0 to 1. */
export interface HorizonScore {
  readonly horizonSec: number;
  readonly judged: number;
  /** Share of prices that were reached in time. */
  readonly kept: number;
  readonly stated: number;
  /** Mean saving against the next block's price; a miss pays what the horizon's last block asked for. */
  readonly saving: number;
  /** The same with the cheapest block of the horizon. */
  readonly foresight: number;
  readonly calibrationError: number;
  readonly calibration: readonly CalibrationGroup[];
}

/**
 * Judges the targets given at the blocks `indices` (ascending). Those without a probability, and those whose time had not
 * ended when the recording did, count nothing; `null` if none is left. A price is reached by the first block that asks
 * for no more, and that is what is paid.
 */
export function judgeHorizon(
  past: Past,
  targetAt: (index: number) => Target,
  indices: readonly number[],
  horizonSec: number,
): HorizonScore | null {
  let judged = 0;
  let kept = 0;
  let stated = 0;
  let saving = 0;
  let foresight = 0;
  const calibration = new Calibration();
  const window = new WindowMinimum();
  const end = past.time[past.length - 1] ?? 0;
  let last = -1;
  for (const at of indices) {
    const { price, probability } = targetAt(at);
    const until = (past.time[at] ?? 0) + horizonSec;
    if (until >= end) break;
    for (; (past.time[last + 1] ?? 0) <= until; last += 1) window.push(last + 1, past.price[last + 1] ?? 0);
    window.dropBefore(at + 1);
    const cheapest = window.minimum;
    // Without any block in its time there was nothing to wait for.
    if (Number.isNaN(probability) || cheapest === null) continue;
    // As in the lanes: a price of 0 counts as 1 wei, on either side.
    const next = Math.max(past.price[at + 1] ?? 1, 1);
    const isReached = cheapest <= price;
    const paid = isReached ? firstAtMost(past, price, at + 1) : (past.price[last] ?? 0);
    judged += 1;
    kept += isReached ? 1 : 0;
    stated += probability;
    saving += 1 - Math.max(paid, 1) / next;
    foresight += 1 - Math.max(cheapest, 1) / next;
    calibration.add(probability, isReached);
  }
  if (judged === 0) return null;
  const { groups } = calibration;
  return {
    horizonSec,
    judged,
    kept: kept / judged,
    stated: stated / judged,
    saving: saving / judged,
    foresight: foresight / judged,
    calibrationError: calibrationError(groups) ?? 0,
    calibration: groups,
  };
}

/** The price of the first block from `from` on that asks for no more than `price`; there is one. */
function firstAtMost(past: Past, price: number, from: number): number {
  let block = from;
  while ((past.price[block] ?? 0) > price) block += 1;
  return past.price[block] ?? 0;
}
