import { BUCKET_SEC, type Bucket, PAGE_SIZE_MAX } from '../contract/choices.ts';
import type { MetricsQuery, TextOptions } from './client.ts';
import type { Rows } from './lenient.ts';
import type { Query } from './routes.ts';
import type { ListView } from './views/alerts.ts';
import type {
  BaseFeeRowView,
  GasUsedRatioRowView,
  MetricsView,
  PriorityFeeRowView,
} from './views/metrics.ts';

const MOST_PAGES = 1_000;

/** A service in this process responds without a pause: yields to keys and screens between pages. */
export const handleOthers = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

export async function allPages<Row extends { readonly timestamp: number }>(
  request: (page: Pick<MetricsQuery, 'page' | 'size'>) => Promise<MetricsView<Row>>,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const response = await request({ page, size: PAGE_SIZE_MAX });
    const isRepeated = page > 0 && response.rows[0]?.timestamp === rows[0]?.timestamp;
    if (!isRepeated) rows.push(...response.rows);
    if (isRepeated || response.rows.length === 0 || rows.length >= response.total) break;
  }
  return rows;
}

/** Combines rows by bucket, for a service with finer ones than requested; `fold` gets one bucket, oldest first. */
const byBucket =
  <Row extends { readonly timestamp: number }>(fold: (rows: readonly [Row, ...Row[]], last: Row) => Row) =>
  (rows: readonly Row[], bucket: Bucket): readonly Row[] => {
    if (bucket === 'block') return rows;
    const lengthMs = BUCKET_SEC[bucket] * 1_000;
    const sorted = rows.toSorted((a, b) => a.timestamp - b.timestamp);
    const placeOf = ({ timestamp }: Row) => Math.floor(timestamp / lengthMs);
    return [...Map.groupBy(sorted, placeOf)].flatMap(([place, [first, ...others]]) => {
      const last = others.at(-1);
      if (first === undefined || last === undefined) return first ?? [];
      return { ...fold([first, ...others], last), timestamp: place * lengthMs };
    });
  };

const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

export const inBuckets = {
  baseFees: byBucket<BaseFeeRowView>((rows, last) => ({
    ...last,
    open: rows[0].open,
    min: Math.min(...rows.map(({ min }) => min)),
    mean: meanOf(rows.map(({ mean }) => mean)),
    max: Math.max(...rows.map(({ max }) => max)),
  })),
  priorityFees: byBucket<PriorityFeeRowView>((rows, last) => ({
    ...last,
    value: meanOf(rows.map(({ value }) => value)),
  })),
  gasUsedRatios: byBucket<GasUsedRatioRowView>((rows, last) => ({
    ...last,
    mean: meanOf(rows.map(({ mean }) => mean)),
    max: Math.max(...rows.map(({ max, mean }) => max ?? mean)),
  })),
};

const MOST_LIST_PAGES = 20;

export interface ListPage<Item> extends Rows<Item> {
  /** Total number; `null`: unknown. */
  readonly total: number | null;
}

export interface Listed {
  readonly id: string;
  readonly createdAt: number | null;
}

/** Newest first if creation times are known; further pages only if the service `knowsPages`. */
export function listLoader<Item extends Listed>(
  request: (query: Query, call: TextOptions) => Promise<ListPage<Item>>,
  knowsPages: () => Promise<boolean>,
): (call: TextOptions) => Promise<ListView<Item>> {
  return async (call) => {
    const first = await request({}, call);
    const items = new Map(first.items.map((item) => [item.id, item]));
    let { unreadable, total } = first;
    const isAll = () =>
      items.size + unreadable >= Math.min(total ?? Number.POSITIVE_INFINITY, MOST_LIST_PAGES * PAGE_SIZE_MAX);
    const pages = first.rows === 0 || isAll() || !(await knowsPages()) ? 0 : MOST_LIST_PAGES;
    for (let page = 0; page < pages; page++) {
      await handleOthers();
      const response = await request({ page: String(page), size: String(PAGE_SIZE_MAX) }, call);
      const before = items.size;
      for (const item of response.items) if (!items.has(item.id)) items.set(item.id, item);
      const isNew = items.size > before;
      total = response.total ?? total;
      if (page === 0) unreadable = response.unreadable;
      else if (isNew) unreadable += response.unreadable;
      // Page 0 may repeat the first response, and page 1 too if pages count from 1.
      if (isAll() || response.rows === 0 || (!isNew && page > 1)) break;
    }
    const all = [...items.values()];
    const isDated = all.every(({ createdAt }) => createdAt !== null);
    if (isDated) all.sort((a, b) => (b.createdAt ?? 0) - (a.createdAt ?? 0));
    return { items: all, total, unreadable };
  };
}
