import type { LaneName } from '../advice.ts';
import type { LaneOffers, Offer } from './offer.ts';
import type { Past } from './past.ts';
import { ascending } from './peer-tips.ts';

const BLOCKS = 300;
/** Share of the weight below which a base fee counts nothing, and from which everything. */
const LOW = 0.1;
const HIGH = 0.3;
/** Of what a longer wait may ask more than a shorter one, this share goes into the tip. */
const EXTRA_TIP = 0.25;
const FULL_BLOCK = 0.9;
const TIME_FACTORS = [128, 64, 32, 16, 8, 4, 2, 1] as const;
/** The longest that is not longer than the lane; Fast is its most urgent. */
const LANE_FACTOR: Readonly<Record<LaneName, number>> = { slow: 16, average: 2, fast: 1 };

const TIP_BLOCKS = 5;
const TIP_PERCENTILES = Array.from({ length: 21 }, (_, percentile) => percentile);
const FALLBACK_TIP = 2e9;

/** Weight of a block by its age, for each factor, before it is brought to a sum of 1. */
const DECAY = new Map<number, Float64Array>(
  TIME_FACTORS.map((factor) => [
    factor,
    Float64Array.from({ length: BLOCKS + 1 }, (_, age) => Math.exp(-age / (factor - 1))),
  ]),
);

/**
 * zsfelfoldi/feehistory (js/feeOracle.js with 300 blocks, 2021), the oracle that geth's fee history was made for: low
 * quantiles of past base fees, younger blocks weighted more the shorter the wait; a shorter wait never signs less than a
 * longer one. Its document speaks of half a sine between the 10 % and 30 % quantile, its code takes a whole one; here
 * counts the code. Of its tips, percentiles 0 to 20 of five blocks, only p10 and p25 are known; the others are
 * interpolated.
 */
export function feeHistorySuggestion(past: Past): LaneOffers {
  const fees = recentFees(past);
  const order = Float64Array.from(fees.keys()).sort((a, b) => (fees[a] ?? 0) - (fees[b] ?? 0) || a - b);
  const tips = recentTips(past);
  const suggestions = new Map<number, Offer>();
  let highest = 0;
  for (const factor of TIME_FACTORS) {
    const fee = lowFee(fees, order, factor);
    highest = Math.max(highest, fee);
    const tip = lowTip(tips, factor, past.hasTips);
    suggestions.set(factor, {
      cap: Math.floor(highest + tip),
      tip: Math.floor(tip + (highest - fee) * EXTRA_TIP),
    });
  }
  const at = (lane: LaneName): Offer => suggestions.get(LANE_FACTOR[lane]) ?? { cap: 0, tip: 0 };
  return { slow: at('slow'), average: at('average'), fast: at('fast') };
}

/** The last base fees with the next block's worst case at the end; full blocks count as dear as what follows them. */
function recentFees(past: Past): number[] {
  const newest = past.length - 1;
  const first = Math.max(past.length - BLOCKS, 0);
  const fees = Array.from(past.baseFee.subarray(first, past.length));
  fees.push(((past.nextBaseFee[newest] ?? 0) * 9) / 8);
  for (let at = newest; at >= first; at -= 1) {
    if ((past.gasUsedRatio[at] ?? 0) > FULL_BLOCK) fees[at - first] = fees[at - first + 1] ?? 0;
  }
  return fees;
}

function lowFee(fees: readonly number[], order: Float64Array, factor: number): number {
  const newest = fees.length - 1;
  const decay = DECAY.get(factor);
  if (factor === 1 || decay === undefined) return fees[newest] ?? 0;
  const unit = (1 - Math.exp(-1 / (factor - 1))) / (1 - Math.exp(-fees.length / (factor - 1)));
  let weight = 0;
  let counted = 0;
  let fee = 0;
  for (const index of order) {
    weight += unit * (decay[newest - index] ?? 0);
    const share = samplingCurve(weight);
    fee += (share - counted) * (fees[index] ?? 0);
    counted = share;
    if (share >= 1) break;
  }
  return fee;
}

function samplingCurve(weight: number): number {
  if (weight <= LOW) return 0;
  if (weight >= HIGH) return 1;
  return (1 - Math.cos(((weight - LOW) / (HIGH - LOW)) * 2 * Math.PI)) / 2;
}

/** Low tips of the last blocks that were neither empty nor full, in order. */
function recentTips(past: Past): number[] {
  const tips: number[] = [];
  let blocks = 0;
  for (let at = past.length - 1; at >= Math.max(past.length - BLOCKS, 0) && blocks < TIP_BLOCKS; at -= 1) {
    const used = past.gasUsedRatio[at] ?? 0;
    if (used === 0 || used > FULL_BLOCK) continue;
    blocks += 1;
    for (const percentile of TIP_PERCENTILES) {
      const tip = past.tip(at, percentile);
      if (tip > 0) tips.push(tip);
    }
  }
  return tips.sort(ascending);
}

function lowTip(tips: readonly number[], factor: number, hasTips: boolean): number {
  if (!hasTips) return 0;
  return tips[Math.floor(((tips.length - 1) * (40 + 30 / factor)) / 100)] ?? FALLBACK_TIP;
}
