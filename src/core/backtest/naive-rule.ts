import { LANE_PROMISES } from '../advice.ts';
import { quantileOfSorted } from '../percentiles.ts';
import type { Offer } from './offer.ts';
import type { Stretch } from './stretch.ts';

const TRAILING = 600;
const TRAILING_SHORT = 300;
const SHORT_STRETCH = 3_000;
const SHARE = 0.9;

/**
 * The rule to beat for Slow: the trailing 90 % quantile of how far the price fell within 25 blocks. It is told what each
 * block asked for, so where tips are known it waits for base fee and tip together.
 */
export function naiveOffers(blocks: Stretch): readonly (Offer | null)[] {
  const { withinBlocks } = LANE_PROMISES.slow;
  const trailing = blocks.length < SHORT_STRETCH ? TRAILING_SHORT : TRAILING;
  const falls = Float64Array.from({ length: blocks.length }, (_, at) => {
    const window = blocks.price.subarray(at + 1, at + 1 + withinBlocks);
    return window.length < withinBlocks ? Number.NaN : Math.min(...window) / (window[0] ?? 1);
  });
  return Array.from(blocks.price, (_, at) => {
    // Known at `at`: windows that have ended.
    const known = falls.subarray(
      Math.max(at - withinBlocks - trailing + 1, 0),
      Math.max(at - withinBlocks + 1, 0),
    );
    if (known.length < trailing) return null;
    const fall = quantileOfSorted(known.toSorted(), SHARE);
    const tip = lowTip(blocks, at);
    return { cap: Math.ceil(((blocks.nextBaseFee[at] ?? 0) + tip) * fall), tip };
  });
}

/** The highest tip that the last blocks asked for at least: within reach nearly always. */
function lowTip(blocks: Stretch, at: number): number {
  return Math.max(...blocks.asked.subarray(Math.max(at - 24, 0), at + 1));
}
