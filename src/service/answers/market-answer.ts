import { TIME_FRAME_SEC, type TimeFrame } from '../../contract/choices.ts';
import type { Stats, StatsMarket } from '../../contract/dashboard.ts';
import { cheapestHourUtc, foldHeatmap } from '../../core/heatmap.ts';
import { changeRatio, summarise, volatility } from '../../core/market-stats.ts';
import { cost, USUAL_ACTIONS } from '../../core/usual-actions.ts';
import type { HistoryStore } from '../../store/history-store.ts';
import type { Rollup } from '../../store/rollup.ts';
import { meanTip } from './chart-answer.ts';
import type { Present } from './gas-answers.ts';
import { isoFromSec, wholeWei, wireWei } from './wire.ts';

const HOUR_SEC = 3_600;
const WEI_PER_COIN = 1e18;

export interface MarketWindow {
  readonly timeFrame: TimeFrame;
  /** Unix seconds. */
  readonly end: number;
  /** Dollars for one native coin at its beginning; `null` where that is not known. */
  readonly usdThen: number | null;
}

/** Figures of a time frame. The heatmap is always that of 30 days. */
export async function statsMarket(
  history: HistoryStore,
  { timeFrame, end, usdThen }: MarketWindow,
  present: Present,
): Promise<StatsMarket> {
  const series = await readSeries(history, timeFrame, end);
  const hours = (await history.buckets(HOUR_SEC, { from: end - TIME_FRAME_SEC['30d'], to: end })).map(
    (hour) => ({ timestamp: hour.start, meanBaseFee: hour.base.mean, blocks: hour.blocks }),
  );
  const { lanes } = present.advice;
  const bases = series.map((rollup) => rollup.base.mean);
  const averages = series.map((rollup) => rollup.base.mean + (meanTip(rollup, 50) ?? 0));
  return {
    timeFrame,
    from: isoFromSec(Math.max(series[0]?.start ?? end, end - TIME_FRAME_SEC[timeFrame])),
    base: { ...stats(bases, wireWei(present.head.baseFeePerGas)), ...extremes(series, present) },
    average: stats(averages, wireWei(lanes.average.price)),
    volatility: volatility(bases),
    cheapestHourUtc: cheapestHourUtc(hours),
    heatmap: foldHeatmap(hours),
    nativeUsd: present.nativeUsd,
    nativeUsdChangeRatio:
      present.nativeUsd === null || usdThen === null ? null : changeRatio(present.nativeUsd, usdThen),
    actions: USUAL_ACTIONS.map(({ name, gas }) => ({
      name,
      gas,
      slow: costOf(gas, lanes.slow.price, present.nativeUsd),
      average: costOf(gas, lanes.average.price, present.nativeUsd),
      fast: costOf(gas, lanes.fast.price, present.nativeUsd),
    })),
  };
}

function readSeries(history: HistoryStore, timeFrame: TimeFrame, end: number): Promise<Rollup[]> {
  const window = { from: end - TIME_FRAME_SEC[timeFrame], to: end };
  if (timeFrame === '1h') return history.blocks(window);
  return history.buckets(timeFrame === '24h' ? 300 : HOUR_SEC, window);
}

function stats(values: readonly number[], now: number): Stats {
  const summary = summarise(values) ?? { min: now, p10: now, median: now, mean: now, p90: now, max: now };
  return { now, ...summary, changeRatio: changeRatio(now, values[0] ?? now) };
}

/** The single dearest and cheapest block, which means over buckets would hide. */
function extremes(series: readonly Rollup[], { head }: Present): { min: number; max: number } {
  let min = wireWei(head.baseFeePerGas);
  let max = min;
  for (const { base } of series) {
    min = Math.min(min, base.min);
    max = Math.max(max, base.max);
  }
  return { min: wholeWei(min), max: wholeWei(max) };
}

function costOf(gas: number, price: bigint, nativeUsd: number | null) {
  const wei = cost(gas, price);
  return { wei: wei.toString(), usd: nativeUsd === null ? null : (Number(wei) / WEI_PER_COIN) * nativeUsd };
}
