import { setImmediate as othersTurn } from 'node:timers/promises';
import {
  ALERT_CONDITIONS,
  BUCKET_SEC,
  type Bucket,
  GAS_SPEEDS,
  LANE_OF_SPEED,
  PAGE_SIZE_MAX,
} from '../contract/choices.ts';
import type { LaneName } from '../core/advice.ts';
import { type AlertRule, type PriceAtBlock, previewAlert } from '../core/alerts/alert-rule.ts';
import { formatCount, formatDuration, formatGwei, weiOfGwei } from '../core/units.ts';
import type { CallOptions, GasClient } from './client.ts';
import { ClientError } from './errors.ts';
import { allPages } from './paging.ts';
import { givenPayload, type NewAlert } from './views/alerts.ts';
import type { ChartView } from './views/dashboard.ts';
import type { BaseFeeRowView, PriorityFeeRowView } from './views/metrics.ts';

/** A day of history is fresh for so long. */
const KEPT_MS = 60_000;

/** What an alert would have done in the last 24 hours, or in as much of them as the service knows. */
export interface AlertPreview {
  readonly times: number;
  /** Where it would have fired last; `at` in ms since epoch, `price` in wei per gas. */
  readonly last: { readonly at: number; readonly price: bigint } | null;
  /** The time that was looked at, ms since epoch. */
  readonly from: number;
  readonly to: number;
  /** How far apart the prices that were looked at are; `null`: every block's own. */
  readonly everySec: number | null;
  /** Of the lane in that time, wei per gas; `null` where there was nothing to look at. */
  readonly lowest: bigint | null;
  readonly highest: bigint | null;
}

interface PreviewerOptions {
  /** Whether many requests may be sent, as to a service in this process; else one. */
  readonly thorough: boolean;
  /** Wall clock, ms. */
  readonly now: () => number;
}

/** Previews alerts from a service's history. What one of them needed is kept a while for the next, rule after rule. */
export class AlertPreviewer {
  readonly #client: History;
  readonly #options: PreviewerOptions;
  #kept: { readonly since: number; readonly day: Promise<DayHistory>; readonly lanes: Lanes } | null = null;

  constructor(client: History, options: PreviewerOptions) {
    this.#client = client;
    this.#options = options;
  }

  /** @throws ClientError where the service's history cannot be had. */
  async preview(rule: AlertRule, { signal }: CallOptions = {}): Promise<AlertPreview> {
    // Loading is shared: it goes on for the next preview when this one is aborted.
    const { prices, from, to, everySec } = await this.#prices(rule.lane);
    signal?.throwIfAborted();
    const { times, last } = previewAlert(rule, prices);
    return {
      times,
      last: last === null ? null : { at: last.timestamp * 1_000, price: last.price },
      from,
      to,
      everySec,
      ...extremes(prices),
    };
  }

