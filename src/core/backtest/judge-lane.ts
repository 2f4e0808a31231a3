import type { Offer } from './offer.ts';
import type { Stretch } from './stretch.ts';

/** What came of offers for one lane's window of blocks, over all blocks that were judged. */
export interface LaneScore {
  readonly judged: number;
  /** Share that got in in time. */
  readonly kept: number;
  /** Mean of what was stated; `null` for rules that state nothing. */
  readonly stated: number | null;
  /** Mean saving against the least that got into the next block; a miss pays what the window's last block asked for. */
  readonly saving: number;
  /** Mean of how far the cap lay above what was paid, as a share of it, where it got in. */
  readonly overhang: number;
  /** Mean pinball loss of the cap as the `target` quantile of what the window asked for at least, over the next price. */
  readonly pinball: number;
}

export interface LaneQuestion {
  readonly withinBlocks: number;
  /** The lane's promise, which the pinball loss is taken at. */
  readonly target: number;
}

/**
 * Judges offers by index; `null` and those whose window reaches past the end count nothing. In block `j` an offer is
 * included where `min(tip, cap − base fee)` reaches what the block asked for, and pays `min(cap, base fee + tip)`.
 */
export function judgeLane(
  blocks: Stretch,
  offers: readonly (Offer | null)[],
  { withinBlocks, target }: LaneQuestion,
  stated: readonly (number | null)[] | null = null,
): LaneScore {
  let judged = 0;
  let kept = 0;
  let statedSum = 0;
  let saving = 0;
  let overhang = 0;
  let pinball = 0;
  for (const [at, offer] of offers.entries()) {
    if (offer === null || at + withinBlocks >= blocks.length) continue;
    const probability = stated?.[at] ?? null;
    if (stated !== null && probability === null) continue;
    judged += 1;
    statedSum += probability ?? 0;
    const next = Math.max(blocks.price[at + 1] ?? 1, 1);
    const included = inclusion(blocks, offer, at, withinBlocks);
    const paid =
      included === null
        ? (blocks.price[at + withinBlocks] ?? 0)
        : Math.min(offer.cap, (blocks.baseFee[included] ?? 0) + offer.tip);
    if (included !== null) {
      kept += 1;
      overhang += offer.cap / Math.max(paid, 1) - 1;
    }
    saving += 1 - paid / next;
    const short = Math.min(...blocks.price.subarray(at + 1, at + 1 + withinBlocks)) - offer.cap;
    pinball += Math.max(target * short, (target - 1) * short) / next;
  }
  return {
    judged,
    kept: kept / judged,
    stated: stated === null ? null : statedSum / judged,
    saving: saving / judged,
    overhang: overhang / kept,
    pinball: pinball / judged,
  };
}

function inclusion(blocks: Stretch, { cap, tip }: Offer, at: number, withinBlocks: number): number | null {
  for (let block = at + 1; block <= at + withinBlocks; block += 1) {
    if (Math.min(tip, cap - (blocks.baseFee[block] ?? 0)) >= (blocks.asked[block] ?? 0)) return block;
  }
  return null;
}

/** Perfect foresight: the cheapest block of each window, asked for exactly. */
export function foresightOffers(blocks: Stretch, withinBlocks: number): readonly (Offer | null)[] {
  return Array.from(blocks.price, (_, at) => {
    let best: Offer | null = null;
    for (let block = at + 1; block <= at + withinBlocks && block < blocks.length; block += 1) {
      const cap = blocks.price[block] ?? 0;
      if (best === null || cap < best.cap) best = { cap, tip: blocks.asked[block] ?? 0 };
    }
    return best;
  });
}
