import { eachLane, LANE_PROMISES, type LaneName } from '../advice.ts';
import { quantiles } from '../percentiles.ts';
import type { LaneOffers, Offer, Past } from './past.ts';

const TRAILING = 600;
const TRAILING_SHORT = 300;
const SHORT_STRETCH = 3_000;
const SHARE = 0.9;
const { withinBlocks } = LANE_PROMISES.slow;

/**
 * The baseline for Slow: the trailing 90 % quantile of how far the price fell within 25 blocks, over the last 600
 * such windows, 300 on stretches under 3,000 blocks. The price is base fee and tip together when tips are known.
 */
export class NaiveRule {
  readonly #trailing: number;
  readonly #falls: number[] = [];

  /** @param stretch number of blocks to walk. */
  constructor(stretch: number) {
    this.#trailing = stretch < SHORT_STRETCH ? TRAILING_SHORT : TRAILING;
  }

  /** Its offer at the newest block, to be called at every block; `null` until it has enough history. */
  offer(past: Past): Offer | null {
    const newest = past.length - 1;
    const window = past.price.subarray(Math.max(newest - withinBlocks + 1, 0), newest + 1);
    if (newest < withinBlocks) return null;
    this.#falls.push(Math.min(...window) / Math.max(window[0] ?? 1, 1));
    if (this.#falls.length < this.#trailing) return null;
    if (this.#falls.length > this.#trailing) this.#falls.shift();
    const fall = quantiles(this.#falls, [SHARE])[0] ?? 1;
    const tip = highestMinimumTip(past);
    return { cap: Math.ceil(((past.nextBaseFee[newest] ?? 0) + tip) * fall), tip };
  }
}

/** The highest minimum tip of the last blocks, which is nearly always enough. */
function highestMinimumTip(past: Past): number {
  return Math.max(...past.asked.subarray(Math.max(past.length - withinBlocks, 0), past.length));
}

const GWEI = 1e9;

/**
 * The fees that other tools sign from the same blocks, by the rules in their sources, of 2021 to 2026. `baseFee`
 * belongs to the newest block, `nextBaseFee` to the next. Percentiles that recordings lack are interpolated. In a
 * recording without tips, theirs are 0 and their floors are left out, which favours them.
 */
interface Peer {
  readonly name: string;
  offers(past: Past): LaneOffers;
}

export const PEERS: readonly Peer[] = [
  {
    // go-ethereum, accounts/abi/bind (basefeeWiggleMultiplier): tip + 2 × the head's base fee. No speeds.
    name: 'geth',
    offers: (past) => eachLane(() => over(2 * baseFee(past), nodeTip(past))),
  },
  {
    // viem, estimateFeesPerGas: 1.2 × the latest block's base fee and the node's tip. No speeds.
    name: 'viem',
    offers: (past) => eachLane(() => over((baseFee(past) * 12) / 10, nodeTip(past))),
  },
  {
    // ethers 6, AbstractProvider.getFeeData: 2 × the latest block's base fee and the node's tip (1 gwei when the node
    // states none, which geth always does). No speeds.
    name: 'ethers',
    offers: (past) => eachLane(() => over(2 * baseFee(past), nodeTip(past))),
  },
  {
    // MetaMask/core, gas-fee-controller, fetchGasEstimatesViaEthFeeHistory: the fallback for chains that its own API
    // does not serve. Five blocks, the latest block's base fee (`includeNextBlock` is off), lower medians, floors.
    name: 'MetaMask',
    offers: (past) =>
      eachLane((lane) => {
        const { rise, percentile, share, floor } = METAMASK[lane];
        const tips = lastTips(past, 5, percentile).sort(ascending);
        const tip = Math.floor(((tips[Math.floor((tips.length - 1) / 2)] ?? 0) * share) / 100);
        return over((baseFee(past) * rise) / 100, past.hasTips ? Math.max(tip, floor) : 0);
      }),
  },
  {
    // foundry-rs/foundry, common/src/provider/fee.rs with its presets low, market, aggressive (2026): ten blocks, the
    // median of tips above 0 in blocks at least a tenth full, at least 1 wei; the latest block's base fee.
    name: 'Foundry',
    offers: (past) =>
      eachLane((lane) => {
        const { rise, percentile } = FOUNDRY[lane];
        const tip = Math.max(median(lastBusyTips(past, 10, percentile)), past.hasTips ? 1 : 0);
        return over(rise * baseFee(past), tip);
      }),
  },
  {
    // blockscout, Chain.Cache.GasPriceOracle: the mean of 200 blocks' percentiles (there of transactions, here of
    // gas) plus the next base fee. It shows a price; a cap equal to it has no margin.
    name: 'Blockscout',
    offers: (past) =>
      eachLane((lane) => over(nextBaseFee(past), mean(lastTips(past, 200, BLOCKSCOUT[lane])))),
  },
  { name: 'valve-tech', offers: valveTechTiers },
  { name: 'feehistory', offers: feeHistorySuggestion },
];

interface Speeds<Value> extends Readonly<Record<LaneName, Value>> {}

const METAMASK: Speeds<{ rise: number; percentile: number; share: number; floor: number }> = {
  slow: { rise: 110, percentile: 10, share: 94, floor: GWEI },
  average: { rise: 120, percentile: 20, share: 97, floor: 1.5 * GWEI },
  fast: { rise: 125, percentile: 30, share: 98, floor: 2 * GWEI },
};
const FOUNDRY: Speeds<{ rise: number; percentile: number }> = {
  slow: { rise: 1.5, percentile: 10 },
  average: { rise: 2, percentile: 20 },
  fast: { rise: 2, percentile: 50 },
};
const FOUNDRY_BUSY = 0.1;
const BLOCKSCOUT: Speeds<number> = { slow: 35, average: 60, fast: 90 };

const baseFee = (past: Past): number => past.baseFee[past.length - 1] ?? 0;
const nextBaseFee = (past: Past): number => past.nextBaseFee[past.length - 1] ?? 0;

/** They compute in whole wei and round down. */
function over(base: number, tip: number): Offer {
  const wholeTip = Math.floor(tip);
  return { cap: Math.floor(base) + wholeTip, tip: wholeTip };
}

function lastBusyTips(past: Past, blocks: number, percentile: number): number[] {
  const tips: number[] = [];
  for (let at = Math.max(past.length - blocks, 0); at < past.length; at += 1) {
    const tip = past.tip(at, percentile);
    if ((past.gasUsedRatio[at] ?? 0) >= FOUNDRY_BUSY && tip > 0) tips.push(tip);
  }
  return tips;
}

/** geth's `DefaultMaxPrice` and `DefaultIgnorePrice`. */
const HIGHEST = 500e9;
const LOWEST = 2;

/**
 * The response of a node to `eth_maxPriorityFeePerGas`: geth's oracle (eth/gasprice/gasprice.go, `FullNodeGPO`) takes
 * the three lowest tips of 2 wei or more of each of the last 20 blocks, and the 60th percentile of these. A recording
 * has no single transactions, so a block's p10 (or its lowest tip, if only that was recorded) substitutes for its
 * three.
 */
function nodeTip(past: Past): number {
  const tips = lastTips(past, 20, 10)
    .filter((tip) => tip >= LOWEST)
    .sort(ascending);
  return Math.min(tips[Math.floor(((tips.length - 1) * 60) / 100)] ?? 0, HIGHEST);
}

/** One tip percentile of the last blocks with known tips. */
function lastTips(past: Past, blocks: number, percentile: number): number[] {
  const tips: number[] = [];
  for (let at = Math.max(past.length - blocks, 0); at < past.length; at += 1) {
    const tip = past.tip(at, percentile);
    if (!Number.isNaN(tip)) tips.push(tip);
  }
  return tips;
}

const ascending = (a: number, b: number): number => a - b;

/** The middle value, or the mean of the two middle values; 0 for none. */
const median = (values: readonly number[]): number =>
  values.length === 0 ? 0 : (quantiles(values, [0.5])[0] ?? 0);

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;

const BLOCKS = 300;
/** Shares of the weight: below `LOW` a base fee does not count, from `HIGH` on it counts fully. */
const LOW = 0.1;
const HIGH = 0.3;
/** Share of the extra fee of a longer wait that goes into the tip. */
const EXTRA_TIP = 0.25;
const FULL_BLOCK = 0.9;
const TIME_FACTORS = [128, 64, 32, 16, 8, 4, 2, 1] as const;
/** The longest wait within the lane's; Fast is the most urgent. */
const LANE_FACTOR: Readonly<Record<LaneName, number>> = { slow: 16, average: 2, fast: 1 };

const SUGGESTION_TIP_BLOCKS = 5;
const TIP_PERCENTILES = Array.from({ length: 21 }, (_, percentile) => percentile);
const FALLBACK_TIP = 2e9;

/** Weight of a block by its age, for each factor, before normalisation to a sum of 1. */
const DECAY = new Map<number, Float64Array>(
  TIME_FACTORS.map((factor) => [
    factor,
    Float64Array.from({ length: BLOCKS + 1 }, (_, age) => Math.exp(-age / (factor - 1))),
  ]),
);

/**
 * zsfelfoldi/feehistory (js/feeOracle.js with 300 blocks, 2021), the oracle for which geth's fee history was made:
 * low quantiles of past base fees, with more weight on younger blocks for shorter waits; a shorter wait never signs
 * less than a longer one. Its document describes half a sine between the 10 % and 30 % quantile, its code a whole
 * one; this follows the code. Its tips are percentiles 0 to 20 of five blocks, of which recordings have only p10 and
 * p25; the others are interpolated.
 */
function feeHistorySuggestion(past: Past): LaneOffers {
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
  return eachLane((lane) => suggestions.get(LANE_FACTOR[lane]) ?? { cap: 0, tip: 0 });
}

/** The last base fees, followed by the next block's worst case; a full block counts as its successor's fee. */
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
  for (
    let at = past.length - 1;
    at >= Math.max(past.length - BLOCKS, 0) && blocks < SUGGESTION_TIP_BLOCKS;
    at -= 1
  ) {
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

/** Number of base fees whose first and last define the trend; the last is the next block's. */
const TREND_FEES = 5;
const TREND = 10;
const TIER_TIP_BLOCKS = 20;

/**
 * The caller chooses how many worst-case blocks the cap survives: here the lane's, and for Slow the 6 that its
 * documentation recommends to wallets. Tips of its tiers slow, standard, fast.
 */
const TIERS: Readonly<Record<LaneName, { blocks: number; percentile: number }>> = {
  slow: { blocks: 6, percentile: 10 },
  average: { blocks: 3, percentile: 50 },
  fast: { blocks: 2, percentile: 75 },
};

/**
 * valve-tech/gas-oracle (packages/gas-oracle/src/math.ts, 2026): the newest base fee × (9/8)^N, a ninth more when the
 * last five base fees rise, the bare base fee when they fall. Its tips are percentiles of all transactions of 20
 * blocks, here replaced by the median of the blocks' own percentiles, without the floor that slows the fall of a
 * published tip, which favours it.
 */
function valveTechTiers(past: Past): LaneOffers {
  const trend = trendOf(past);
  const baseFee = past.baseFee[past.length - 1] ?? 0;
  return eachLane((lane) => {
    const { blocks, percentile } = TIERS[lane];
    const rise = trend < -TREND ? 1 : (9 / 8) ** blocks * (trend > TREND ? 10 / 9 : 1);
    const tip = Math.floor(median(lastTips(past, TIER_TIP_BLOCKS, percentile)));
    return { cap: Math.floor(baseFee * rise) + tip, tip };
  });
}

/** Percent, truncated to a whole number as in its source. */
function trendOf(past: Past): number {
  const from = past.length - TREND_FEES + 1;
  const first = past.baseFee[Math.max(from, 0)] ?? 0;
  const last = past.nextBaseFee[past.length - 1] ?? 0;
  if (first === 0) return last > 0 ? TREND + 1 : 0;
  return Math.trunc(((last - first) * 100) / first);
}
