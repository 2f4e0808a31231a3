import type { LaneName } from '../advice.ts';
import type { TipPercentile } from '../block.ts';
import { quantiles } from '../percentiles.ts';
import { feeHistorySuggestion } from './fee-history-suggestion.ts';
import type { Offer } from './offer.ts';
import type { Stretch } from './stretch.ts';

const GWEI = 1e9;

/**
 * What other tools sign, from the same blocks: the rules as their sources state them, of 2024 to 2026. Recordings hold
 * tips at seven percentiles only, so a rule that asks for another one is given the nearest below; where a recording has no
 * tips, their tip is 0 too and their floors are left out, which favours them.
 */
export interface Peer {
  readonly name: string;
  /** What it signs for a lane, knowing the blocks up to `at`. */
  offer(blocks: Stretch, at: number, lane: LaneName): Offer;
}

interface Speeds<Value> extends Readonly<Record<LaneName, Value>> {}

export const PEERS: readonly Peer[] = [
  {
    // eth_maxPriorityFeePerGas and bind's transactor: tip + 2 × base fee.
    name: 'geth',
    offer: (blocks, at) => over(2 * base(blocks, at), gethTip(blocks, at)),
  },
  {
    // estimateFeesPerGas: base fee × 1.2 and the node's tip.
    name: 'viem',
    offer: (blocks, at) => over(1.2 * base(blocks, at), gethTip(blocks, at)),
  },
  {
    // FeeData of version 6: 2 × base fee and the node's tip.
    name: 'ethers',
    offer: (blocks, at) => over(2 * base(blocks, at), gethTip(blocks, at)),
  },
  {
    // The fallback by eth_feeHistory: medians of five blocks, with floors.
    name: 'MetaMask',
    offer: (blocks, at, lane) => {
      const { rise, percentile, share, floor } = METAMASK[lane];
      const tip = middle(lastTips(blocks, at, 5, percentile)) * share;
      return over(rise * (blocks.nextBaseFee[at] ?? 0), blocks.hasTips ? Math.max(tip, floor) : 0);
    },
  },
  {
    // Ten blocks, the median of the tips above zero.
    name: 'Foundry',
    offer: (blocks, at, lane) => {
      const { rise, percentile } = FOUNDRY[lane];
      const tips = lastTips(blocks, at, 10, percentile).filter((tip) => tip > 0);
      return over(rise * base(blocks, at), middle(tips));
    },
  },
  {
    // The mean over 200 blocks of each block's percentile, upon the pending base fee.
    name: 'Blockscout',
    offer: (blocks, at, lane) => {
      const tips = lastTips(blocks, at, 200, BLOCKSCOUT[lane]);
      return over(blocks.nextBaseFee[at] ?? 0, mean(tips));
    },
  },
  {
    // The worst case of the blocks that the lane has, at most eight.
    name: '(9/8)^N',
    offer: (blocks, at, lane) =>
      over((blocks.nextBaseFee[at] ?? 0) * (9 / 8) ** WORST_CASE_BLOCKS[lane], gethTip(blocks, at)),
  },
  {
    name: 'feehistory',
    offer: (blocks, at, lane) => feeHistorySuggestion(blocks, at, lane, gethTip(blocks, at)),
  },
];

const METAMASK: Speeds<{ rise: number; percentile: TipPercentile; share: number; floor: number }> = {
  slow: { rise: 1.1, percentile: 10, share: 0.94, floor: GWEI },
  average: { rise: 1.2, percentile: 10, share: 0.97, floor: 1.5 * GWEI },
  fast: { rise: 1.25, percentile: 25, share: 0.98, floor: 2 * GWEI },
};
const FOUNDRY: Speeds<{ rise: number; percentile: TipPercentile }> = {
  slow: { rise: 1.5, percentile: 10 },
  average: { rise: 2, percentile: 10 },
  fast: { rise: 2, percentile: 50 },
};
const BLOCKSCOUT: Speeds<TipPercentile> = { slow: 25, average: 50, fast: 90 };
const WORST_CASE_BLOCKS: Speeds<number> = { slow: 8, average: 3, fast: 2 };

const base = (blocks: Stretch, at: number): number => blocks.baseFee[at] ?? 0;

const over = (baseFee: number, tip: number): Offer => ({
  cap: Math.round(baseFee + tip),
  tip: Math.round(tip),
});

/** geth's oracle: the 60th percentile of the three lowest tips of each of 20 blocks; p10 stands for the three. */
function gethTip(blocks: Stretch, at: number): number {
  const tips = lastTips(blocks, at, 20, 10).filter((tip) => tip >= 2);
  if (tips.length === 0) return 0;
  return Math.min(quantiles(tips, [0.6])[0] ?? 0, 500 * GWEI);
}

function lastTips(blocks: Stretch, at: number, count: number, percentile: TipPercentile): number[] {
  const tips: number[] = [];
  for (let index = Math.max(at - count + 1, 0); index <= at; index += 1) {
    const tip = blocks.tip(index, percentile);
    if (!Number.isNaN(tip)) tips.push(tip);
  }
  return tips;
}

const middle = (values: readonly number[]): number =>
  values.length === 0 ? 0 : (quantiles(values, [0.5])[0] ?? 0);

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
