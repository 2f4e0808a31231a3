import { quantiles } from '../percentiles.ts';
import type { Past } from './past.ts';

/** geth's `DefaultMaxPrice` and `DefaultIgnorePrice`. */
const HIGHEST = 500e9;
const LOWEST = 2;

/**
 * What a node answers to `eth_maxPriorityFeePerGas`: geth's oracle (eth/gasprice/gasprice.go, `FullNodeGPO`). The three
 * lowest tips of 2 wei or more of each of the last 20 blocks; of all of them in order, the one at 60 %. A recording does
 * not hold single transactions, so a block's p10 (or its lowest tip, where only that was recorded) stands for its three.
 */
export function nodeTip(past: Past): number {
  const tips = lastTips(past, 20, 10)
    .filter((tip) => tip >= LOWEST)
    .sort(ascending);
  return Math.min(tips[Math.floor(((tips.length - 1) * 60) / 100)] ?? 0, HIGHEST);
}

/** The tips at a percentile of those of the last blocks whose tips are known. */
export function lastTips(past: Past, blocks: number, percentile: number): number[] {
  const tips: number[] = [];
  for (let at = Math.max(past.length - blocks, 0); at < past.length; at += 1) {
    const tip = past.tip(at, percentile);
    if (!Number.isNaN(tip)) tips.push(tip);
  }
  return tips;
}

export const ascending = (a: number, b: number): number => a - b;

/** The middle one; of two middle ones their mean. 0 for none. */
export const median = (values: readonly number[]): number =>
  values.length === 0 ? 0 : (quantiles(values, [0.5])[0] ?? 0);

export const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
