import { ClientError } from './client-error.ts';
import type { MetricsQuery } from './gas-client.ts';
import type { ChartPointView } from './views/chart.ts';
import type { MetricsView } from './views/metrics.ts';

/** As many rows as the contract gives at once. */
const PAGE_SIZE = 500;
const MOST_PAGES = 4;

/** The rows of a window, page by page, as far as `mostPages` reach. */
export async function allPages<Row>(
  ask: (page: Pick<MetricsQuery, 'page' | 'size'>) => Promise<MetricsView<Row>>,
  mostPages = MOST_PAGES,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (let page = 0; page < mostPages; page += 1) {
    const answer = await ask({ page, size: PAGE_SIZE });
    rows.push(...answer.rows);
    if (answer.rows.length === 0 || rows.length >= answer.total) break;
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
  ask: (from: number) => Promise<T>,
): Promise<T> {
  try {
    return await ask(start);
  } catch (error) {
    const next = points.find(({ timestamp }) => timestamp > start);
    if (!(error instanceof ClientError) || error.code !== 'invalid' || next === undefined) throw error;
    return ask(next.timestamp);
  }
}
