import type { Stretch } from './stretch.ts';

/** A price said to be reached within a time. */
export interface Target {
  readonly price: number;
  readonly probability: number | null;
}

export interface HorizonScore {
  readonly horizonSec: number;
  readonly judged: number;
  readonly kept: number;
  readonly stated: number;
  /** Mean saving against the next block's price; a miss pays what the horizon's last block asked for. */
  readonly saving: number;
  /** The same with the cheapest block of the horizon. */
  readonly foresight: number;
  /** Mean distance between stated and kept over ten groups of stated probability, weighted by their size. */
  readonly calibrationError: number;
}

/** Judges one horizon's targets by index; those without a probability, or whose time ends after the stretch, count nothing. */
export function judgeHorizon(
  blocks: Stretch,
  targets: readonly (Target | null)[],
  horizonSec: number,
): HorizonScore | null {
  let judged = 0;
  let kept = 0;
  let statedSum = 0;
  let saving = 0;
  let foresight = 0;
  const groups = Array.from({ length: 10 }, () => ({ size: 0, kept: 0, stated: 0 }));
  const end = blocks.time[blocks.length - 1] ?? 0;
  for (const [at, target] of targets.entries()) {
    const until = (blocks.time[at] ?? 0) + horizonSec;
    if (target === null || target.probability === null || until >= end) continue;
    const window = look(blocks, at, until, target.price);
    if (window === null) continue;
    const { paid, cheapest, isReached } = window;
    const next = Math.max(blocks.price[at + 1] ?? 1, 1);
    judged += 1;
    kept += isReached ? 1 : 0;
    statedSum += target.probability;
    saving += 1 - paid / next;
    foresight += 1 - cheapest / next;
    const group = groups[Math.min(Math.floor(target.probability * 10), 9)];
    if (group === undefined) continue;
    group.size += 1;
    group.kept += isReached ? 1 : 0;
    group.stated += target.probability;
  }
  if (judged === 0) return null;
  const apart = groups.reduce((sum, group) => sum + Math.abs(group.stated - group.kept), 0);
  return {
    horizonSec,
    judged,
    kept: kept / judged,
    stated: statedSum / judged,
    saving: saving / judged,
    foresight: foresight / judged,
    calibrationError: apart / judged,
  };
}

/** What is paid by who waits for `price`: that of the first block that asks for no more, or the last one's. */
function look(blocks: Stretch, at: number, until: number, price: number) {
  let cheapest = Number.POSITIVE_INFINITY;
  let reached: number | null = null;
  let last: number | null = null;
  for (let block = at + 1; block < blocks.length && (blocks.time[block] ?? 0) <= until; block += 1) {
    const asks = blocks.price[block] ?? 0;
    cheapest = Math.min(cheapest, asks);
    if (reached === null && asks <= price) reached = asks;
    last = asks;
  }
  return last === null ? null : { paid: reached ?? last, cheapest, isReached: reached !== null };
}
