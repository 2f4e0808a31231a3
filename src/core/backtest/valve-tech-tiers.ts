import type { LaneName } from '../advice.ts';
import type { LaneOffers, Offer } from './offer.ts';
import type { Past } from './past.ts';
import { lastTips, median } from './peer-tips.ts';

/** Base fees of which the first and the last tell the trend; the next block's is the last. */
const TREND_FEES = 5;
/** Whole percent. */
const TREND = 10;
const TIP_BLOCKS = 20;

/**
 * How many blocks' worst case the cap survives is the caller's choice: here the lane's, and for Slow the 6 that its
 * documentation gives a wallet. The tips of its tiers slow, standard, fast.
 */
const TIERS: Readonly<Record<LaneName, { blocks: number; percentile: number }>> = {
  slow: { blocks: 6, percentile: 10 },
  average: { blocks: 3, percentile: 50 },
  fast: { blocks: 2, percentile: 75 },
};

/**
 * valve-tech/gas-oracle (packages/gas-oracle/src/math.ts, 2026): the newest base fee × (9/8)^N, a ninth more where the
 * last five base fees rise, the bare base fee where they fall. Its tips are percentiles of all transactions of 20 blocks;
 * the median of the blocks' own percentiles stands for them, without the floor that keeps a published tip from falling
 * fast, which favours it.
 */
export function valveTechTiers(past: Past): LaneOffers {
  const trend = trendOf(past);
  const baseFee = past.baseFee[past.length - 1] ?? 0;
  const tier = (lane: LaneName): Offer => {
    const { blocks, percentile } = TIERS[lane];
    const rise = trend < -TREND ? 1 : (9 / 8) ** blocks * (trend > TREND ? 10 / 9 : 1);
    const tip = Math.floor(median(lastTips(past, TIP_BLOCKS, percentile)));
    return { cap: Math.floor(baseFee * rise) + tip, tip };
  };
  return { slow: tier('slow'), average: tier('average'), fast: tier('fast') };
}

/** Percent, cut to a whole number as theirs is. */
function trendOf(past: Past): number {
  const from = past.length - TREND_FEES + 1;
  const first = past.baseFee[Math.max(from, 0)] ?? 0;
  const last = past.nextBaseFee[past.length - 1] ?? 0;
  if (first === 0) return last > 0 ? TREND + 1 : 0;
  return Math.trunc(((last - first) * 100) / first);
}
