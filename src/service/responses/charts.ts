import type { TimeFrame } from '../../contract/choices.ts';
import type { ChartPoint, StatsChart } from '../../contract/dashboard.ts';
import type { MeanPrices } from '../../core/advice.ts';
import { type AnomalyPoint, findAnomalies } from '../../core/market-stats.ts';
import { type CoinPriceRow, coinPriceAt } from '../../store/coin-prices.ts';
import { foldRollups, type Rollup } from '../../store/rollups.ts';
import { type MetricsContext, timeFrameWindow } from './metrics.ts';
import { isoFromSec, meansToWire, wholeWeiOrNull } from './wire.ts';

const POINTS_MAX = 500;
/** Bucket of each time frame; an hour shows single blocks if they fit. */
export const CHART_BUCKET_SEC = { '24h': 300, '7d': 1_800, '30d': 7_200 } as const;
/** For an hour of a fast chain: 361 points. */
const HOUR_BUCKET_SEC = 10;

/** Mean stated lane prices from block `first` to `last`, wei per gas; `null` when one of them is unknown. */
export type StatedPrices = (first: number, last: number) => MeanPrices | null;

export async function statsChart(
  context: MetricsContext,
  timeFrame: TimeFrame,
  statedPrices: StatedPrices,
): Promise<Omit<StatsChart, 'events'>> {
  const { bucketSec, rollups } = await readSeries(context, timeFrame);
  const { store, end } = context;
  const coins = await store.coinPrices(timeFrameWindow(context, timeFrame));
  const found = findAnomalies(
    rollups.map((rollup) => ({ timestamp: rollup.start, value: rollup.base_mean })),
  );
  const anomalies = await Promise.all(found.map((anomaly) => atItsPeak(store, anomaly, bucketSec)));
  const begins = rollups[0]?.start ?? end;
  return {
    timeFrame,
    bucketSec,
    points: rollups.map((rollup) => toPoint(rollup, statedPrices, coins)),
    anomalies: anomalies
      .filter(
        ({ timestamp, kind }, place) =>
          timestamp >= begins &&
          anomalies.findIndex((other) => other.timestamp === timestamp && other.kind === kind) === place,
      )
      .map(({ timestamp, kind, value }) => ({
        timestamp: isoFromSec(timestamp),
        kind,
        ...meansToWire({ value }),
      })),
  };
}

/** An excursion by its highest (or lowest) block, which is the same in every time frame; a new level by its bucket. */
async function atItsPeak(
  store: MetricsContext['store'],
  { kind, first, last, ...point }: AnomalyPoint,
  bucketSec: number,
) {
  const side = kind === 'SPIKE' ? 'highest' : 'lowest';
  const window = { from: first, to: last + bucketSec - 1 };
  const peak = kind === 'REGIME_SHIFT' ? null : await store.peak(window, side, bucketSec);
  return { ...point, ...peak, kind };
}

async function readSeries(context: MetricsContext, timeFrame: TimeFrame) {
  const { store: history, profile } = context;
  const window = timeFrameWindow(context, timeFrame);
  if (timeFrame !== '1h') {
    const bucketSec = CHART_BUCKET_SEC[timeFrame];
    return { bucketSec, rollups: await history.buckets(bucketSec, window) };
  }
  const blocks = await history.blocks(window);
  if (blocks.length <= POINTS_MAX)
    return { bucketSec: Math.max(1, profile.feeRule.blockTimeSec), rollups: blocks };
  return { bucketSec: HOUR_BUCKET_SEC, rollups: foldRollups(blocks, HOUR_BUCKET_SEC) };
}

/** For blocks before the engine's history the lanes' prices are base fee plus tips. */
function toPoint(rollup: Rollup, statedPrices: StatedPrices, coins: readonly CoinPriceRow[]): ChartPoint {
  const base = rollup.base_mean;
  const priority = rollup.tip_p50;
  const said = statedPrices(rollup.first_block, rollup.last_block);
  return {
    timestamp: isoFromSec(rollup.start),
    ...meansToWire({
      base,
      low: said?.slow ?? base + (rollup.tip_p25 ?? 0),
      average: said?.average ?? base + (priority ?? 0),
      high: said?.fast ?? base + (rollup.tip_p75 ?? 0),
    }),
    priority: priority === null ? null : wholeWeiOrNull(priority),
    gasUsedRatio: rollup.ratio_mean,
    nativeUsd: coinPriceAt(coins, rollup.start),
  };
}
