import { ALERT_CONDITIONS, ALERT_SPEEDS, COOLDOWN_DEFAULT_MS, LANE_OF_SPEED } from '../contract/choices.ts';
import type { PricedLane } from '../core/advice.ts';
import {
  type AlertRule,
  type PreviewedPrice,
  type PriceAtBlock,
  previewAlert,
} from '../core/alerts/alert-rule.ts';
import { ruleFromWire } from '../core/threshold/rule-wire.ts';
import {
  effectivePrice,
  HISTORY_EVERY_SEC,
  isPricedByHistory,
  type PriceOrReason,
  type Threshold,
  type ThresholdBasis,
} from '../core/threshold/threshold.ts';
import { DAY_MS } from '../core/time.ts';
import { formatCount, formatDuration, formatGwei, weiOfGwei } from '../core/units.ts';
import type { GasClient } from './gas-client.ts';
import {
  apartSec,
  LANE_TIPS,
  loadLanePrices,
  loadRows,
  pastPriceAt,
  priceAt,
  pricesOfRows,
} from './lane-prices.ts';
import { loadWork, type WhatIsPriced } from './threshold-basis.ts';
import type { NewAlert } from './views/alerts.ts';

type DayPrices = Awaited<ReturnType<typeof loadDayPrices>>;
type AlertPreview = ReturnType<typeof previewOver>;

/** What an alert watches for. */
type WatchedRule = Omit<AlertRule, 'threshold' | 'relative'> & { readonly threshold: Threshold };

/** What was known at a time of the past, Unix seconds. */
type PastBasis = (timestamp: number) => ThresholdBasis;

/** What an alert would have done over these prices; a rule by what it stood for then, which `past` knows. */
export function previewOver(
  { threshold, ...rule }: WatchedRule,
  { prices, coins: _, ...day }: DayPrices,
  past: PastBasis | null = null,
) {
  const priced = pricedThen(threshold, rule.condition, prices, past);
  const known = priced.prices.filter((at) => at.threshold !== null);
  const { times, last } = previewAlert(rule, priced.prices);
  const [first] = known;
  return {
    times,
    last: last === null ? null : { at: last.timestamp * 1_000, price: last.price },
    ...day,
    // Before that nothing could have fired.
    ...(first !== undefined && first.number !== prices[0]?.number && { from: first.timestamp * 1_000 }),
    ...spreadOf(known.map(({ price }) => price)),
    /** What a rule stood for. */
    stoodFor: threshold.kind === 'gwei' ? null : spreadOf(known.flatMap((at) => at.threshold ?? [])),
    /** Why nothing is known of a rule. */
    reason: known.length === 0 ? priced.reason : null,
  };
}

function spreadOf(prices: readonly bigint[]) {
  const sorted = prices.toSorted((a, b) => (a < b ? -1 : 1));
  return { lowest: sorted[0] ?? null, highest: sorted.at(-1) ?? null };
}

/** The prices, each with what the threshold stood for by what was known then. `reason`: why the last is unknown. */
function pricedThen(
  threshold: Threshold,
  condition: AlertRule['condition'],
  prices: readonly PriceAtBlock[],
  past: PastBasis | null,
) {
  const everySec = isPricedByHistory(threshold) ? HISTORY_EVERY_SEC : 0;
  let workedOutAt = Number.NEGATIVE_INFINITY;
  let then: PriceOrReason =
    threshold.kind === 'gwei' ? { price: threshold.price } : { reason: 'there is no history' };
  const priced = prices.map((at): PreviewedPrice => {
    if (threshold.kind !== 'gwei' && past !== null && at.timestamp >= workedOutAt + everySec) {
      workedOutAt = at.timestamp;
      then = effectivePrice(threshold, condition, past(at.timestamp));
    }
    return { ...at, threshold: 'price' in then ? then.price : null };
  });
  return { prices: priced, reason: 'reason' in then ? then.reason : null };
}

/**
 * What was known at each time of `day`: the coin's price then, and the lane's price over windows of `windowSec` before (0:
 * none). The gas of work is counted by the rules of now.
 */
export async function loadPastBasis(
  client: PastPrices & Pick<GasClient, 'statsMarket'>,
  windowSec: number,
  { lane, day, snapshot, thorough }: WhatIsPriced & { readonly day: Omit<DayPrices, 'prices'> },
): Promise<PastBasis> {
  const window = { from: day.from - windowSec * 1_000, to: day.to };
  const past =
    windowSec === 0 || lane === 'blob' ? null : await loadLanePrices(client, lane, window, thorough);
  const { gasOf, dataFeeOf } = await loadWork(client, snapshot);
  return (timestamp) => ({
    nativeUsd: day.coins.findLast((coin) => coin.timestamp <= timestamp)?.usd ?? null,
    nativeUsdReason: 'what the coin cost then is not stored',
    gasOf,
    // What L1 took then is not stored.
    dataFeeOf: (work) => (dataFeeOf(work) === 0n ? 0n : null),
    pastPrice: pastPriceAt(past, timestamp),
  });
}

