import type { TimeFrame } from '../../contract/choices.ts';
import type { Stats, StatsMarket } from '../../contract/dashboard.ts';
import { type DataFees, workDataFee } from '../../core/data-fee.ts';
import {
  changeRatio,
  cheapestHourUtc,
  foldHeatmap,
  summarise,
  volatility,
  type Weighted,
} from '../../core/market-stats.ts';
import { cost, gasOfAction, USUAL_ACTIONS } from '../../core/usual-work.ts';
import { coinPriceAt } from '../../store/coin-prices.ts';
import type { HistoryStore, Window } from '../../store/history.ts';
import { type PricedBlocks, ROLLUP_SEC } from '../../store/rollups.ts';
import type { PublishedChain } from '../published-chain.ts';
import { CHART_BUCKET_SEC, type StatedPrices } from './charts.ts';
import { type MetricsContext, timeFrameWindow } from './metrics.ts';
import { isoFromSec, meansToWire, usdOrNull } from './wire.ts';

/** Figures of a time frame. The heatmap always covers 30 days. */
export async function statsMarket(
  context: MetricsContext,
  timeFrame: TimeFrame,
  published: PublishedChain,
  statedPrices: StatedPrices,
  dataFees: DataFees,
): Promise<StatsMarket> {
  const { store: history, end } = context;
  const window = timeFrameWindow(context, timeFrame);
  const series = await marketSeries(history, window);
  const hours = await history.hours(timeFrameWindow(context, '30d'));
  const coinBefore = coinPriceAt(await history.coinPrices({ ...window, to: window.from }), window.from);
  const { nativeUsd } = published;
  const { lanes } = published.advice;
  const now = { base: Number(published.head.baseFeePerGas), average: Number(lanes.average.price) };
  const { base, average, volatility } = marketFigures(series, now, statedPrices);
  const before = await firstPoint(history, timeFrame, series[0]);
  return {
    timeFrame,
    from: isoFromSec(Math.max(series[0]?.start ?? end, window.from)),
    base: wireStats(before === null ? base : { ...base, changeRatio: changeRatio(now.base, before) ?? 0 }),
    average: wireStats(average),
    volatility,
    cheapestHourUtc: cheapestHourUtc(hours),
    heatmap: foldHeatmap(hours),
    nativeUsd,
    nativeUsdChangeRatio: nativeUsd === null ? null : changeRatio(nativeUsd, coinBefore),
    actions: usualWork(published, dataFees),
  };
}

export function usualWork(
  { advice: { lanes }, nativeUsd, rules }: PublishedChain,
  dataFees: DataFees,
): StatsMarket['actions'] {
  return USUAL_ACTIONS.map((action) => {
    const { name, unsigned } = action;
    const usual = gasOfAction(action, rules);
    const { gas } = usual;
    const fee = workDataFee(dataFees, { name, gas, unsigned }, lanes.average.price);
    const total = ({ price }: { readonly price: bigint }) =>
      costOf(cost(gas, price) + (fee.wei ?? 0n), nativeUsd);
    return {
      name,
      ...usual,
      slow: total(lanes.slow),
      average: total(lanes.average),
      fast: total(lanes.fast),
      dataFee: fee.wei === null ? null : costOf(fee.wei, nativeUsd),
      dataFeeReason: fee.reason,
    };
  });
}

/** The first base fee in the chart of the time frame, wei: both show the same change. */
async function firstPoint(
  history: HistoryStore,
  timeFrame: TimeFrame,
  oldest: PricedBlocks | undefined,
): Promise<number | null> {
  if (timeFrame === '1h' || oldest === undefined) return null;
  const at = { from: oldest.start, to: oldest.start };
  const [rollup] = await history.buckets(CHART_BUCKET_SEC[timeFrame], at);
  return rollup === undefined ? null : Math.round(rollup.base_mean);
}

const costOf = (wei: bigint, nativeUsd: number | null) => ({
  wei: wei.toString(),
  usd: usdOrNull(wei, nativeUsd),
});

/** A spread in whole wei. */
type Spread = { readonly [Figure in keyof Omit<Stats, 'reason'>]: number };

const wireStats = ({ changeRatio, ...prices }: Spread): Stats => ({ ...meansToWire(prices), changeRatio });

/** Each block counts once; min ≤ p10 ≤ median ≤ p90 ≤ max and min ≤ now ≤ max. */
export function marketFigures(
  series: readonly PricedBlocks[],
  now: { readonly base: number; readonly average: number },
  statedPrices: StatedPrices,
): { base: Spread; average: Spread; volatility: number } {
  const bases = series.map((part) => ({ value: part.base_mean, weight: part.blocks }));
  const base = stats(bases, now.base);
  return {
    base: {
      ...base,
      // The single highest and lowest block, which bucket means would hide.
      min: Math.min(base.min, ...series.map((part) => part.base_min)),
      max: Math.max(base.max, ...series.map((part) => part.base_max)),
    },
    average: stats(averagesOf(series, statedPrices), now.average),
    volatility: volatility(bases),
  };
}

function stats(prices: readonly Weighted[], now: number): Spread {
  const summary = summarise(prices) ?? { min: now, p10: now, median: now, mean: now, p90: now, max: now };
  return {
    now,
    ...summary,
    // The head may be newer than the stored blocks.
    min: Math.min(summary.min, now),
    max: Math.max(summary.max, now),
    changeRatio: changeRatio(now, prices[0]?.value ?? now) ?? 0,
  };
}

/** For blocks before the engine's history base fee plus median tip, of blocks with known tips; without any, the base fee alone. */
function averagesOf(series: readonly PricedBlocks[], statedPrices: StatedPrices): Weighted[] {
  const known = series.flatMap((part) => {
    const said = statedPrices(part.first_block, part.last_block);
    if (said !== null) return [{ value: said.average, weight: part.blocks }];
    const tip = part.tip_p50;
    return tip === null ? [] : [{ value: part.base_mean + tip, weight: part.tipped_blocks }];
  });
  return known.length > 0 ? known : series.map((part) => ({ value: part.base_mean, weight: part.blocks }));
}

/** A day of Ethereum and some more. */
const MOST_ROWS = 12_000;

/** At most `mostRows` single blocks, else the shortest stored buckets that fit and begin within the window. */
export async function marketSeries(
  history: HistoryStore,
  window: Window,
  mostRows = MOST_ROWS,
): Promise<PricedBlocks[]> {
  const blocks = await history.prices(window, mostRows);
  if (blocks !== null) return blocks;
  const oldest = (await history.reachesBackTo(null)) ?? window.from;
  const fits = (sec: number) => (window.to - Math.max(window.from, oldest)) / sec <= mostRows;
  const bucketSec = ROLLUP_SEC.find(fits) ?? ROLLUP_SEC[2];
  return history.buckets(bucketSec, { ...window, from: Math.ceil(window.from / bucketSec) * bucketSec });
}
