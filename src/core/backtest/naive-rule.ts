import { LANE_PROMISES } from '../advice.ts';
import { quantiles } from '../percentiles.ts';
import type { Offer } from './offer.ts';
import type { Past } from './past.ts';

const TRAILING = 600;
const TRAILING_SHORT = 300;
const SHORT_STRETCH = 3_000;
const SHARE = 0.9;
const { withinBlocks } = LANE_PROMISES.slow;

/**
 * The rule to beat for Slow: the trailing 90 % quantile of how far the price fell within 25 blocks, 600 such windows
 * back, 300 on stretches under 3,000 blocks. It is told what each block asked for, so where tips are known it waits for
 * base fee and tip together.
 */
export class NaiveRule {
  readonly #trailing: number;
  readonly #falls: number[] = [];

  /** @param stretch blocks that will be walked. */
  constructor(stretch: number) {
    this.#trailing = stretch < SHORT_STRETCH ? TRAILING_SHORT : TRAILING;
  }

  /** What it signs at the newest block, to be asked at every block; `null` until it has seen enough. */
  offer(past: Past): Offer | null {
    const newest = past.length - 1;
    const window = past.price.subarray(Math.max(newest - withinBlocks + 1, 0), newest + 1);
    if (newest < withinBlocks) return null;
    this.#falls.push(Math.min(...window) / Math.max(window[0] ?? 1, 1));
    if (this.#falls.length < this.#trailing) return null;
    if (this.#falls.length > this.#trailing) this.#falls.shift();
    const fall = quantiles(this.#falls, [SHARE])[0] ?? 1;
    const tip = lowTip(past);
    return { cap: Math.ceil(((past.nextBaseFee[newest] ?? 0) + tip) * fall), tip };
  }
}

/** The highest tip that the last blocks asked for at least: within reach nearly always. */
function lowTip(past: Past): number {
  return Math.max(...past.asked.subarray(Math.max(past.length - withinBlocks, 0), past.length));
}
