import type { LaneName } from '../../core/advice.ts';
import type { PriceAtBlock } from '../../core/alerts/alert-rule.ts';
import { ClientError } from '../client-error.ts';
import type { GasClient } from '../gas-client.ts';
import type { ChartView } from '../views/chart.ts';
import type { PriorityFeeRowView } from '../views/metrics.ts';
import { type BaseFees, loadBaseFees, loadTips, unlessNotOffered } from './day-metrics.ts';

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

/** What is asked of a client. */
export type History = Pick<GasClient, 'statsChart' | 'baseFee' | 'priorityFee'>;

/** What all lanes have in common, so that it is asked for once. */
export interface DayHistory {
  /** `null`: the service has no charts. */
  readonly chart: ChartView | null;
  readonly from: number;
  readonly to: number;
  /** Finer than the chart, or instead of it; `null`: not to be had, or not to be asked for. */
  readonly base: BaseFees | null;
}

/**
 * @param thorough Whether to look closer than the chart, which takes up to 40 questions.
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
  if (chart === null) {
    const window = { from: now - DAY_MS, to: now };
    const base = await loadBaseFees(client, [], window, ['5m']);
    if (base === null) throw refused;
    return { chart, ...window, base };
  }
  const first = chart.points[0]?.timestamp ?? 0;
  const last = chart.points.at(-1)?.timestamp ?? 0;
  // The last point begins then; the newest block is within it.
  const to = last + Math.max(chart.bucketSec ?? 1, 1) * 1_000;
  const window = { from: Math.max(first, to - DAY_MS), to };
  const isCloser = thorough && chart.points.length > 0;
  const base = isCloser ? await loadBaseFees(client, chart.points, window, ['block', '1m']) : null;
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
