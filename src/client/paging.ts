import { setImmediate as othersTurn } from 'node:timers/promises';
import { PAGE_SIZE_MAX } from '../contract/choices.ts';
import type { CallOptions, MetricsQuery } from './client.ts';
import { ClientError } from './errors.ts';
import type { Rows } from './lenient.ts';
import type { ListView } from './views/alerts.ts';
import type { ChartPointView } from './views/dashboard.ts';
import type { MetricsView } from './views/metrics.ts';

/** As many rows as the contract gives at once. */
const PAGE_SIZE = 500;
const MOST_PAGES = 4;

/** The rows of a window, page by page, as far as `mostPages` reach. */
export async function allPages<Row>(
  request: (page: Pick<MetricsQuery, 'page' | 'size'>) => Promise<MetricsView<Row>>,
  mostPages = MOST_PAGES,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (let page = 0; page < mostPages; page += 1) {
    const response = await request({ page, size: PAGE_SIZE });
    rows.push(...response.rows);
    if (response.rows.length === 0 || rows.length >= response.total) break;
  }
  return rows;
}

/**
 * A bucket begins before the first block in it, so a window from the chart's first point may begin just before
 * history does and be refused; then the second point is certainly within.
 */
export async function withinHistory<T>(
  points: readonly ChartPointView[],
  start: number,
  request: (from: number) => Promise<T>,
): Promise<T> {
  try {
    return await request(start);
  } catch (error) {
    const next = points.find(({ timestamp }) => timestamp > start);
    if (!(error instanceof ClientError) || error.code !== 'invalid' || next === undefined) throw error;
    return request(next.timestamp);
  }
}

/** More than anyone reads, and than a service should be requested to list at a time. */
const MOST_ITEMS = 10_000;
const MOST_LIST_PAGES = 100;

/** One page of a list, or all of it from a service that knows no pages. */
export interface ListPage<Item> extends Rows<Item> {
  /** How many there are in all; `null`: not said. */
  readonly total: number | null;
}

type RequestPage<Item> = (
  query: Readonly<Record<string, string>>,
  call: CallOptions,
) => Promise<ListPage<Item>>;

/** What is listed can be told apart, and may say when it was made. */
interface Listed {
  readonly id: string;
  readonly createdAt: number | null;
}

/**
 * All that a service lists, page after page, newest first where it says when each was made. Services differ: some know
 * no pages and give everything at once, or the first page again and again; some count pages from 1, or give fewer
 * rows than requested. How one of them pages is remembered for the next list.
 */
export function listLoader<Item extends Listed>(
  request: RequestPage<Item>,
): (call: CallOptions) => Promise<ListView<Item>> {
  let ignoresPages = false;
  let firstPage = 0;

  return async (call) => {
    const items = new Map<string, Item>();
    const from = firstPage;
    let unreadable = 0;
    let total: number | null = null;
    let isSecondRepeated = false;
    for (let page = from; page < from + MOST_LIST_PAGES && items.size < MOST_ITEMS; page++) {
      // A service in this process responds without a pause: keys and screens are handled between two pages.
      await othersTurn();
      const response = await request({ page: String(page), size: String(PAGE_SIZE_MAX) }, call);
      const before = items.size;
      for (const item of response.items) if (!items.has(item.id)) items.set(item.id, item);
      total = response.total ?? total;
      const isRepeated = page > from && response.rows > 0 && items.size === before;
      if (!isRepeated) unreadable += response.unreadable;
      if (isSecondRepeated && page === 2) {
        ignoresPages = isRepeated;
        firstPage = isRepeated ? 0 : 1;
      }
      // Where pages count from 1, page 1 is the first again and page 2 the next.
      isSecondRepeated = isRepeated && page === 1;
      if (isRepeated && !isSecondRepeated) break;
      if (ignoresPages || isEnd(response, items.size + unreadable, total)) break;
    }
    const kept = [...items.values()].slice(0, MOST_ITEMS);
    return { items: newestFirst(kept), total, unreadable };
  };
}

function isEnd({ rows }: ListPage<unknown>, seen: number, total: number | null): boolean {
  if (rows === 0) return true;
  if (total !== null) return seen >= total;
  // A list that ends just where lists are often cut off may go on.
  return rows < PAGE_SIZE_MAX && rows % 10 !== 0 && rows !== 25;
}

function newestFirst<Item extends Listed>(items: readonly Item[]): readonly Item[] {
  if (items.some(({ createdAt }) => createdAt === null)) return items;
  return items.toSorted((a, b) => (b.createdAt ?? 0) - (a.createdAt ?? 0));
}
