import { PAGE_SIZE_MAX } from '../contract/choices.ts';
import type { MetricsQuery } from './gas-client.ts';
import type { Rows } from './lenient.ts';
import type { Query } from './routes.ts';
import type { ListView } from './views/alerts.ts';
import type { MetricsView } from './views/metrics.ts';

const MOST_PAGES = 1_000;
/** A service in this process responds without a pause: yields to keys and screens between pages. */
export const handleOthers = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

export async function allPages<Row extends { readonly timestamp: number | null }>(
  request: (page: Pick<MetricsQuery, 'page' | 'size'>) => Promise<MetricsView<Row>>,
  idOf: (row: Row) => unknown = ({ timestamp }) => timestamp,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const response = await request({ page, size: PAGE_SIZE_MAX });
    const [first, again] = [rows[0], response.rows[0]];
    const isRepeated = first !== undefined && again !== undefined && idOf(first) === idOf(again);
    if (!isRepeated) rows.push(...response.rows);
    if (isRepeated || response.rows.length === 0 || rows.length >= response.total) break;
  }
  return rows;
}

const MOST_LIST_PAGES = 20;

export interface ListPage<Item> extends Rows<Item> {
  readonly total: number | null;
}

export interface Listed {
  readonly id: string;
  readonly createdAt: number | null;
}

/** Newest first if creation times are known; further pages only if the service `knowsPages`. */
export async function wholeList<Item extends Listed>(
  request: (query: Query) => Promise<ListPage<Item>>,
  knowsPages: () => Promise<boolean>,
): Promise<ListView<Item>> {
  const first = await request({});
  let { unreadable, total } = first;
  const items = new Map(first.items.map((item) => [item.id, item]));
  const isAll = () => items.size + unreadable >= (total ?? Number.POSITIVE_INFINITY);
  const pages = first.rows === 0 || isAll() || !(await knowsPages()) ? 0 : MOST_LIST_PAGES;
  for (let page = 0; page < pages; page++) {
    await handleOthers();
    const response = await request({ page: String(page), size: String(PAGE_SIZE_MAX) });
    const before = items.size;
    for (const item of response.items) items.set(item.id, item);
    total = response.total ?? total;
    unreadable = page === 0 ? response.unreadable : unreadable + response.unreadable;
    // Page 1 may repeat page 0, where pages count from 1.
    if (isAll() || response.rows === 0 || (items.size === before && page > 1)) break;
  }
  const all = [...items.values()];
  const isDated = all.every(({ createdAt }) => createdAt !== null);
  if (isDated) all.sort((a, b) => (b.createdAt ?? 0) - (a.createdAt ?? 0));
  return { items: all, total, unreadable };
}
