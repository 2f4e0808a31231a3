import { TIME_FRAME_SEC, type TimeFrame } from '../../contract/choices.ts';
import type { StatsMarket } from '../../contract/dashboard.ts';
import { cheapestHourUtc, foldHeatmap } from '../../core/heatmap.ts';
import { changeRatio } from '../../core/market-stats.ts';
import { cost, USUAL_ACTIONS } from '../../core/usual-actions.ts';
import type { HistoryStore } from '../../store/history-store.ts';
import type { Present } from './gas-answers.ts';
import { marketFigures } from './market-figures.ts';
import { marketSeries } from './market-series.ts';
import { isoFromSec } from './wire.ts';

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
  const series = await marketSeries(history, { from: end - TIME_FRAME_SEC[timeFrame], to: end });
  const stored = await history.bucketPrices(HOUR_SEC, { from: end - TIME_FRAME_SEC['30d'], to: end });
  const hours = stored.map(({ start, base, blocks }) => ({
    timestamp: start,
    meanBaseFee: base.mean,
    blocks,
  }));
  const { lanes } = present.advice;
  return {
    timeFrame,
    from: isoFromSec(Math.max(series[0]?.start ?? end, end - TIME_FRAME_SEC[timeFrame])),
    ...marketFigures(series, present.head),
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

function costOf(gas: number, price: bigint, nativeUsd: number | null) {
  const wei = cost(gas, price);
  return { wei: wei.toString(), usd: nativeUsd === null ? null : (Number(wei) / WEI_PER_COIN) * nativeUsd };
}
