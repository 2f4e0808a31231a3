import type { LanePromise } from '../advice.ts';
import type { Offer, OfferColumn } from './offer.ts';
import type { Past } from './past.ts';

/** What came of one rule's offers for one lane, over all blocks that were judged. Shares 0 to 1; no unit, no wei. */
export interface LaneScore {
  readonly judged: number;
  /** Share that got in in time. */
  readonly kept: number;
  /** Share that would have got in in time even if the transaction had missed the window's first block. */
  readonly keptLate: number;
  /** Share that would have got into every single block of the window. */
  readonly survived: number;
  /** Mean saving against the least that got into the next block; a miss pays what the window's last block asked for. */
  readonly saving: number;
  /** Mean of how far the cap lay above what was paid, as a share of that, where it got in; `null` where nothing did. */
  readonly overhang: number | null;
  /**
   * Mean pinball loss, in multiples of the next block's price: the cap is taken as the quantile, at the lane's
   * promised share, of the least that got into any block of the window.
   */
  readonly pinball: number;
}

/** Whether an offer made at block `at` has its whole window in the recording. */
export const isSettled = (past: Past, at: number, { withinBlocks }: LanePromise): boolean =>
  at + withinBlocks < past.length;

/**
 * Judges the offers made at the blocks `indices`, whose windows must have ended. In block `j` an offer is included where
 * `min(tip, cap − base fee)` reaches what the block asked for, and pays `min(cap, base fee + tip)`. `null` for no blocks.
 */
export function judgeLane(
  past: Past,
  offers: OfferColumn,
  indices: readonly number[],
  promise: LanePromise,
): LaneScore | null {
  if (indices.length === 0) return null;
  let kept = 0;
  let keptLate = 0;
  let survived = 0;
  let saving = 0;
  let overhang = 0;
  let pinball = 0;
  for (const at of indices) {
    const offer = offers.at(at);
    if (offer === null) throw new RangeError(`nothing was offered at block ${at}`);
    const last = at + promise.withinBlocks;
    // Where nothing is asked for, nothing can be saved: a price of 0 counts as 1 wei, on either side.
    const next = Math.max(past.price[at + 1] ?? 1, 1);
    const { paid, least, late, everywhere } = look(past, offer, at + 1, last);
    saving += 1 - Math.max(paid ?? past.price[last] ?? 1, 1) / next;
    if (paid !== null) {
      kept += 1;
      overhang += Math.max(offer.cap, 1) / Math.max(paid, 1) - 1;
    }
    if (late) keptLate += 1;
    if (everywhere) survived += 1;
    const short = least - offer.cap;
    pinball += Math.max(promise.target * short, (promise.target - 1) * short) / next;
  }
  const judged = indices.length;
  return {
    judged,
    kept: kept / judged,
    keptLate: keptLate / judged,
    survived: survived / judged,
    saving: saving / judged,
    overhang: kept > 0 ? overhang / kept : null,
    pinball: pinball / judged,
  };
}

/** Whether the offer of block `at` got in in time. */
export function isKept(past: Past, offer: Offer, at: number, { withinBlocks }: LanePromise): boolean {
  return look(past, offer, at + 1, at + withinBlocks).paid !== null;
}

interface Outcome {
  /** By the first block that took it; `null` where none did. */
  readonly paid: number | null;
  /** The lowest price of the window. */
  readonly least: number;
  /** Whether any block but the first would have taken it. */
  readonly late: boolean;
  /** Whether every block would have taken it. */
  readonly everywhere: boolean;
}

function look(past: Past, { cap, tip }: Offer, from: number, to: number): Outcome {
  let paid: number | null = null;
  let least = Number.POSITIVE_INFINITY;
  let late = false;
  let everywhere = true;
  for (let block = from; block <= to; block += 1) {
    const baseFee = past.baseFee[block] ?? 0;
    least = Math.min(least, past.price[block] ?? 0);
    if (Math.min(tip, cap - baseFee) < (past.asked[block] ?? 0)) {
      everywhere = false;
      continue;
    }
    paid ??= Math.min(cap, baseFee + tip);
    late ||= block > from;
  }
  return { paid, least, late, everywhere };
}

/** Perfect foresight: the cheapest block of the window, asked for exactly. `null` where the window is cut short. */
export function foresight(past: Past, at: number, promise: LanePromise): Offer | null {
  if (!isSettled(past, at, promise)) return null;
  let best = at + 1;
  for (let block = best; block <= at + promise.withinBlocks; block += 1) {
    if ((past.price[block] ?? 0) < (past.price[best] ?? 0)) best = block;
  }
  return { cap: past.price[best] ?? 0, tip: past.asked[best] ?? 0 };
}
