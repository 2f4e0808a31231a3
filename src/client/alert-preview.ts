import { ALERT_CONDITIONS, ALERT_SPEEDS, LANE_OF_SPEED } from '../contract/choices.ts';
import type { LaneName, PricedLane } from '../core/advice.ts';
import { type AlertRule, type PriceAtBlock, previewAlert } from '../core/alerts/alert-rule.ts';
import { formatCount, formatDuration, formatGwei, weiOfGwei } from '../core/units.ts';
import type { GasClient, MetricsQuery } from './client.ts';
import { allPages, handleOthers } from './paging.ts';
import { givenPayload, type NewAlert } from './views/alerts.ts';
import type { BaseFeeRowView, MetricsView, PriorityFeeRowView } from './views/metrics.ts';

export type DayPrices = Awaited<ReturnType<typeof loadDayPrices>>;
export type AlertPreview = ReturnType<typeof previewOver>;

/** What an alert would have done over these prices. */
export function previewOver(rule: AlertRule, { prices, ...day }: DayPrices) {
  const { times, last } = previewAlert(rule, prices);
  const sorted = prices.map(({ price }) => price).toSorted((a, b) => Number(a - b));
  return {
    times,
    last: last === null ? null : { at: last.timestamp * 1_000, price: last.price },
    ...day,
    lowest: sorted[0] ?? null,
    highest: sorted.at(-1) ?? null,
  };
}

const DAY_MS = 86_400_000;
/** For services without block numbers: only confirming blocks are counted by it. */
const USUAL_BLOCK_SEC = 12;
/** A day of a chain with a block every 11 seconds; faster ones are read minute by minute. */
const MOST_BLOCKS = 8_000;
/** A lane's price in history: the base fee (of the next block if known) plus this percentile of the tips. */
const TIPS: Readonly<Record<LaneName, string>> = { slow: 'p25', average: 'p50', fast: 'p75' };
const POINTS = { slow: 'low', average: 'average', fast: 'high' } as const;
export type PastPrices = Pick<GasClient, 'chart' | 'baseFee' | 'priorityFee'>;

/**
 * A lane's price over the last 24 hours, oldest first, or a shorter history. `everySec`: `null` for every block.
 * @param thorough many requests are allowed, as for a service in this process; otherwise one
 */
export async function loadDayPrices(client: PastPrices, lane: PricedLane, thorough: boolean) {
  // No service says what blobs cost before.
  if (lane === 'blob') return { prices: [], from: 0, to: 0, everySec: null };
  const percentile = TIPS[lane];
  const { points, bucketSec, made } = await client.chart('24h', { percentile });
  const everySec: number | null = bucketSec ?? apartSec(points);
  // The last point starts then; the newest block is within it.
  const to = (points.at(-1)?.timestamp ?? 0) + Math.max(everySec, 1) * 1_000;
  const from = Math.max(points[0]?.timestamp ?? 0, to - DAY_MS);
  if (made !== null) return { ...pricesOfRows(made.baseFees.rows, made.tips.rows), from, to };
  const prices = points.flatMap(({ timestamp, ...point }) => {
    const price = point[POINTS[lane]];
    return price === null || timestamp < from ? [] : [priceAt(timestamp, null, price)];
  });
  if (points.length === 0 || (!thorough && prices.length > 0)) return { prices, from, to, everySec };
  const probe = { from, to, bucket: 'block', page: 0, size: 1 } as const;
  const isLong = thorough && (await client.baseFee(probe)).total > MOST_BLOCKS;
  const pages = <Row extends { readonly timestamp: number }>(
    request: (query: MetricsQuery) => Promise<MetricsView<Row>>,
  ) =>
    allPages<Row>(async (page) => {
      await handleOthers();
      return request({ from, to, bucket: isLong ? '1m' : 'block', ...page });
    });
  const rows = await pages((query) => client.baseFee(query));
  const tips = await pages((query) => client.priorityFee({ ...query, percentile }));
  return { ...pricesOfRows(rows, tips), from, to };
}

/** Prices that an alert would have seen after each block: that of the next block, whose base fee is in its row. */
function pricesOfRows(rows: readonly BaseFeeRowView[], tips: readonly PriorityFeeRowView[]) {
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

function apartSec([first, second]: readonly { readonly timestamp: number }[]): number {
  return first === undefined || second === undefined ? 0 : (second.timestamp - first.timestamp) / 1_000;
}

const priceAt = (ms: number, blockNumber: number | null, price: number): PriceAtBlock => ({
  number: blockNumber ?? Math.floor(ms / 1_000 / USUAL_BLOCK_SEC),
  timestamp: ms / 1_000,
  price: BigInt(Math.round(price)),
});

/** The rule of an alert; `null` when a service's own values leave it open. */
export function alertRuleOf(alert: NewAlert): AlertRule | null {
  const speed = ALERT_SPEEDS.find((word) => word === alert.gasSpeed);
  const condition = ALERT_CONDITIONS.find((word) => word === alert.condition);
  if (speed === undefined || condition === undefined || alert.thresholdGwei == null) return null;
  const { cooldownMs, disableOnce } = givenPayload(alert);
  return {
    lane: LANE_OF_SPEED[speed],
    condition,
    threshold: weiOfGwei(alert.thresholdGwei),
    hysteresis: weiOfGwei(alert.hysteresisGwei ?? 0),
    confirmBlocks: alert.confirmBlocks ?? 1,
    cooldownMs,
    disableOnce,
  };
}

/** `would have fired 3 times in the last 24 h, last at 14:05 at 0.0391 gwei (minute by minute)` */
export function previewWords(preview: AlertPreview, timeText: (ms: number) => string): string {
  const { times, last, lowest, highest, from, to, everySec } = preview;
  if (lowest === null || highest === null)
    return 'cannot be previewed: the service has no history of that price';
  const ms = to - from;
  // Buckets do not start exactly with the day.
  const span =
    ms >= DAY_MS - 2_000 * (everySec ?? 60)
      ? 'the last 24 h'
      : `the ${formatDuration(Math.max(Math.round(ms / 1_000), 1))} of history that there is`;
  const when = `in ${span}`;
  if (last === null) {
    const about = everySec === null ? '' : 'about ';
    const range =
      lowest === highest
        ? `${about}${formatGwei(lowest)} gwei throughout`
        : `between ${formatGwei(lowest)} and ${formatGwei(highest)} gwei`;
    return `would not have fired ${when}: the price was ${range} (${mannerText(everySec)})`;
  }
  const often = times === 1 ? 'once' : `${formatCount(times)} times`;
  const where = `at ${timeText(last.at)} at ${formatGwei(last.price)} gwei`;
  return `would have fired ${often} ${when}, ${times === 1 ? '' : 'last '}${where} (${mannerText(everySec)})`;
}

function mannerText(everySec: number | null): string {
  if (everySec === null) return 'block by block';
  if (everySec === 60) return 'minute by minute';
  const [count, unit] = everySec % 60 === 0 ? [everySec / 60, 'minute'] : [everySec, 'second'];
  return `from ${formatCount(count)}-${unit} averages, which hide short dips and peaks`;
}
