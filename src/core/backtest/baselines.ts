import { LANE_PROMISES, type LaneName } from '../advice.ts';
import type { Offer, Past } from './past.ts';

/** A rule beside gastop's own. It sees the blocks up to `at` alone. */
interface Rule {
  readonly rule: string;
  readonly kind: 'peer' | 'naive';
  /** What it signs at block `at`; `null` until it has enough history. */
  offer(past: Past, at: number, lane: LaneName): Offer | null;
}

const GWEI = 1e9;
/** The share of its last windows by whose fall the naive rule goes: of 600 windows, of 300 on stretches under 3,000 blocks. */
export const NAIVE_SHARE = 0.9;
export const trailingWindows = (past: Past, at: number): number =>
  past.lastOf(at) - past.firstOf(at) + 1 < 3_000 ? 300 : 600;

const { withinBlocks } = LANE_PROMISES.slow;

/** The quantile of the price's fall within 25 blocks. */
export const NAIVE_RULE: Rule = {
  rule: 'naive rule',
  kind: 'naive',
  offer(past, at) {
    const trailing = trailingWindows(past, at);
    if (at - past.firstOf(at) < withinBlocks + trailing - 1) return null;
    const falls = Array.from({ length: trailing }, (_, age) => {
      const window = past.price.slice(at - age - withinBlocks + 1, at - age + 1);
      return Math.min(...window) / Math.max(window[0] ?? 1, 1);
    });
    const rank = (trailing - 1) * NAIVE_SHARE;
    const [low = 1, high = low] = falls.sort(ascending).slice(Math.floor(rank), Math.ceil(rank) + 1);
    const fall = low + (high - low) * (rank - Math.floor(rank));
    // The highest minimum tip of the last blocks is nearly always enough.
    const tip = Math.max(...past.asked.slice(at - withinBlocks + 1, at + 1));
    return { cap: Math.ceil(((past.nextBaseFee[at] ?? 0) + tip) * fall), tip };
  },
};

/**
 * By the rules in their sources, of 2021 to 2026. Percentiles that recordings lack are interpolated. In a recording without
 * tips, theirs are 0 and their floors are left out, which favours them.
 */
export const PEERS: readonly Rule[] = [
  // go-ethereum, accounts/abi/bind (basefeeWiggleMultiplier), and ethers 6, AbstractProvider.getFeeData: tip + 2 × the
  // head's base fee. No speeds.
  peer('geth', (past, at) => over(2 * baseFee(past, at), nodeTip(past, at))),
  // viem, estimateFeesPerGas: 1.2 × the latest block's base fee and the node's tip. No speeds.
  peer('viem', (past, at) => over((baseFee(past, at) * 12) / 10, nodeTip(past, at))),
  // MetaMask/core, gas-fee-controller, fetchGasEstimatesViaEthFeeHistory: the fallback for chains that its own API
  // does not serve. Five blocks, the latest block's base fee (`includeNextBlock` is off), lower medians, floors.
  peer('MetaMask', (past, at, lane) => {
    const { rise, percentile, share, floor } = METAMASK[lane];
    const tips = past.lastTips(at, 5, percentile).sort(ascending);
    const tip = Math.floor(((tips[Math.floor((tips.length - 1) / 2)] ?? 0) * share) / 100);
    return over((baseFee(past, at) * rise) / 100, tips.length > 0 ? Math.max(tip, floor) : 0);
  }),
  // blockscout, Chain.Cache.GasPriceOracle: the mean of 200 blocks' percentiles (there of transactions, here of gas)
  // plus the next base fee. It shows a price; a cap equal to it has no margin.
  peer('Blockscout', (past, at, lane) => {
    const tips = past.lastTips(at, 200, BLOCKSCOUT[lane]);
    const mean = tips.reduce((sum, tip) => sum + tip, 0) / Math.max(tips.length, 1);
    return over(past.nextBaseFee[at] ?? 0, mean);
  }),
];

function peer(rule: string, offer: (past: Past, at: number, lane: LaneName) => Offer): Rule {
  return { rule, kind: 'peer', offer };
}

const METAMASK: Readonly<
  Record<LaneName, { rise: number; percentile: number; share: number; floor: number }>
> = {
  slow: { rise: 110, percentile: 10, share: 94, floor: GWEI },
  average: { rise: 120, percentile: 20, share: 97, floor: 1.5 * GWEI },
  fast: { rise: 125, percentile: 30, share: 98, floor: 2 * GWEI },
};
const BLOCKSCOUT: Readonly<Record<LaneName, number>> = { slow: 35, average: 60, fast: 90 };

const ascending = (a: number, b: number): number => a - b;

const baseFee = (past: Past, at: number): number => past.baseFee[at] ?? 0;

function over(base: number, tip: number): Offer {
  const wholeTip = Math.floor(tip);
  return { cap: Math.floor(base) + wholeTip, tip: wholeTip };
}

/** geth's `DefaultMaxPrice` and `DefaultIgnorePrice`. */
const HIGHEST = 500e9;
const LOWEST = 2;

/**
 * `eth_maxPriorityFeePerGas` of geth (eth/gasprice/gasprice.go, `FullNodeGPO`): the 60th percentile of the three lowest tips
 * of 2 wei or more of each of the last 20 blocks; for these stands a block's p10, or its lowest tip.
 */
function nodeTip(past: Past, at: number): number {
  const tips = past
    .lastTips(at, 20, 10)
    .filter((tip) => tip >= LOWEST)
    .sort(ascending);
  return Math.min(tips[Math.floor(((tips.length - 1) * 60) / 100)] ?? 0, HIGHEST);
}
