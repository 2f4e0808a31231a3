import type { Stats, StatsMarket } from '../../contract/dashboard.ts';
import { type Block, TIP_PERCENTILES } from '../../core/block.ts';
import { changeRatio, summarise, volatility } from '../../core/market-stats.ts';
import type { Weighted } from '../../core/weighted-quantile.ts';
import type { PricePart } from '../../store/price-parts.ts';
import { wholeWei, wireWei } from './wire.ts';

/**
 * How prices were spread over `series`, each block counted once, and where the head stands among them: in each,
 * min ≤ p10 ≤ median ≤ p90 ≤ max and min ≤ now ≤ max.
 */
export function marketFigures(
  series: readonly PricePart[],
  head: Pick<Block, 'baseFeePerGas' | 'tips'>,
): Pick<StatsMarket, 'base' | 'average' | 'volatility'> {
  const bases = series.map(({ base, blocks }) => ({ value: base.mean, weight: blocks }));
  return {
    base: baseStats(series, bases, wireWei(head.baseFeePerGas)),
    average: stats(averagesOf(series), averageNow(head)),
    volatility: volatility(bases),
  };
}

function stats(prices: readonly Weighted[], now: number): Stats {
  const summary = summarise(prices) ?? { min: now, p10: now, median: now, mean: now, p90: now, max: now };
  return {
    now,
    ...summary,
    // The head may be younger than what has been stored.
    min: Math.min(summary.min, now),
    max: Math.max(summary.max, now),
    changeRatio: changeRatio(now, prices[0]?.value ?? now),
  };
}

/** With the single dearest and cheapest block, which means over buckets would hide. */
function baseStats(series: readonly PricePart[], bases: readonly Weighted[], now: number): Stats {
  const figures = stats(bases, now);
  let { min, max } = figures;
  for (const { base } of series) {
    min = Math.min(min, base.min);
    max = Math.max(max, base.max);
  }
  return { ...figures, min: wholeWei(min), max: wholeWei(max) };
}

/** Base fee and median tip of the blocks whose tips are known; the base fee alone where none are. */
function averagesOf(series: readonly PricePart[]): Weighted[] {
  const tipped = series.flatMap(({ base, tip, tippedBlocks }) =>
    tip === null ? [] : [{ value: base.mean + tip, weight: tippedBlocks }],
  );
  return tipped.length > 0
    ? tipped
    : series.map(({ base, blocks }) => ({ value: base.mean, weight: blocks }));
}

function averageNow({ baseFeePerGas, tips }: Pick<Block, 'baseFeePerGas' | 'tips'>): number {
  return wireWei(baseFeePerGas + (tips?.[TIP_PERCENTILES.indexOf(50)] ?? 0n));
}
