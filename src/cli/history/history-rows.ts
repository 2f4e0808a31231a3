import type { GasClient, MetricsQuery } from '../../client/client.ts';
import { ClientError } from '../../client/errors.ts';
import type { BaseFeeRowView, MetricsView } from '../../client/views/metrics.ts';
import { BUCKET_SEC, type Bucket } from '../../contract/choices.ts';

/** The largest page of the contract. */
const PAGE_SIZE = 500;

/** One bucket of the past. Prices in wei per gas; `null` where the service does not know. */
export interface HistoryRow extends BaseFeeRowView {
  readonly tip: number | null;
  readonly gasUsedRatio: number | null;
}

export interface HistoryWindow {
  /** Ms since epoch. */
  readonly from: number;
  readonly to: number;
  readonly bucket: Bucket;
}

/** The finest bucket that cuts `windowSec` into at most `most` rows. */
export function bucketFor(windowSec: number, most: number): Bucket {
  const fitting = (['1m', '5m', '1h'] as const).find((bucket) => windowSec / BUCKET_SEC[bucket] <= most);
  return fitting ?? '1d';
}

/** Base fee, median tip and fullness of a window, joined by time, oldest first. */
export async function historyRows(
  client: GasClient,
  window: HistoryWindow,
  signal: AbortSignal,
): Promise<HistoryRow[]> {
  const [base, tips, ratios] = await Promise.all([
    everyPage(window, (query) => client.baseFee(query, { signal })),
    orNone(everyPage(window, (query) => client.priorityFee({ ...query, percentile: 'p50' }, { signal }))),
    orNone(everyPage(window, (query) => client.gasUsedRatio(query, { signal }))),
  ]);
  const tipAt = new Map(tips.map((row) => [row.timestamp, row.value]));
  const ratioAt = new Map(ratios.map((row) => [row.timestamp, row.mean]));
  return base
    .map((row) => ({
      ...row,
      tip: tipAt.get(row.timestamp) ?? null,
      gasUsedRatio: ratioAt.get(row.timestamp) ?? null,
    }))
    .sort((a, b) => a.timestamp - b.timestamp);
}

async function everyPage<Row>(
  window: HistoryWindow,
  ask: (query: MetricsQuery) => Promise<MetricsView<Row>>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let page = 0; ; page += 1) {
    const answer = await ask({ ...window, page, size: PAGE_SIZE });
    rows.push(...answer.rows);
    if (answer.rows.length === 0 || rows.length >= answer.total) return rows;
  }
}

/** A service that knows base fees only still has a history. */
async function orNone<Row>(rows: Promise<Row[]>): Promise<Row[]> {
  try {
    return await rows;
  } catch (error) {
    if (error instanceof ClientError && (error.code === 'not-found' || error.code === 'plan')) return [];
    throw error;
  }
}
