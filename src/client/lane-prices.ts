import { fittingBucket } from '../contract/choices.ts';
import type { LaneName } from '../core/advice.ts';
import type { PriceAtBlock } from '../core/alerts/alert-rule.ts';
import { quantilesOf } from '../core/market-stats.ts';
import type { ThresholdBasis } from '../core/threshold/threshold.ts';
import { formatDuration } from '../core/units.ts';
import type { GasClient, MetricsQuery } from './gas-client.ts';
import { allPages, handleOthers } from './paging.ts';
import type { CallOptions } from './requests.ts';
import type { BaseFeeRowView, MetricsView, PriorityFeeRowView } from './views/metrics.ts';

/** A lane's price in history: the base fee (of the next block if known) plus this percentile of the tips. */
export const LANE_TIPS: Readonly<Record<LaneName, string>> = { slow: 'p25', average: 'p50', fast: 'p75' };

type Metrics = Pick<GasClient, 'baseFee' | 'priorityFee'>;

/** Oldest first. `everySec`: length of the buckets whose means they are; `null`: every block. */
export interface LanePricesView {
  readonly prices: readonly PriceAtBlock[];
  readonly everySec: number | null;
}

/** A lane's price over a window by the metrics: in pages, or the newest rows of one request a route. */
export async function loadRows(
  client: Metrics,
  lane: LaneName,
  window: MetricsQuery,
  inPages: boolean,
  call: CallOptions = {},
): Promise<LanePricesView> {
  const percentile = LANE_TIPS[lane];
  const rowsOf = <Row extends { readonly timestamp: number }>(
    request: (query: MetricsQuery) => Promise<MetricsView<Row>>,
  ) =>
    inPages
      ? allPages<Row>(async (page) => {
          await handleOthers();
          return request({ ...window, ...page });
        })
      : request(window).then(({ rows }) => rows);
  const rows = await rowsOf((query) => client.baseFee(query, call));
  const tips = await rowsOf((query) => client.priorityFee({ ...query, percentile }, call));
  return pricesOfRows(rows, tips);
}

/** The past that rules are priced by: means of five minutes, or longer ones where a request costs quota. */
export const loadLanePrices = (
  client: Metrics,
  lane: LaneName,
  { from, to }: Required<Pick<MetricsQuery, 'from' | 'to'>>,
  thorough: boolean,
  call: CallOptions = {},
): Promise<LanePricesView> => {
  const bucket = thorough ? '5m' : fittingBucket((to - from) / 1_000, null);
  return loadRows(client, lane, { from, to, bucket }, thorough, call);
};

/** What the past says at a time (Unix seconds), by the buckets that were over then. */
export const pastPriceAt =
  (past: LanePricesView | null, timestamp: number): ThresholdBasis['pastPrice'] =>
  (percentile, windowSec) => {
    const everySec = past?.everySec ?? 0;
    const known = past?.prices.filter((price) => price.timestamp + everySec <= timestamp) ?? [];
    const within = known.filter((price) => price.timestamp + everySec > timestamp - windowSec);
    const storedSec = within.length === 0 ? 0 : timestamp - (known[0]?.timestamp ?? timestamp);
    if (within.length === 0 || storedSec < windowSec - everySec)
      return { reason: `only ${formatDuration(storedSec)} of ${formatDuration(windowSec)} are stored` };
    const sorted = within.map(({ price }) => ({ value: Number(price), weight: 1 }));
    sorted.sort((a, b) => a.value - b.value);
    return { price: BigInt(quantilesOf(sorted)(percentile / 100)) };
  };

/** Prices that an alert would have seen after each block: that of the next block, whose base fee is in its row. */
export function pricesOfRows(
  rows: readonly BaseFeeRowView[],
  tips: readonly PriorityFeeRowView[],
): LanePricesView {
  const sorted = rows.toSorted((a, b) => a.timestamp - b.timestamp);
  const isNext = (index: number) =>
    (sorted[index + 1]?.blockNumber ?? Number.NaN) - (sorted[index]?.blockNumber ?? Number.NaN) === 1;
  // Blocks without transactions have no tips: their price is the base fee.
  const tipAt = new Map(tips.map(({ timestamp, value }) => [timestamp, value]));
  const prices = sorted.map(({ timestamp, blockNumber, mean }, index) => {
    const base = isNext(index) ? (sorted[index + 1]?.mean ?? mean) : mean;
    return priceAt(timestamp, blockNumber, base + (tipAt.get(timestamp) ?? 0));
  });
  return { prices, everySec: isNext(0) ? null : apartSec(sorted) };
}

export function apartSec([first, second]: readonly { readonly timestamp: number }[]): number {
  return first === undefined || second === undefined ? 0 : (second.timestamp - first.timestamp) / 1_000;
}

/** For services without block numbers: only confirming blocks are counted by it. */
const USUAL_BLOCK_SEC = 12;

export const priceAt = (ms: number, blockNumber: number | null, price: number): PriceAtBlock => ({
  number: blockNumber ?? Math.floor(ms / 1_000 / USUAL_BLOCK_SEC),
  timestamp: ms / 1_000,
  price: BigInt(Math.round(price)),
});