  #prices(lane: LaneName): Promise<DayPrices> {
    const { now, thorough } = this.#options;
    const age = this.#kept === null ? Number.POSITIVE_INFINITY : now() - this.#kept.since;
    const isFresh = age >= 0 && age < KEPT_MS;
    const kept = isFresh && this.#kept !== null ? this.#kept : this.#keep(now(), thorough);
    const known = kept.lanes.get(lane);
    if (known !== undefined) return known;
    const prices = kept.day.then((day) => loadDayPrices(this.#client, day, lane));
    kept.lanes.set(lane, prices);
    prices.catch(() => {
      kept.lanes.delete(lane);
    });
    return prices;
  }

  #keep(since: number, thorough: boolean) {
    const kept = {
      since,
      day: loadDayHistory(this.#client, thorough, since),
      lanes: new Map<LaneName, Promise<DayPrices>>(),
    };
    this.#kept = kept;
    kept.day.catch(() => {
      if (this.#kept === kept) this.#kept = null;
    });
    return kept;
  }
}

type Lanes = Map<LaneName, Promise<DayPrices>>;

function extremes(prices: DayPrices['prices']): Pick<AlertPreview, 'lowest' | 'highest'> {
  let lowest: bigint | null = null;
  let highest: bigint | null = null;
  for (const { price } of prices) {
    if (lowest === null || price < lowest) lowest = price;
    if (highest === null || price > highest) highest = price;
  }
  return { lowest, highest };
}

const DAY_MS = 86_400_000;
/** For services that do not number their blocks: only blocks that confirm are counted by it. */
const USUAL_BLOCK_SEC = 12;

/** What a lane's price stands for in history: the base fee, of the next block where that is known, and this percentile of the tips. */
const TIPS: Readonly<Record<LaneName, string>> = { slow: 'p25', average: 'p50', fast: 'p75' };
const POINTS = { slow: 'low', average: 'average', fast: 'high' } as const;

/** A lane's price over the last 24 hours, or as much of it as the service knows. Times in ms since epoch. */
export interface DayPrices {
  /** Oldest first. */
  readonly prices: readonly PriceAtBlock[];
  readonly from: number;
  readonly to: number;
  /** How far apart the prices are, each a mean of that time; `null`: every block's own. */
  readonly everySec: number | null;
}

/** What a preview needs of a client. */
export type History = Pick<GasClient, 'statsChart' | 'baseFee' | 'priorityFee'>;

/** What all lanes have in common, so it is loaded once. */
export interface DayHistory {
  /** `null`: the service has no charts. */
  readonly chart: ChartView | null;
  readonly from: number;
  readonly to: number;
  /** Finer than the chart, or instead of it; `null`: not offered, or not wanted. */
  readonly base: BaseFees | null;
}

/**
 * @param thorough Whether to look closer than the chart, which takes up to 40 requests.
 * @param now Wall clock, ms, for services without charts.
 * @throws ClientError where neither a chart nor base fees are to be had.
 */
export async function loadDayHistory(client: History, thorough: boolean, now: number): Promise<DayHistory> {
  let refused: unknown;
  const chart = await unlessNotOffered(
    () => client.statsChart('24h'),
    (error) => {
      refused = error;
    },
  );
  const saysPrices = chart?.points.some(({ average }) => average !== null) ?? false;
  if (chart === null || (chart.points.length > 0 && !saysPrices)) {
    const window = { from: now - DAY_MS, to: now };
    const base = await loadBaseFees(client, window, ['5m']);
    if (base === null && chart === null) throw refused;
    return { chart, ...window, base };
  }
  const first = chart.points[0]?.timestamp ?? 0;
  const last = chart.points.at(-1)?.timestamp ?? 0;
  // The last point begins then; the newest block is within it.
  const to = last + Math.max(chart.bucketSec ?? 1, 1) * 1_000;
  const window = { from: Math.max(first, to - DAY_MS), to };
  const isCloser = thorough && chart.points.length > 0;
  const base = isCloser ? await loadBaseFees(client, window, ['block', '1m']) : null;
  return { chart, ...window, base };
}

/** @throws ClientError where nothing that could be had says what this lane cost. */
export async function loadDayPrices(client: History, day: DayHistory, lane: LaneName): Promise<DayPrices> {
  const { to, base } = day;
  const tips = base === null ? null : await loadTips(client, base, to, TIPS[lane]);
  if (base === null || tips === null || base.rows.length === 0) return pricesOfChart(day, lane);
  const prices = base.everySec === null ? pricesAfterBlocks(base, tips) : pricesOfRows(base, tips);
  return { prices, from: base.from, to, everySec: base.everySec };
}

/**
 * What an alert would have gone by after each block: a lane's price is that of the blocks to come, whose base fee the
 * next row has.
 */
function pricesAfterBlocks(base: BaseFees, tips: readonly PriorityFeeRowView[]): readonly PriceAtBlock[] {
  const rows = base.rows.toSorted((a, b) => a.timestamp - b.timestamp);
  const next = rows.map((row, index) => {
    const after = rows[index + 1];
    const isNext = after?.blockNumber !== null && after?.blockNumber === (row.blockNumber ?? Number.NaN) + 1;
    return isNext ? { ...row, mean: after.mean } : row;
  });
  return pricesOfRows({ rows: next }, tips);
}

/** Blocks without transactions have no tips: there the base fee is the price. */
function pricesOfRows(
  { rows }: Pick<BaseFees, 'rows'>,
  tips: readonly PriorityFeeRowView[],
): readonly PriceAtBlock[] {
  const tipAt = new Map(tips.map(({ timestamp, blockNumber, value }) => [blockNumber ?? timestamp, value]));
  return inOrder(
    rows.map(({ timestamp, blockNumber, mean }) => ({
      number: blockNumber ?? numberAt(timestamp),
      timestamp: timestamp / 1_000,
      price: wei(mean + (tipAt.get(blockNumber ?? timestamp) ?? 0)),
    })),
  );
}

function pricesOfChart({ chart, from, to }: DayHistory, lane: LaneName): DayPrices {
  const points = chart?.points ?? [];
  const prices = points.flatMap((point) => {
    const price = point[POINTS[lane]];
    if (price === null || point.timestamp < from) return [];
    return [{ number: numberAt(point.timestamp), timestamp: point.timestamp / 1_000, price: wei(price) }];
  });
  if (prices.length === 0 && (chart === null || points.length > 0)) {
    throw new ClientError('unreadable', `the service's history does not say what ${lane} cost`, {
      endpoint: '/dashboard/stats/chart',
      field: `points[0].${POINTS[lane]}`,
    });
  }
  const [first, second] = prices;
  const apart = first === undefined || second === undefined ? null : second.timestamp - first.timestamp;
  return { prices: inOrder(prices), from, to, everySec: chart?.bucketSec ?? apart };
}

function inOrder(prices: readonly PriceAtBlock[]): readonly PriceAtBlock[] {
  return prices.toSorted((a, b) => a.timestamp - b.timestamp || a.number - b.number);
}

function numberAt(ms: number): number {
  return Math.floor(ms / 1_000 / USUAL_BLOCK_SEC);
}

function wei(price: number): bigint {
  return BigInt(Math.round(price));
}

/** A day of a chain with a block every 11 seconds; quicker ones are looked at minute by minute. */
const MOST_ROWS = 8_000;

/** Base fees of a window, ms since epoch. */
export interface BaseFees {
  readonly bucket: Bucket;
  readonly from: number;
  readonly rows: readonly BaseFeeRowView[];
  /** How far apart the rows are; `null`: they are every block's own. */
  readonly everySec: number | null;
}

interface Window {
  readonly from: number;
  readonly to: number;
}

/** The base fees in the first of `buckets` that has not too many; `null`: the service does not offer them. */
export function loadBaseFees(
  client: Pick<GasClient, 'baseFee'>,
  { from, to }: Window,
  buckets: readonly [Bucket, ...Bucket[]],
): Promise<BaseFees | null> {
  return unlessNotOffered(async () => {
    const ask = async (bucket: Bucket, page: number, size: number) => {
      await othersTurn();
      return client.baseFee({ from, to, bucket, page, size });
    };
    const [finest, ...coarser] = buckets;
    const first = await ask(finest, 0, PAGE_SIZE_MAX);
    const bucket = first.total <= MOST_ROWS ? finest : (coarser[0] ?? finest);
    const rows = await allPages(async ({ page = 0, size = PAGE_SIZE_MAX }) =>
      bucket === finest && page === 0 ? first : ask(bucket, page, size),
    );
    // Some services give what they have, whatever is requested, and as far back as they have it.
    const isEveryBlock = (bucket === 'block' && first.bucket === 'block') || followEachOther(rows);
    const oldest = rows.reduce((time, { timestamp }) => Math.min(time, timestamp), to);
    const everySec = isEveryBlock ? null : spacing(bucket, rows);
    return { bucket, from: Math.max(from, oldest), rows, everySec };
  });
}

/** The tips at a percentile that go with base fees; `null`: the service does not offer them. */
export function loadTips(
  client: Pick<GasClient, 'priorityFee'>,
  { bucket, from }: BaseFees,
  to: number,
  percentile: string,
): Promise<readonly PriorityFeeRowView[] | null> {
  return unlessNotOffered(() =>
    allPages(async (page) => {
      await othersTurn();
      return client.priorityFee({ from, to, bucket, percentile, ...page });
    }),
  );
}

/** `null` where the service does not offer it; that it does not respond, or its quota is used up, is thrown. */
export async function unlessNotOffered<T>(
  ask: () => Promise<T>,
  note: (error: ClientError) => void = () => {},
): Promise<T | null> {
  try {
    return await ask();
  } catch (error) {
    const codes = ['invalid', 'not-found', 'plan', 'server', 'unreadable'];
    if (!(error instanceof ClientError) || !codes.includes(error.code)) throw error;
    note(error);
    return null;
  }
}

function followEachOther([first, second]: readonly BaseFeeRowView[]): boolean {
  const [one, two] = [first?.blockNumber ?? null, second?.blockNumber ?? null];
  return one !== null && two !== null && Math.abs(one - two) === 1;
}

function spacing(bucket: Bucket, rows: readonly BaseFeeRowView[]): number | null {
  const [first, second] = rows;
  if (first === undefined || second === undefined) return bucket === 'block' ? null : BUCKET_SEC[bucket];
  return Math.abs(second.timestamp - first.timestamp) / 1_000;
}

/** The rule an alert would follow; `null` where a service's own words leave open what that is. */
export function alertRuleOf(alert: NewAlert): AlertRule | null {
  const speed = GAS_SPEEDS.find((word) => word === alert.gasSpeed);
  const condition = ALERT_CONDITIONS.find((word) => word === alert.condition);
  if (speed === undefined || condition === undefined) return null;
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

const DAY_SEC = 86_400;

/**
 * One sentence without its subject: `would have fired 3 times in the last 24 h, last at 14:05 at 0.0391 gwei (minute by
 * minute)`.
 *
 * @param timeText Writes a time, ms since epoch, as the reader is used to.
 */
export function previewWords(preview: AlertPreview, timeText: (ms: number) => string): string {
  const { times, last, lowest, highest } = preview;
  if (lowest === null || highest === null) return 'cannot be previewed: the service has no history yet';
  const looked = `in the last ${spanText(preview)}`;
  const manner = `(${mannerText(preview)})`;
  if (last === null) {
    const range =
      lowest === highest
        ? `${preview.everySec === null ? '' : 'about '}${formatGwei(lowest)} gwei throughout`
        : `between ${formatGwei(lowest)} and ${formatGwei(highest)} gwei`;
    return `would not have fired ${looked}: the price was ${range} ${manner}`;
  }
  const often = times === 1 ? 'once' : `${formatCount(times)} times`;
  const where = `at ${timeText(last.at)} at ${formatGwei(last.price)} gwei`;
  return `would have fired ${often} ${looked}, ${times === 1 ? '' : 'last '}${where} ${manner}`;
}

function spanText({ from, to, everySec }: AlertPreview): string {
  const seconds = Math.round((to - from) / 1_000);
  // Buckets do not begin just when a day does.
  return seconds >= DAY_SEC - 2 * (everySec ?? 60) ? '24 h' : formatDuration(Math.max(seconds, 1));
}

function mannerText({ everySec }: AlertPreview): string {
  if (everySec === null) return 'block by block';
  if (everySec === 60) return 'minute by minute';
  const [count, unit] = everySec % 60 === 0 ? [everySec / 60, 'minute'] : [everySec, 'second'];
  return `from ${formatCount(count)}-${unit} averages, which hide short dips and peaks`;
}