/** A day of a chain with a block every 11 seconds; faster ones are read minute by minute. */
const MOST_BLOCKS = 8_000;
const POINTS = { slow: 'low', average: 'average', fast: 'high' } as const;
type PastPrices = Pick<GasClient, 'chart' | 'baseFee' | 'priorityFee'>;

/**
 * A lane's price over the last 24 hours, oldest first, or a shorter history. `everySec`: `null` for every block.
 * @param thorough many requests are allowed, as for a service in this process; otherwise one
 */
export async function loadDayPrices(client: PastPrices, lane: PricedLane, thorough: boolean) {
  // No service says what blobs cost before.
  if (lane === 'blob') return { prices: [], from: 0, to: 0, everySec: null, coins: [] };
  const percentile = LANE_TIPS[lane];
  const { points, bucketSec, made } = await client.chart('24h', { percentile });
  const everySec: number | null = bucketSec ?? apartSec(points);
  // The last point starts then; the newest block is within it.
  const to = (points.at(-1)?.timestamp ?? 0) + Math.max(everySec, 1) * 1_000;
  const from = Math.max(points[0]?.timestamp ?? 0, to - DAY_MS);
  const coins = points.map(({ timestamp, nativeUsd: usd }) => ({ timestamp: timestamp / 1_000, usd }));
  if (made !== null) return { ...pricesOfRows(made.baseFees.rows, made.tips.rows), from, to, coins };
  const prices = points.flatMap(({ timestamp, ...point }) => {
    const price = point[POINTS[lane]];
    return price === null || timestamp < from ? [] : [priceAt(timestamp, null, price)];
  });
  if (points.length === 0 || (!thorough && prices.length > 0)) return { prices, from, to, everySec, coins };
  const probe = { from, to, bucket: 'block', page: 0, size: 1 } as const;
  const isLong = thorough && (await client.baseFee(probe)).total > MOST_BLOCKS;
  const rows = await loadRows(client, lane, { from, to, bucket: isLong ? '1m' : 'block' }, true);
  return { ...rows, from, to, coins };
}

/** The rule of an alert; `null` when a service's own values leave it open. */
export function alertRuleOf(alert: NewAlert): WatchedRule | null {
  const speed = ALERT_SPEEDS.find((word) => word === alert.gasSpeed);
  const condition = ALERT_CONDITIONS.find((word) => word === alert.condition);
  const { threshold: rule, thresholdGwei } = alert;
  const given = thresholdGwei == null ? null : ({ kind: 'gwei', price: weiOfGwei(thresholdGwei) } as const);
  const threshold = rule == null ? given : ruleFromWire(rule);
  if (speed === undefined || condition === undefined || threshold === null) return null;
  return {
    lane: LANE_OF_SPEED[speed],
    condition,
    threshold,
    hysteresis: weiOfGwei(alert.hysteresisGwei ?? 0),
    confirmBlocks: alert.confirmBlocks ?? 1,
    cooldownMs: alert.cooldownMs ?? COOLDOWN_DEFAULT_MS,
    disableOnce: alert.disableOnce ?? false,
  };
}

/** `would have fired 3 times in the last 24 h, last at 14:05 at 0.0391 gwei (minute by minute)` */
export function previewWords(preview: AlertPreview, timeText: (ms: number) => string): string {
  const { times, last, lowest, highest, stoodFor, reason, from, to, everySec } = preview;
  if (reason !== null) return `cannot be previewed: ${reason}`;
  if (lowest === null || highest === null)
    return 'cannot be previewed: the service has no history of that price';
  const ms = to - from;
  // Buckets do not start exactly with the day.
  const span =
    ms >= DAY_MS - 2_000 * (everySec ?? 60)
      ? 'the last 24 h'
      : `the last ${formatDuration(Math.max(Math.round(ms / 1_000), 1))}`;
  const when = `in ${span}`;
  const about = everySec === null ? '' : 'about ';
  const rule = stoodFor === null ? '' : `; it stood for ${rangeText(stoodFor, about)}`;
  if (last === null) {
    const range = rangeText({ lowest, highest }, about);
    return `would not have fired ${when}: the price was ${range}${rule} (${mannerText(everySec)})`;
  }
  const often = times === 1 ? 'once' : `${formatCount(times)} times`;
  const where = `at ${timeText(last.at)} at ${formatGwei(last.price)} gwei`;
  return `would have fired ${often} ${when}, ${times === 1 ? '' : 'last '}${where}${rule} (${mannerText(everySec)})`;
}

const rangeText = (
  { lowest, highest }: Readonly<Record<'lowest' | 'highest', bigint | null>>,
  about: string,
): string =>
  lowest === null || highest === null || lowest === highest
    ? `${about}${formatGwei(lowest ?? 0n)} gwei throughout`
    : `between ${formatGwei(lowest)} and ${formatGwei(highest)} gwei`;

function mannerText(everySec: number | null): string {
  if (everySec === null) return 'block by block';
  if (everySec === 60) return 'minute by minute';
  const [count, unit] = everySec % 60 === 0 ? [everySec / 60, 'minute'] : [everySec, 'second'];
  return `from ${formatCount(count)}-${unit} averages, which hide short dips and peaks`;
}
