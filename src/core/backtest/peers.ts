import type { LaneName } from '../advice.ts';
import { feeHistorySuggestion } from './fee-history-suggestion.ts';
import type { LaneOffers, Offer } from './offer.ts';
import type { Past } from './past.ts';
import { ascending, lastTips, mean, median, nodeTip } from './peer-tips.ts';
import { valveTechTiers } from './valve-tech-tiers.ts';

const GWEI = 1e9;

/**
 * What other tools sign, from the same blocks: the rules as their sources state them, of 2021 to 2026. `baseFee` is the
 * newest block's, `nextBaseFee` that of the block to come. Percentiles that recordings do not hold are interpolated.
 * Where a recording has no tips, theirs are 0 too and their floors are left out, which favours them.
 */
export interface Peer {
  readonly name: string;
  /** What it signs for each lane, knowing `past`. */
  offers(past: Past): LaneOffers;
}

export const PEERS: readonly Peer[] = [
  {
    // go-ethereum, accounts/abi/bind (basefeeWiggleMultiplier): tip + 2 × the head's base fee. No speeds.
    name: 'geth',
    offers: (past) => same(over(2 * baseFee(past), nodeTip(past))),
  },
  {
    // viem, estimateFeesPerGas: 1.2 × the latest block's base fee and the node's tip. No speeds.
    name: 'viem',
    offers: (past) => same(over((baseFee(past) * 12) / 10, nodeTip(past))),
  },
  {
    // ethers 6, AbstractProvider.getFeeData: 2 × the latest block's base fee and the node's tip (1 gwei where the node
    // has no word for it, which geth always has). No speeds.
    name: 'ethers',
    offers: (past) => same(over(2 * baseFee(past), nodeTip(past))),
  },
  {
    // MetaMask/core, gas-fee-controller, fetchGasEstimatesViaEthFeeHistory: the fallback where its own API does not
    // serve the chain. Five blocks, the latest one's base fee (`includeNextBlock` is off), lower medians, floors.
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
    // blockscout, Chain.Cache.GasPriceOracle: the mean of 200 blocks' percentiles (of transactions there, of gas here)
    // upon the next base fee. It shows a price; who signs it has no room above it.
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

/** They count in whole wei and round down. */
function over(base: number, tip: number): Offer {
  const wholeTip = Math.floor(tip);
  return { cap: Math.floor(base) + wholeTip, tip: wholeTip };
}

const same = (offer: Offer): LaneOffers => ({ slow: offer, average: offer, fast: offer });

const eachLane = (offer: (lane: LaneName) => Offer): LaneOffers => ({
  slow: offer('slow'),
  average: offer('average'),
  fast: offer('fast'),
});

function lastBusyTips(past: Past, blocks: number, percentile: number): number[] {
  const tips: number[] = [];
  for (let at = Math.max(past.length - blocks, 0); at < past.length; at += 1) {
    const tip = past.tip(at, percentile);
    if ((past.gasUsedRatio[at] ?? 0) >= FOUNDRY_BUSY && tip > 0) tips.push(tip);
  }
  return tips;
}
